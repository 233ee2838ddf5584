"""Train to a target: try several c, certify their models, take the most accurate that passes.

A search says what to try and what came out; the runs themselves need both organisations'
approvals, and each of their outcomes is charged. It looks at nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from mpc_engine.control.policies.charge import certification_bits
from mpc_engine.control.policies.policy import MAX_PEOPLE
from mpc_engine.control.policies.questions import millibits
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.sweeps import (
    POINTS,
    Candidate,
    best_certified,
    proposed_ladder,
    refined,
    threshold_for,
)
from mpc_engine.control.studies.training_terms import (
    ORDER_SEED_BYTES,
    TrainingTerms,
    constrained_categories,
    training_bits,
)
from mpc_engine.errors import UsageError
from mpc_engine.vocabulary.criteria import CriterionName

Point = tuple[str, ...]


@dataclass(frozen=True)
class SearchCost:
    """What trying some points is charged, in bits: in the training study and in the certifying."""

    training_bits: int
    certification_bits: float


@dataclass
class TargetSearch:
    """The search for a model of ``training`` that keeps ``target`` percent in ``certifying``.

    UsageError (``TARGET_NOT_ASKED``) if the certifying policy has no p%-threshold at the target or
    above it.
    """

    training: Configuration
    certifying: Configuration
    target: Fraction
    preset: str = "recommended"
    output_frac_bits: int = 16
    candidates: list[Candidate] = field(default_factory=list)
    _is_refined: bool = False

    def __post_init__(self) -> None:
        limit = threshold_for(self.certifying.policy, self.target)
        if limit is None:
            raise UsageError(
                f"The policy asks for no p%-rule of {float(self.target):g} or more.",
                code="TARGET_NOT_ASKED",
            )
        self._limit = Fraction(limit)

    def ladder(self, n_points: int = POINTS) -> list[Point]:
        """Return the points to train first, loosest first: the same c for every constraint."""
        return [self._point(c) for c in proposed_ladder(self._limit, n_points)]

    def cost(self, n_points: int) -> SearchCost:
        """Return what training and certifying so many points is charged.

        Where the policy opens a table: at most, whatever the number of people.
        """
        point = self._point("0")
        terms = TrainingTerms(
            self.preset, 1, 64, (point,), self.output_frac_bits, bytes(ORDER_SEED_BYTES)
        )
        certifying = self.certifying
        each = millibits(certification_bits(certifying.policy, len(certifying.groups), MAX_PEOPLE))
        return SearchCost(n_points * training_bits(self.training, terms), n_points * each / 1000)

    def note(
        self, point: Point, outcome: Mapping[str, Any], right_per_mille: int | None
    ) -> Candidate:
        """Take note of a certification's signed outcome; return what is known of the model now.

        ``right_per_mille``: how many of a thousand rows of its own the data-holder found decided
        right, None if it did not say.
        """
        limits: dict[str, list[Fraction]] = {"PASS": [], "FAIL": [], "UNDETERMINED": []}
        for row in outcome["thresholds"]:
            if row["criterion"] == CriterionName.P_RULE:
                limits[row["verdict"]].append(Fraction(row["threshold"]))
        candidate = Candidate(
            model_id=str(outcome["model_id"]),
            c=max(Fraction(bound) for bound in point),
            passed=max(limits["PASS"], default=None),
            failed=min(limits["FAIL"], default=None),
            certified=outcome["verdict"] == "PASS",
            right_per_mille=right_per_mille,
        )
        self.candidates.append(candidate)
        return candidate

    def refinement(self) -> Point | None:
        """Return one more point between the last that fails and the first that passes.

        None after the first time, and where there is nothing between.
        """
        c = None if self._is_refined else refined(self.candidates, self._limit)
        if c is None:
            return None
        self._is_refined = True
        return self._point(c)

    def best(self) -> Candidate | None:
        """Return the most accurate certified model at the target, None while there is none."""
        return best_certified(self.candidates, self._limit)

    def _point(self, c: str) -> Point:
        return (c,) * len(constrained_categories(self.training))
