"""The limits of the p%-rule that models are judged by, and whether they tell models apart."""

from __future__ import annotations

from collections.abc import Sequence

from demo.expectations import Measured

FOUR_FIFTHS_PERCENT = 80
"""The 80 % rule certifies."""
PERCENT_ROOM = 6
"""So many percentage points at least lie between it and every ratio it is compared with."""
CERTIFY_AT = str(FOUR_FIFTHS_PERCENT)
THRESHOLDS = ("50", "60", "70", "75", CERTIFY_AT, "85", "90", "95")
"""What is tried, in percent, in rising order."""


def is_unfair(model: Measured) -> bool:
    """Return whether a model fails the 80 % rule with room to spare."""
    return model.percent + PERCENT_ROOM <= FOUR_FIFTHS_PERCENT


def are_apart(passing: Sequence[Measured], failing: Sequence[Measured]) -> bool:
    """Return whether all ``passing`` pass and all ``failing`` fail, with room to spare."""
    return all(is_unfair(one) for one in failing) and all(
        one.percent - PERCENT_ROOM >= FOUR_FIFTHS_PERCENT for one in passing
    )
