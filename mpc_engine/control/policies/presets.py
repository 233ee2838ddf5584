"""Policies to start from, as data: what a form offers and a client can send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from mpc_engine.control.texts.canonical import JsonObject, JsonValue
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.policies import (
    Comparison,
    Disclosure,
    MissingAnswers,
    SmallGroups,
    StudyKind,
)


@dataclass(frozen=True)
class PolicyPreset:
    """A policy but for its groups and its minima of people.

    ``crosses``: people are also divided by attributes crossed (`divisions`).
    ``kind``, ``questions``, ``minimum_decided``: as `Policy` has them. ``question_bits``: a limit
    that pays for the questions about a usual cohort.
    """

    name: str
    kind: StudyKind
    questions: int
    criterion: CriterionName
    thresholds: tuple[str, ...]
    certify_at: str
    comparison: Comparison
    minimum_percent: str
    small_groups: SmallGroups
    disclosure: Disclosure
    crosses: bool
    question_bits: int
    minimum_decided: int = 10

    def to_json(self) -> JsonObject:
        """Return the fields of a policy that the preset sets."""
        return {
            "kind": self.kind,
            "questions": self.questions,
            "criteria": [
                {
                    "criterion": self.criterion,
                    "thresholds": list(self.thresholds),
                    "certify_at": self.certify_at,
                }
            ],
            "comparison": self.comparison,
            "minimum_decided": self.minimum_decided,
            "minimum_percent": self.minimum_percent,
            "small_groups": self.small_groups,
            "missing_answers": MissingAnswers.LEFT_OUT,
            "disclosure": self.disclosure,
        }

    def policy(
        self, attributes: Sequence[str], minimum_group: int, minimum_answers: int
    ) -> JsonObject:
        """Return the whole policy for a study that asks for these attributes, by name."""
        groups = divisions(attributes, crossed=self.crosses)
        return {
            **self.to_json(),
            "groups": [list[JsonValue](names) for names in groups],
            "minimum_group": minimum_group,
            "minimum_answers": minimum_answers,
        }


def divisions(attributes: Sequence[str], *, crossed: bool) -> list[list[str]]:
    """Return the groups of a policy: by every attribute; ``crossed``: by every two, and by all too.

    All are crossed since a policy that crosses a part of what its divisions join is refused
    (`mpc_engine.control.policies.policy.read_policy`).
    """
    sizes = {1, 2, len(attributes)} if crossed else {1}
    return [list(names) for size in sorted(sizes) for names in combinations(attributes, size)]


PRESETS = (
    PolicyPreset(
        name="four_fifths",
        kind=StudyKind.VERDICT,
        questions=2,
        criterion=CriterionName.P_RULE,
        thresholds=("80",),
        certify_at="80",
        comparison=Comparison.EACH_PAIR,
        minimum_percent="0",
        small_groups=SmallGroups.UNDETERMINED,
        disclosure=Disclosure.VERDICT,
        crosses=False,
        question_bits=64,
    ),
    PolicyPreset(
        name="nyc_ll144",
        kind=StudyKind.PUBLISHED,
        questions=1,
        criterion=CriterionName.P_RULE,
        thresholds=("80",),
        certify_at="80",
        comparison=Comparison.MOST_SELECTED,
        minimum_percent="2",
        small_groups=SmallGroups.EXCLUDED_AND_NAMED,
        disclosure=Disclosure.TABLE,
        crosses=True,
        question_bits=5000,
    ),
    PolicyPreset(
        name="equal_opportunity",
        kind=StudyKind.VERDICT,
        questions=2,
        criterion=CriterionName.TRUE_POSITIVE_RATE_DIFFERENCE,
        thresholds=("10",),
        certify_at="10",
        comparison=Comparison.EACH_PAIR,
        minimum_percent="0",
        small_groups=SmallGroups.UNDETERMINED,
        disclosure=Disclosure.VERDICT,
        crosses=False,
        question_bits=64,
    ),
)
"""The US four-fifths rule; the comparison of New York's Local Law 144, which names no limit, at
four fifths: it asks for sex, race or ethnicity, and their intersections, so a study that asks more
crosses that too, or lists its groups itself; equal true positive rates (Hardt, Price and Srebro
2016)."""
