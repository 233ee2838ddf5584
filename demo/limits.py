"""Limits that tell the trained model from the other, whichever way round people's answers are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from demo.expectations import COVARIANCE, P_RULE, Measured
from mpc_engine.client.linear import decimal_text

COVARIANCE_ROOM = Fraction(5, 4)
"""The covariance limit keeps at least this factor to every covariance it is compared with."""
FOUR_FIFTHS_PERCENT = 80
"""The 80 % rule certifies."""
PERCENT_ROOM = 6
"""So many percentage points at least lie between it and every ratio it is compared with."""
PERCENTS = (50, 60, 70, 75, FOUR_FIFTHS_PERCENT, 85, 90, 95)


@dataclass(frozen=True)
class Limits:
    """A criterion's limits in rising order, one of which certifies."""

    criterion: str
    thresholds: tuple[str, ...]
    certify_at: str


def is_unfair(model: Measured) -> bool:
    """Return whether a model fails the 80 % rule with room to spare."""
    return model.percent + PERCENT_ROOM <= FOUR_FIFTHS_PERCENT


def separating_limits(
    passing: Sequence[Measured], failing: Sequence[Measured], unfair: Measured
) -> list[Limits]:
    """Return limits at which ``passing`` all pass and ``failing`` all fail, and so does ``unfair``.

    ``failing`` fail by the p%-rule, whatever their covariance, which is but a proxy of it;
    ``unfair`` fails by both. The list is empty where a criterion leaves no room for such a limit.
    """
    roomy = (
        all(is_unfair(one) for one in (*failing, unfair))
        and min(one.percent for one in passing) - PERCENT_ROOM >= FOUR_FIFTHS_PERCENT
    )
    covariance = _between_covariances(max(one.covariance for one in passing), unfair.covariance)
    if not roomy or covariance is None:
        return []
    covariances = [covariance * factor for factor in (Fraction(1, 2), 1, 2, 4)]
    return [
        Limits(P_RULE, tuple(str(value) for value in PERCENTS), str(FOUR_FIFTHS_PERCENT)),
        Limits(
            COVARIANCE,
            tuple(decimal_text(value) for value in covariances),
            decimal_text(covariance),
        ),
    ]


def _between_covariances(passing: Fraction, failing: Fraction) -> Fraction | None:
    """Return the middle of the two in steps of 0.0002, or None if it is too near to either."""
    middle = Fraction(round((passing + failing) / 2 * 5_000), 5_000)
    roomy = passing * COVARIANCE_ROOM <= middle <= failing / COVARIANCE_ROOM
    return middle if roomy else None
