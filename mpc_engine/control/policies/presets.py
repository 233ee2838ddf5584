"""Policies to start from, as data: what a form offers and a client can send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpc_engine.control.texts.canonical import JsonObject, JsonValue
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.policies import Comparison, Disclosure, MissingAnswers, SmallGroups


@dataclass(frozen=True)
class PolicyPreset:
    """A policy but for its groups and its minima of people; ``crosses``: also every two attributes.

    ``minimum_decided``: as `Policy` has it. ``question_bits``: a limit that pays for a few
    certifications of a usual cohort.
    """

    name: str
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
        """Return the fields of a policy of form 2 that the preset sets."""
        return {
            "form": 2,
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
        groups: list[JsonValue] = [[name] for name in attributes]
        if self.crosses:
            groups += [
                [name, other]
                for number, name in enumerate(attributes)
                for other in attributes[number + 1 :]
            ]
        return {
            **self.to_json(),
            "groups": groups,
            "minimum_group": minimum_group,
            "minimum_answers": minimum_answers,
        }


PRESETS = (
    PolicyPreset(
        name="four_fifths",
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
        criterion=CriterionName.TRUE_POSITIVE_RATE_DIFFERENCE,
        thresholds=("5", "10"),
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
four fifths; equal true positive rates (Hardt, Price and Srebro 2016)."""
