"""Labels of the two parties, of what they run together, and of the stages of a run."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.labels.label import Label
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind, JobState, QuestionKind, Stage

ROLES = {
    Role.MODELER: Label(_("Modeler")),
    Role.REGULATOR: Label(_("Regulator")),
}
JOB_KINDS = {
    JobKind.CLOSING: Label(_("Closing")),
    JobKind.CERTIFICATION: Label(_("Certification")),
    JobKind.TRAINING: Label(_("Training")),
    JobKind.VERIFICATION: Label(_("Verification of decisions")),
}
JOB_STATES = {
    JobState.QUEUED: Label(_("Waiting for its turn")),
    JobState.RUNNING: Label(_("Running")),
    JobState.DONE: Label(_("Done")),
    JobState.FAILED: Label(_("Failed")),
    JobState.CANCELLED: Label(_("Cancelled")),
}
QUESTION_KINDS = {
    QuestionKind.CERTIFICATION: JOB_KINDS[JobKind.CERTIFICATION],
    QuestionKind.TRAINING: JOB_KINDS[JobKind.TRAINING],
}
STAGES = {
    Stage.SET_UP: Label(_("getting ready"), _("The parties are getting ready")),
    Stage.OBLIVIOUS_TRANSFER: Label(
        _("exchanging keys"), _("Exchanging keys without revealing choices")
    ),
    Stage.PREPARED_MATERIAL: Label(
        _("using what was prepared"), _("Entering the model, hidden, into what was prepared")
    ),
    Stage.CHECKING_ANSWERS: Label(
        _("checking answers"), _("Checking that every answer is one answer")
    ),
    Stage.CONSTRAINTS: Label(
        _("sums for constraints"), _("Adding up over people for the constraints, hidden")
    ),
    Stage.SUMS_OVER_PEOPLE: Label(_("sums over people"), _("Adding up over people, hidden")),
    Stage.COUNTING_DECISIONS: Label(
        _("counting decisions"), _("Counting, hidden, how the people of each group are decided")
    ),
    Stage.VERDICT_AND_SIGNATURE: Label(
        _("verdict and signature"), _("Comparing with the policy, hidden, and signing the verdict")
    ),
    Stage.DECISIONS: Label(_("checking decisions"), _("Checking decisions, hidden")),
    Stage.MATERIAL: Label(_("preparing a training"), _("Preparing random numbers for a training")),
    Stage.TRAINING: Label(_("steps of training"), _("Training the model, hidden")),
    Stage.OTHER: Label(_("other"), _("Working on a further step")),
}
"""In figures by the title; on the page of a running job by the sentence, without its full stop."""
