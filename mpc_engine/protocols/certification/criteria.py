"""The criteria of this version: the covariance, and bounds on rates by name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mpc_engine.fairness.comparisons import Bound, Comparison
from mpc_engine.fairness.rates import RateName


class CriterionName(StrEnum):
    """Every criterion; the p%-rule is the ratio of acceptance rates."""

    COVARIANCE = "covariance"
    P_RULE = "p_rule"
    ACCEPTANCE_RATE_DIFFERENCE = "acceptance_rate_difference"
    ACCEPTANCE_RATE_Z_TEST = "acceptance_rate_z_test"
    ACCURACY_RATIO = "accuracy_ratio"
    ACCURACY_DIFFERENCE = "accuracy_difference"
    ACCURACY_Z_TEST = "accuracy_z_test"
    TRUE_POSITIVE_RATE_RATIO = "true_positive_rate_ratio"
    TRUE_POSITIVE_RATE_DIFFERENCE = "true_positive_rate_difference"
    TRUE_POSITIVE_RATE_Z_TEST = "true_positive_rate_z_test"
    TRUE_NEGATIVE_RATE_RATIO = "true_negative_rate_ratio"
    TRUE_NEGATIVE_RATE_DIFFERENCE = "true_negative_rate_difference"
    TRUE_NEGATIVE_RATE_Z_TEST = "true_negative_rate_z_test"
    POSITIVE_PREDICTIVE_VALUE_RATIO = "positive_predictive_value_ratio"
    POSITIVE_PREDICTIVE_VALUE_DIFFERENCE = "positive_predictive_value_difference"
    POSITIVE_PREDICTIVE_VALUE_Z_TEST = "positive_predictive_value_z_test"
    NEGATIVE_PREDICTIVE_VALUE_RATIO = "negative_predictive_value_ratio"
    NEGATIVE_PREDICTIVE_VALUE_DIFFERENCE = "negative_predictive_value_difference"
    NEGATIVE_PREDICTIVE_VALUE_Z_TEST = "negative_predictive_value_z_test"
    EQUALISED_ODDS_RATIO = "equalised_odds_ratio"
    EQUALISED_ODDS_DIFFERENCE = "equalised_odds_difference"


@dataclass(frozen=True)
class RateCriterion:
    """A bound that the groups' rates keep to, each rate by itself."""

    rates: tuple[RateName, ...]
    bound: Bound

    @property
    def conditional(self) -> bool:
        """Return whether a rate is about some of a group's people only, or about known outcomes."""
        return self.rates != (RateName.ACCEPTANCE,)

    def bounds_missing_answers(self, comparison: Comparison) -> bool:
        """Return whether a worst case is known: not of z, nor where the reference could change.

        Against the most selected group, acceptance rates are compared as in every pair.
        """
        if comparison is Comparison.MOST_SELECTED and self.conditional:
            return False
        return self.bound is not Bound.Z_TEST


_EQUALISED_ODDS = "equalised_odds"
_ODDS = (RateName.TRUE_POSITIVE, RateName.FALSE_POSITIVE)
"""Hardt et al. (2016): groups are alike in both; the ratio of true negative rates says less."""


def _read(name: CriterionName) -> RateCriterion:
    if name is CriterionName.P_RULE:
        return RateCriterion((RateName.ACCEPTANCE,), Bound.RATIO)
    bound = next(bound for bound in Bound if name.endswith(f"_{bound.value}"))
    rate = name.removesuffix(f"_{bound.value}")
    return RateCriterion(_ODDS if rate == _EQUALISED_ODDS else (RateName(rate),), bound)


RATE_CRITERIA: dict[CriterionName, RateCriterion] = {
    name: _read(name) for name in CriterionName if name is not CriterionName.COVARIANCE
}
"""What each criterion on rates compares."""

_COVARIANCE_MODEL = (
    "malicious modeler (bound re-entry 2^-61, OT consistency 2^-94), semi-honest regulator"
)
_RATES_MODEL = (
    "malicious modeler (keyed products, bound re-entry 2^-61, OT consistency 2^-94), "
    "semi-honest regulator"
)

SECURITY_MODELS = dict.fromkeys(RATE_CRITERIA, _RATES_MODEL) | {
    CriterionName.COVARIANCE: _COVARIANCE_MODEL
}
"""Under what each criterion is checked; certificates carry it (docs/protocols/security.md)."""
