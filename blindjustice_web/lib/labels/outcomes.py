"""Labels of how certifications, verifications and questions end, and why there is no verdict."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.labels.label import Label
from mpc_engine.vocabulary.runs import QuestionOutcome
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict, VerificationResult

VERDICTS = {
    Verdict.PASS: Label(_("Passes")),
    Verdict.FAIL: Label(_("Does not pass")),
    Verdict.UNDETERMINED: Label(_("Can't be decided")),
}
REASONS = {
    NoVerdict.TOO_FEW_ANSWERS: Label(
        _("Too few answers"), _("Fewer people answered a question than the policy asks for.")
    ),
    NoVerdict.GROUP_EMPTY: Label(
        _("A group is empty"),
        _("Nobody belongs to one of the groups, so there is nobody to compare with."),
    ),
    NoVerdict.GROUP_UNDER_FLOOR: Label(
        _("A group is too small"),
        _("A group is smaller than the policy asks for, so nothing is said about it."),
    ),
    NoVerdict.TOO_FEW_GROUPS: Label(
        _("Too few groups"),
        _("Fewer than two groups are as large as the policy asks for, so nothing is compared."),
    ),
    NoVerdict.NOBODY_SELECTED: Label(
        _("Nobody is selected"),
        _("The model decides in nobody's favour, so there are no rates to compare."),
    ),
    NoVerdict.NO_CASES: Label(
        _("A group has no such people"),
        _(
            "In one of the groups there is nobody whom a rate of the policy is about, so the group "
            "has no such rate."
        ),
    ),
    NoVerdict.RATE_ZERO: Label(
        _("A rate is zero"),
        _("A rate that the policy compares is zero in every group, so there is no ratio."),
    ),
}
VERIFICATIONS = {
    VerificationResult.CONFIRMED: Label(
        _("Decision confirmed"), _("The certified model gives exactly the decision you were told.")
    ),
    VerificationResult.DIFFERENT_DECISION: Label(
        _("The certified model decides differently"),
        _(
            "The model in use is the certified one, but on your values it decides differently "
            "from what you were told."
        ),
    ),
    VerificationResult.DIFFERENT_MODEL: Label(
        _("The model in use is not the certified one"),
        _(
            "The model the modeler uses is not the one that was certified. Nothing can be said "
            "about your decision under the certificate."
        ),
    ),
    VerificationResult.NOT_ANSWERED: Label(
        _("No answer in time"),
        _(
            "The modeler did not answer in time. This counts against the certificate, not "
            "against you."
        ),
    ),
}
"""What a challenge found, and what that means for the person."""
QUESTION_OUTCOMES = {
    QuestionOutcome.RUNNING: Label(_("Being computed")),
    QuestionOutcome.ABORTED: Label(_("Aborted; counted all the same")),
    QuestionOutcome.PASS: Label(_("Passed")),
    QuestionOutcome.FAIL: Label(_("Did not pass")),
    QuestionOutcome.UNDETERMINED: Label(_("No verdict")),
    QuestionOutcome.MODEL_OPENED: Label(_("A model was opened")),
}
