"""Labels of what a policy can name: criteria, what they compare, and its choices."""

from __future__ import annotations

from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.labels.label import WordLabel
from blindjustice_web.lib.problems import Text
from mpc_engine.vocabulary.criteria import Bound, CriterionName
from mpc_engine.vocabulary.policies import (
    Comparison,
    Disclosure,
    MissingAnswers,
    SmallGroups,
    StudyKind,
)
from mpc_engine.vocabulary.rates import Count, RateName

COUNTS = {
    Count.SIZE: WordLabel(_("People")),
    Count.SELECTED: WordLabel(_("Selected")),
    Count.TRUE_POSITIVES: WordLabel(_("Rightly selected")),
    Count.FALSE_POSITIVES: WordLabel(_("Wrongly selected")),
    Count.TRUE_NEGATIVES: WordLabel(_("Rightly not selected")),
    Count.FALSE_NEGATIVES: WordLabel(_("Wrongly not selected")),
}
RATES = {
    RateName.ACCEPTANCE: WordLabel(_("Acceptance rate")),
    RateName.ACCURACY: WordLabel(_("Accuracy")),
    RateName.TRUE_POSITIVE: WordLabel(_("True positive rate")),
    RateName.TRUE_NEGATIVE: WordLabel(_("True negative rate")),
    RateName.FALSE_POSITIVE: WordLabel(_("False positive rate")),
    RateName.POSITIVE_PREDICTIVE: WordLabel(_("Positive predictive value")),
    RateName.NEGATIVE_PREDICTIVE: WordLabel(_("Negative predictive value")),
}
BOUNDS = {
    Bound.RATIO: WordLabel(
        _("{what}, ratio"), _("At least so many percent of the other's (ratio)")
    ),
    Bound.DIFFERENCE: WordLabel(
        _("{what}, difference"), _("At most so many percentage points apart (difference)")
    ),
    Bound.Z_TEST: WordLabel(
        _("{what}, z test"), _("Beside one of these: no significant difference (z test)")
    ),
    Bound.COVARIANCE: WordLabel(_("{what}, covariance"), _("In trainings only: the score")),
}
"""How a criterion with such a bound is called, and the heading that such criteria stand under."""
_SEVERAL_RATES: dict[tuple[RateName, ...], Text] = {
    (RateName.TRUE_POSITIVE, RateName.FALSE_POSITIVE): _("Equalised odds"),
}
_BY_NAME = {
    CriterionName.P_RULE: WordLabel(
        _("p%-rule"),
        _(
            "How often each group gets the favourable decision, compared with the others: with a "
            "limit of 80 %, the least favoured group must get it at least 80 % as often as the "
            "most favoured one. Only decisions count."
        ),
    ),
    CriterionName.COVARIANCE: WordLabel(
        _("Covariance"),
        _(
            "How strongly the model's score moves together with belonging to a group. It depends "
            "on the scale of the score: a model divided by 1000 decides the same and passes any "
            "limit. Trainings bound it; no study is judged by it."
        ),
    ),
}
"""Criteria that go by a name of their own; any other is called by its rates and its bound."""


def _in_place(pattern: Text, what: Text) -> str:
    return str(pattern).format(what=what)


_called = lazy(_in_place, str)


def _criterion(name: CriterionName) -> WordLabel:
    if name in _BY_NAME:
        return _BY_NAME[name]
    what = _SEVERAL_RATES.get(name.rates) or RATES[name.rates[0]].title
    return WordLabel(_called(BOUNDS[name.bound].title, what))


CRITERIA = {name: _criterion(name) for name in CriterionName}
STUDY_KINDS = {
    StudyKind.VERDICT: WordLabel(_("Verdicts: whether a model passes, and nothing else")),
    StudyKind.PUBLISHED: WordLabel(_("Published numbers: exact, by group if so agreed")),
}
COMPARISONS = {
    Comparison.EACH_PAIR: WordLabel(_("Every two groups with each other")),
    Comparison.EACH_AGAINST_REST: WordLabel(_("Each group with all the others together")),
    Comparison.MOST_SELECTED: WordLabel(_("Each group with the one that is selected most often")),
}
SMALL_GROUPS = {
    SmallGroups.UNDETERMINED: WordLabel(_("a smaller group gives no verdict")),
    SmallGroups.EXCLUDED: WordLabel(_("a smaller group is left out")),
    SmallGroups.EXCLUDED_AND_NAMED: WordLabel(_("a smaller group is left out, and named")),
}
MISSING_ANSWERS = {
    MissingAnswers.LEFT_OUT: WordLabel(_("they are left out")),
    MissingAnswers.BOUNDS_SHOWN: WordLabel(
        _("they are left out; the worst and the best case are told too")
    ),
    MissingAnswers.WORST_CASE_CERTIFIES: WordLabel(
        _("the model must pass in the worst case, whatever groups they are in")
    ),
}
DISCLOSURES = {
    Disclosure.VERDICT: WordLabel(_("Verdicts only")),
    Disclosure.BRACKET: WordLabel(_("A bracket: the value to the nearest 5 %")),
    Disclosure.TABLE: WordLabel(_("The table: counts of every group")),
}
