"""Which thresholds a criterion takes, by how it holds groups against each other."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from mpc_engine.vocabulary.criteria import Bound

RANGES: dict[Bound, tuple[Callable[[Fraction], bool], str]] = {
    Bound.RATIO: (lambda value: 0 < value <= 100, "percentages above 0 and up to 100"),
    Bound.DIFFERENCE: (lambda value: 0 <= value <= 100, "percentage points from 0 to 100"),
    Bound.Z_TEST: (lambda value: 0 < value <= 20, "values of z above 0 and up to 20"),
    Bound.COVARIANCE: (lambda value: value >= 0, "0 or more"),
}
"""Which thresholds each kind of bound takes, in words too."""
