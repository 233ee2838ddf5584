"""The criteria that a policy can name: which rates of two groups each compares, and how."""

from __future__ import annotations

from enum import StrEnum

from mpc_engine.vocabulary.policies import Comparison
from mpc_engine.vocabulary.rates import RateName


class Bound(StrEnum):
    """How two groups are held against each other; the covariance bounds a score, not rates."""

    RATIO = "ratio"
    DIFFERENCE = "difference"
    Z_TEST = "z_test"
    COVARIANCE = "covariance"


_ODDS = (RateName.TRUE_POSITIVE, RateName.FALSE_POSITIVE)
"""Hardt et al. (2016): groups are alike in both; the ratio of true negative rates says less."""
_WHAT_OF_SEVERAL: dict[tuple[RateName, ...], str] = {
    _ODDS: "how often “%(yes)s” is decided for those whose outcome is “%(yes)s”, and for those "
    "whose outcome is “%(no)s”,"
}


class CriterionName(StrEnum):
    """Every criterion: its name, its bound, and the rates that keep to it, each by itself.

    The p%-rule is the ratio of acceptance rates.
    """

    bound: Bound
    rates: tuple[RateName, ...]

    def __new__(cls, word: str, bound: Bound = Bound.COVARIANCE, *rates: RateName) -> CriterionName:
        """Return the criterion of a name with what belongs to it."""
        criterion = str.__new__(cls, word)
        criterion._value_ = word
        criterion.bound, criterion.rates = bound, rates
        return criterion

    P_RULE = "p_rule", Bound.RATIO, RateName.ACCEPTANCE
    COVARIANCE = "covariance"
    ACCEPTANCE_RATE_DIFFERENCE = (
        "acceptance_rate_difference",
        Bound.DIFFERENCE,
        RateName.ACCEPTANCE,
    )
    ACCEPTANCE_RATE_Z_TEST = "acceptance_rate_z_test", Bound.Z_TEST, RateName.ACCEPTANCE
    ACCURACY_RATIO = "accuracy_ratio", Bound.RATIO, RateName.ACCURACY
    ACCURACY_DIFFERENCE = "accuracy_difference", Bound.DIFFERENCE, RateName.ACCURACY
    ACCURACY_Z_TEST = "accuracy_z_test", Bound.Z_TEST, RateName.ACCURACY
    TRUE_POSITIVE_RATE_RATIO = ("true_positive_rate_ratio", Bound.RATIO, RateName.TRUE_POSITIVE)
    TRUE_POSITIVE_RATE_DIFFERENCE = (
        "true_positive_rate_difference",
        Bound.DIFFERENCE,
        RateName.TRUE_POSITIVE,
    )
    TRUE_POSITIVE_RATE_Z_TEST = ("true_positive_rate_z_test", Bound.Z_TEST, RateName.TRUE_POSITIVE)
    TRUE_NEGATIVE_RATE_RATIO = ("true_negative_rate_ratio", Bound.RATIO, RateName.TRUE_NEGATIVE)
    TRUE_NEGATIVE_RATE_DIFFERENCE = (
        "true_negative_rate_difference",
        Bound.DIFFERENCE,
        RateName.TRUE_NEGATIVE,
    )
    TRUE_NEGATIVE_RATE_Z_TEST = ("true_negative_rate_z_test", Bound.Z_TEST, RateName.TRUE_NEGATIVE)
    POSITIVE_PREDICTIVE_VALUE_RATIO = (
        "positive_predictive_value_ratio",
        Bound.RATIO,
        RateName.POSITIVE_PREDICTIVE,
    )
    POSITIVE_PREDICTIVE_VALUE_DIFFERENCE = (
        "positive_predictive_value_difference",
        Bound.DIFFERENCE,
        RateName.POSITIVE_PREDICTIVE,
    )
    POSITIVE_PREDICTIVE_VALUE_Z_TEST = (
        "positive_predictive_value_z_test",
        Bound.Z_TEST,
        RateName.POSITIVE_PREDICTIVE,
    )
    NEGATIVE_PREDICTIVE_VALUE_RATIO = (
        "negative_predictive_value_ratio",
        Bound.RATIO,
        RateName.NEGATIVE_PREDICTIVE,
    )
    NEGATIVE_PREDICTIVE_VALUE_DIFFERENCE = (
        "negative_predictive_value_difference",
        Bound.DIFFERENCE,
        RateName.NEGATIVE_PREDICTIVE,
    )
    NEGATIVE_PREDICTIVE_VALUE_Z_TEST = (
        "negative_predictive_value_z_test",
        Bound.Z_TEST,
        RateName.NEGATIVE_PREDICTIVE,
    )
    EQUALISED_ODDS_RATIO = "equalised_odds_ratio", Bound.RATIO, *_ODDS
    EQUALISED_ODDS_DIFFERENCE = "equalised_odds_difference", Bound.DIFFERENCE, *_ODDS

    @property
    def what(self) -> str:
        """Return what is compared, as part of a sentence (`RateName.what`); "" of no rates."""
        if len(self.rates) == 1:
            return self.rates[0].what
        return _WHAT_OF_SEVERAL.get(self.rates, "")

    @property
    def is_conditional(self) -> bool:
        """Return whether a rate is about some of a group's people only, or about known outcomes."""
        return self.rates != (RateName.ACCEPTANCE,)

    @property
    def is_stricter_above(self) -> bool:
        """Return whether a higher threshold asks for more."""
        return self.bound is Bound.RATIO

    def bounds_missing_answers(self, comparison: Comparison) -> bool:
        """Return whether a worst case is known: not of z, nor where the reference could change.

        Against the most selected group, acceptance rates are compared as in every pair.
        """
        if comparison is Comparison.MOST_SELECTED and self.is_conditional:
            return False
        return self.bound in (Bound.RATIO, Bound.DIFFERENCE)


RATE_CRITERIA = tuple(name for name in CriterionName if name.rates)
"""The criteria on rates, in order: all but the covariance."""
