"""Labels of how certifications, verifications and questions end, and why there is no verdict."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.labels.label import WordLabel
from mpc_engine.vocabulary.runs import QuestionOutcome
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict, VerificationResult

VERDICTS = {
    Verdict.PASS: WordLabel(_("Passes")),
    Verdict.FAIL: WordLabel(_("Does not pass")),
    Verdict.UNDETERMINED: WordLabel(_("Can't be decided")),
}
REASONS = {
    NoVerdict.TOO_FEW_ANSWERS: WordLabel(
        _("Too few answers"), _("Fewer people answered a question than the policy asks for.")
    ),
    NoVerdict.GROUP_UNDER_FLOOR: WordLabel(
        _("A group is too small"),
        _(
            "A group is smaller than the policy asks for, or empty: which of the two, and which "
            "group, is not told."
        ),
    ),
    NoVerdict.TOO_FEW_GROUPS: WordLabel(
        _("Too few groups"),
        _("Fewer than two groups are as large as the policy asks for, so nothing is compared."),
    ),
    NoVerdict.TOO_FEW_DECIDED: WordLabel(
        _("Too few decisions of one kind"),
        _(
            "In one of the groups the model decides for too few people, or against too few, so "
            "that a verdict could tell about single people. Where rates about outcomes are "
            "compared, this also holds for those."
        ),
    ),
}
VERIFICATIONS = {
    VerificationResult.CONFIRMED: WordLabel(
        _("Decision confirmed"), _("The certified model gives exactly the decision you were told.")
    ),
    VerificationResult.DIFFERENT_DECISION: WordLabel(
        _("The certified model decides differently"),
        _(
            "The model in use is the certified one, but on your values it decides differently "
            "from what you were told."
        ),
    ),
    VerificationResult.DIFFERENT_MODEL: WordLabel(
        _("The model in use is not the certified one"),
        _(
            "The model the modeler uses is not the one that was certified. Nothing can be said "
            "about your decision under the certificate."
        ),
    ),
    VerificationResult.NOT_ANSWERED: WordLabel(
        _("No answer in time"),
        _(
            "The modeler did not answer in time. This counts against the certificate, not "
            "against you."
        ),
    ),
}
"""What a challenge found, and what that means for the person."""
QUESTION_OUTCOMES = {
    QuestionOutcome.RUNNING: WordLabel(_("Being computed")),
    QuestionOutcome.ABORTED: WordLabel(_("Aborted; counted all the same")),
    QuestionOutcome.PASS: WordLabel(_("Passed")),
    QuestionOutcome.FAIL: WordLabel(_("Did not pass")),
    QuestionOutcome.UNDETERMINED: WordLabel(_("No verdict")),
    QuestionOutcome.REFUSED: WordLabel(
        _("Refused by the modeler; counts like one that did not pass")
    ),
    QuestionOutcome.UNDELIVERED: WordLabel(
        _("Not delivered in time; counts like one that did not pass")
    ),
    QuestionOutcome.MODEL_OPENED: WordLabel(_("A model was opened")),
}
