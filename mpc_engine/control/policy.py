"""The policy of a study: by which criteria a model is judged, and where it is certified."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from mpc_engine.control.canonical import JsonObject
from mpc_engine.control.fields import Fields
from mpc_engine.control.study_terms import check_decimal
from mpc_engine.errors import UsageError
from mpc_engine.ring.decimal_encoding import parse_decimal

P_RULE = "p_rule"
COVARIANCE = "covariance"
CRITERIA = (P_RULE, COVARIANCE)
COMPARISONS = ("each_pair", "each_against_rest")
COVARIANCE_ALONE = "POLICY_COVARIANCE_ALONE"
MAX_THRESHOLDS = 8
MAX_PEOPLE = 1_000_000

NO_VERDICT_REASONS = ("TOO_FEW_ANSWERS", "GROUP_EMPTY", "GROUP_UNDER_FLOOR", "NOBODY_SELECTED")

_RANGES: dict[str, tuple[Callable[[Fraction], bool], str]] = {
    P_RULE: (lambda value: 0 < value <= 100, "percentages above 0 and up to 100"),
    COVARIANCE: (lambda value: value >= 0, "0 or more"),
}


@dataclass(frozen=True)
class PolicyCriterion:
    """A criterion: decimal thresholds in rising order, one of which certifies.

    ``p_rule``: percentages that the acceptance rates of two groups must keep to; ``covariance``:
    bounds on the covariance of score and group, in units of the score.
    """

    criterion: str
    thresholds: tuple[str, ...]
    certify_at: str


@dataclass(frozen=True)
class Policy:
    """The rule of the study: a certificate needs every criterion at its ``certify_at``."""

    criteria: tuple[PolicyCriterion, ...]
    comparison: str
    minimum_group: int
    minimum_answers: int

    @property
    def questions(self) -> tuple[tuple[str, str], ...]:
        """Return criterion and threshold of every verdict that is given, in order."""
        return tuple(
            (item.criterion, threshold) for item in self.criteria for threshold in item.thresholds
        )

    def to_json(self) -> JsonObject:
        """Return the JSON form used in configurations and certificates."""
        return {
            "criteria": [
                {
                    "criterion": item.criterion,
                    "thresholds": list(item.thresholds),
                    "certify_at": item.certify_at,
                }
                for item in self.criteria
            ],
            "comparison": self.comparison,
            "minimum_group": self.minimum_group,
            "minimum_answers": self.minimum_answers,
        }


def n_outcomes(policy: Policy) -> int:
    """Return how many different outcomes a certification under a policy can have.

    Thresholds rise, so a criterion's passes are known once their number is.
    """
    passes = math.prod(len(item.thresholds) + 1 for item in policy.criteria)
    return passes + len(NO_VERDICT_REASONS)


def read_policy(fields: Fields) -> Policy:
    """Read a policy; UsageError names the first fault.

    A policy on the covariance alone is refused (``POLICY_COVARIANCE_ALONE``).
    """
    policy = Policy(
        criteria=tuple(
            _read_criterion(row) for row in fields.objects("criteria", 1, len(CRITERIA))
        ),
        comparison=fields.choice("comparison", COMPARISONS),
        minimum_group=fields.integer("minimum_group", 1, MAX_PEOPLE),
        minimum_answers=fields.integer("minimum_answers", 1, MAX_PEOPLE),
    )
    fields.end()
    names = [item.criterion for item in policy.criteria]
    if len(set(names)) < len(names):
        raise UsageError(f"{fields.where}.criteria names a criterion twice.", code=fields.code)
    if names == [COVARIANCE]:
        raise UsageError(
            "A policy on the covariance alone certifies nothing: the covariance depends on the "
            "scale of the score, so a model divided by 1000 makes the same decisions and passes "
            "any limit. Put the p%-rule beside it, which looks at the decisions.",
            code=COVARIANCE_ALONE,
        )
    return policy


def _read_criterion(fields: Fields) -> PolicyCriterion:
    name = fields.choice("criterion", CRITERIA)
    thresholds = tuple(
        check_decimal(value, f"{fields.where}.thresholds[{position}]", code=fields.code)
        for position, value in enumerate(fields.items("thresholds", 1, MAX_THRESHOLDS))
    )
    values = [parse_decimal(threshold) for threshold in thresholds]
    in_range, words = _RANGES[name]
    if not all(map(in_range, values)) or any(low >= high for low, high in pairwise(values)):
        raise UsageError(f"{fields.where}.thresholds must be {words}, and rise.", code=fields.code)
    criterion = PolicyCriterion(name, thresholds, fields.choice("certify_at", thresholds))
    fields.end()
    return criterion
