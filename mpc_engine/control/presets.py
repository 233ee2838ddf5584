"""Policies to start from, as data: what a form offers and a client can send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpc_engine.control.canonical import JsonObject, JsonValue
from mpc_engine.control.policy import (
    EACH_PAIR,
    EXCLUDED_AND_NAMED,
    LEFT_OUT,
    MOST_SELECTED,
    TABLE,
    UNDETERMINED,
    VERDICT,
)


@dataclass(frozen=True)
class Preset:
    """A policy but for its groups and its minima; ``crosses``: also every two attributes."""

    name: str
    criterion: str
    thresholds: tuple[str, ...]
    certify_at: str
    comparison: str
    minimum_percent: str
    small_groups: str
    disclosure: str
    crosses: bool

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
            "minimum_percent": self.minimum_percent,
            "small_groups": self.small_groups,
            "missing_answers": LEFT_OUT,
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
    Preset("four_fifths", "p_rule", ("80",), "80", EACH_PAIR, "0", UNDETERMINED, VERDICT, False),
    Preset(
        "nyc_ll144", "p_rule", ("80",), "80", MOST_SELECTED, "2", EXCLUDED_AND_NAMED, TABLE, True
    ),
    Preset(
        "equal_opportunity",
        "true_positive_rate_difference",
        ("5", "10"),
        "10",
        EACH_PAIR,
        "0",
        UNDETERMINED,
        VERDICT,
        False,
    ),
)
"""The US four-fifths rule; the comparison of New York's Local Law 144, which names no limit, at
four fifths; equal true positive rates (Hardt, Price and Srebro 2016)."""
