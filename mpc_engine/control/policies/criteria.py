"""The criteria that a policy can name, as control texts know them.

A criterion on rates is a rate and how two groups' rates are held against each other, such as
``true_positive_rate_difference``; the p%-rule is the ratio of acceptance rates.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

P_RULE = "p_rule"
COVARIANCE = "covariance"
EQUALISED_ODDS = "equalised_odds"
RATIO, DIFFERENCE, Z_TEST = "ratio", "difference", "z_test"
ACCEPTANCE_RATE = "acceptance_rate"
FALSE_POSITIVE_RATE = "false_positive_rate"
"""Of equalised odds only: by itself it bounds what the true negative rate does, or errors."""
RATES = {
    ACCEPTANCE_RATE: ("size", "selected"),
    "accuracy": ("true_positives", "false_positives", "true_negatives", "false_negatives"),
    "true_positive_rate": ("true_positives", "false_negatives"),
    "true_negative_rate": ("true_negatives", "false_positives"),
    FALSE_POSITIVE_RATE: ("true_negatives", "false_positives"),
    "positive_predictive_value": ("true_positives", "false_positives"),
    "negative_predictive_value": ("true_negatives", "false_negatives"),
}
"""Every rate and what is counted of a group for it."""
COUNTS = (
    "size",
    "selected",
    "true_positives",
    "false_positives",
    "true_negatives",
    "false_negatives",
)
"""What can be counted of a group, in the order of a table's columns."""

RATE_CRITERIA: dict[str, tuple[tuple[str, ...], str]] = {
    P_RULE: ((ACCEPTANCE_RATE,), RATIO),
    **{
        f"{rate}_{bound}": ((rate,), bound)
        for rate in RATES
        for bound in (RATIO, DIFFERENCE, Z_TEST)
        if (rate, bound) != (ACCEPTANCE_RATE, RATIO) and rate != FALSE_POSITIVE_RATE
    },
    **{
        f"{EQUALISED_ODDS}_{bound}": (("true_positive_rate", FALSE_POSITIVE_RATE), bound)
        for bound in (RATIO, DIFFERENCE)
    },
}
"""The rates that each criterion compares, and how."""
CRITERIA = (P_RULE, COVARIANCE, *(name for name in RATE_CRITERIA if name != P_RULE))

RANGES: dict[str, tuple[Callable[[Fraction], bool], str]] = {
    RATIO: (lambda value: 0 < value <= 100, "percentages above 0 and up to 100"),
    DIFFERENCE: (lambda value: 0 <= value <= 100, "percentage points from 0 to 100"),
    Z_TEST: (lambda value: 0 < value <= 20, "values of z above 0 and up to 20"),
    COVARIANCE: (lambda value: value >= 0, "0 or more"),
}
"""Which thresholds each kind of bound takes, in words too."""


def bound_of(criterion: str) -> str:
    """Return how a criterion holds groups against each other; ``covariance`` for itself."""
    return COVARIANCE if criterion == COVARIANCE else RATE_CRITERIA[criterion][1]


def is_stricter_above(criterion: str) -> bool:
    """Return whether a higher threshold asks for more."""
    return bound_of(criterion) == RATIO
