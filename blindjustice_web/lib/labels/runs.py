"""Labels of the two parties, of what they run together, and of the stages of a run."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.labels.label import WordLabel
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind, JobState, QuestionKind, Stage

ROLES = {
    Role.MODELER: WordLabel(_("Modeler")),
    Role.REGULATOR: WordLabel(_("Regulator")),
}
JOB_KINDS = {
    JobKind.CLOSING: WordLabel(_("Closing")),
    JobKind.CERTIFICATION: WordLabel(_("Certification")),
    JobKind.TRAINING: WordLabel(_("Training")),
    JobKind.VERIFICATION: WordLabel(_("Verification of decisions")),
}
JOB_STATES = {
    JobState.QUEUED: WordLabel(_("Waiting for its turn")),
    JobState.RUNNING: WordLabel(_("Running")),
    JobState.DONE: WordLabel(_("Done")),
    JobState.FAILED: WordLabel(_("Failed")),
    JobState.CANCELLED: WordLabel(_("Cancelled")),
}
QUESTION_KINDS = {
    QuestionKind.CERTIFICATION: JOB_KINDS[JobKind.CERTIFICATION],
    QuestionKind.TRAINING: JOB_KINDS[JobKind.TRAINING],
}
STAGES = {
    Stage.SET_UP: WordLabel(_("getting ready"), _("The parties are getting ready")),
    Stage.OBLIVIOUS_TRANSFER: WordLabel(
        _("exchanging keys"), _("Exchanging keys without revealing choices")
    ),
    Stage.PREPARED_MATERIAL: WordLabel(
        _("using what was prepared"), _("Entering the model, hidden, into what was prepared")
    ),
    Stage.CHECKING_ANSWERS: WordLabel(
        _("checking answers"), _("Checking that every answer is one answer")
    ),
    Stage.CONSTRAINTS: WordLabel(
        _("sums for constraints"), _("Adding up over people for the constraints, hidden")
    ),
    Stage.SUMS_OVER_PEOPLE: WordLabel(_("sums over people"), _("Adding up over people, hidden")),
    Stage.COUNTING_DECISIONS: WordLabel(
        _("counting decisions"), _("Counting, hidden, how the people of each group are decided")
    ),
    Stage.VERDICT_AND_SIGNATURE: WordLabel(
        _("verdict and signature"), _("Comparing with the policy, hidden, and signing the verdict")
    ),
    Stage.DECISIONS: WordLabel(_("checking decisions"), _("Checking decisions, hidden")),
    Stage.MATERIAL: WordLabel(
        _("preparing a training"), _("Preparing random numbers for a training")
    ),
    Stage.TRAINING: WordLabel(_("steps of training"), _("Training the model, hidden")),
    Stage.OTHER: WordLabel(_("other"), _("Working on a further step")),
}
"""In figures by the title; on the page of a running job by the sentence, without its full stop."""
