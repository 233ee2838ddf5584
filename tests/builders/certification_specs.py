"""Certifications as small as a test needs them: a criterion or two on two groups."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpc_engine.fairness.comparisons import Comparison
from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.spec import CertificationSpec, Criterion, CriterionName


def limits_on(name: CriterionName | str, *thresholds: Fraction | int, index: int = 0) -> Criterion:
    """Return a criterion that certifies at its threshold of that index."""
    limits = tuple(Fraction(threshold) for threshold in thresholds)
    return Criterion(CriterionName(name), limits, limits[index])


def covariance(*thresholds: Fraction | int, index: int = 0) -> Criterion:
    """Return limits on the covariance of score and group."""
    return limits_on(CriterionName.COVARIANCE, *thresholds, index=index)


def p_rule(*percents: Fraction | int, index: int = 0) -> Criterion:
    """Return limits on the p%-rule."""
    return limits_on(CriterionName.P_RULE, *percents, index=index)


def certification_spec(*criteria: Criterion, **changes: Any) -> CertificationSpec:
    """Return a certification of two features on one attribute of two categories, with changes.

    Features, encoded, are from -512 to 512. An attribute has an entry more than categories.
    """
    values: dict[str, Any] = {
        "config_digest": b"\x21" * 32,
        "x_frac_bits": 8,
        "theta_bits": 24,
        "theta_frac_bits": 16,
        "entry_counts": (3,),
        "feature_ranges": ((-512, 512), (-512, 512)),
        "comparison": Comparison.EACH_PAIR,
        "floors": Floors(1, 1, 1),
        **changes,
    }
    return CertificationSpec(criteria=criteria, n_features=len(values["feature_ranges"]), **values)


SMALL_SPEC = certification_spec(
    p_rule(1),
    covariance(1000),
    x_frac_bits=2,
    theta_bits=8,
    theta_frac_bits=2,
    feature_ranges=((-64, 63),),
)
"""One feature and short numbers, for many runs; whoever selects some of each group passes."""
