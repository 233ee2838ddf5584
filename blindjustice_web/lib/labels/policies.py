"""Labels of what a policy can name: criteria, what they compare, and its choices."""

from __future__ import annotations

from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.labels.label import Label, Text
from mpc_engine.vocabulary.criteria import Bound, CriterionName
from mpc_engine.vocabulary.policies import Comparison, Disclosure, MissingAnswers, SmallGroups
from mpc_engine.vocabulary.rates import Count, RateName

COUNTS = {
    Count.SIZE: Label(_("People")),
    Count.SELECTED: Label(_("Selected")),
    Count.TRUE_POSITIVES: Label(_("Rightly selected")),
    Count.FALSE_POSITIVES: Label(_("Wrongly selected")),
    Count.TRUE_NEGATIVES: Label(_("Rightly not selected")),
    Count.FALSE_NEGATIVES: Label(_("Wrongly not selected")),
}
RATES = {
    RateName.ACCEPTANCE: Label(_("Acceptance rate")),
    RateName.ACCURACY: Label(_("Accuracy")),
    RateName.TRUE_POSITIVE: Label(_("True positive rate")),
    RateName.TRUE_NEGATIVE: Label(_("True negative rate")),
    RateName.FALSE_POSITIVE: Label(_("False positive rate")),
    RateName.POSITIVE_PREDICTIVE: Label(_("Positive predictive value")),
    RateName.NEGATIVE_PREDICTIVE: Label(_("Negative predictive value")),
}
BOUNDS = {
    Bound.RATIO: Label(_("{what}, ratio"), _("At least so many percent of the other's (ratio)")),
    Bound.DIFFERENCE: Label(
        _("{what}, difference"), _("At most so many percentage points apart (difference)")
    ),
    Bound.Z_TEST: Label(
        _("{what}, z test"), _("Beside one of these: no significant difference (z test)")
    ),
    Bound.COVARIANCE: Label(_("{what}, covariance"), _("Beside one of these: the score")),
}
"""How a criterion with such a bound is called, and the heading that such criteria stand under."""
_SEVERAL_RATES: dict[tuple[RateName, ...], Text] = {
    (RateName.TRUE_POSITIVE, RateName.FALSE_POSITIVE): _("Equalised odds"),
}
_BY_NAME = {
    CriterionName.P_RULE: Label(
        _("p%-rule"),
        _(
            "How often each group gets the favourable decision, compared with the others: with a "
            "limit of 80 %, the least favoured group must get it at least 80 % as often as the "
            "most favoured one. Only decisions count."
        ),
    ),
    CriterionName.COVARIANCE: Label(
        _("Covariance"),
        _(
            "How strongly the model's score moves together with belonging to a group. It depends "
            "on the scale of the score: a model divided by 1000 decides the same and passes any "
            "limit. So it is an auxiliary measure, asked beside the p%-rule only."
        ),
    ),
}
"""Criteria that go by a name of their own; any other is called by its rates and its bound."""


def _in_place(pattern: Text, what: Text) -> str:
    return str(pattern).format(what=what)


_called = lazy(_in_place, str)


def _criterion(name: CriterionName) -> Label:
    if name in _BY_NAME:
        return _BY_NAME[name]
    what = _SEVERAL_RATES.get(name.rates) or RATES[name.rates[0]].title
    return Label(_called(BOUNDS[name.bound].title, what))


CRITERIA = {name: _criterion(name) for name in CriterionName}
COMPARISONS = {
    Comparison.EACH_PAIR: Label(_("Every two groups with each other")),
    Comparison.EACH_AGAINST_REST: Label(_("Each group with all the others together")),
    Comparison.MOST_SELECTED: Label(_("Each group with the one that is selected most often")),
}
SMALL_GROUPS = {
    SmallGroups.UNDETERMINED: Label(_("a smaller group gives no verdict")),
    SmallGroups.EXCLUDED: Label(_("a smaller group is left out")),
    SmallGroups.EXCLUDED_AND_NAMED: Label(_("a smaller group is left out, and named")),
}
MISSING_ANSWERS = {
    MissingAnswers.LEFT_OUT: Label(_("they are left out")),
    MissingAnswers.BOUNDS_SHOWN: Label(
        _("they are left out; the worst and the best case are told too")
    ),
    MissingAnswers.WORST_CASE_CERTIFIES: Label(
        _("the model must pass in the worst case, whatever groups they are in")
    ),
}
DISCLOSURES = {
    Disclosure.VERDICT: Label(_("Verdicts only")),
    Disclosure.BRACKET: Label(_("A bracket: the value to the nearest 5 %")),
    Disclosure.TABLE: Label(_("The table: counts of every group")),
}
