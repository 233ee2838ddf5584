"""Words for the codes of one subject: programs: the client library and experiments."""

from __future__ import annotations

from mpc_engine.error_words.rows import NOTHING, UNSENT, UNWRITTEN, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("Programs: the client library and experiments")
WORDS = {
    "LAB_REPORT_INVALID": Words(
        _(
            "The file is no report of the lab that this version reads: it is no JSON, too large, "
            "of another format, or has a field that a report does not have."
        ),
        _("Nothing was published; a report that was published before is still shown."),
        _("Run the lab of this version again, and publish the folder that it writes."),
    ),
    "PROPOSAL_DIFFERENT": Words(
        _("What the site put up to be signed is not what was meant."),
        _("Nothing was signed."),
        _(
            "Do not sign. Read the proposal, and tell the other side and the site's operator if "
            "it was altered."
        ),
    ),
    "RESULT_DIFFERENT": Words(
        _("The result that the site handed out is of another job."),
        _("The result was not used."),
        _("Ask for the result of this job again; if it stays so, tell the site's operator."),
    ),
    "RECEIPT_DIFFERENT": Words(
        _("A party's receipt is for something else than was sent."),
        _("The answer counts only with two receipts that fit it."),
        _("Send the answer again; if it stays so, tell the operator of that party."),
    ),
    "ANSWER_DIFFERENT": Words(
        _("The signed answer does not speak of this challenge."),
        _("The answer was not used."),
        _("Ask for the answer of this case again; if it stays so, tell the regulator."),
    ),
    "CONFIGURATION_OTHER": Words(
        _("The site gave the configuration of another study."),
        UNSENT,
        _("Check the study's number; if it is right, tell the site's operator."),
    ),
    "PARTY_MISSING": Words(
        _("The site does not name both parties."),
        UNSENT,
        _("Wait until both parties have published their keys to the site."),
    ),
    "LOG_IN_REFUSED": Words(
        _("The site did not accept this e-mail and password."),
        UNSENT,
        _(
            "Check both, and that the account exists at this site. After several failures the "
            "account is locked for some minutes."
        ),
    ),
    "SITE_REFUSED": Words(
        _(
            "The site refused a request without a code of its own; the sentence names its reason "
            "or status."
        ),
        NOTHING,
        _("Try again in a minute. If it stays so, tell the site's operator the sentence."),
    ),
    "MODEL_DIFFERENT": Words(
        _("The model that the site handed out is not the one that the party signed."),
        _("No file was saved. The model is not lost: the modeler's party keeps it."),
        _("Have the party's operator write it with “export-model”, and tell the site's operator."),
    ),
    "MODEL_FOR_OTHER_KEY": Words(
        _("The model was sealed to another key than the one given."),
        _("No file was saved. The model is not lost: the modeler's party keeps it."),
        _(
            "Open it with the key that the job named, or have the party's operator write it with "
            "“export-model”."
        ),
    ),
    "MODEL_FEATURES_DIFFER": Words(
        _("The fitted model has other columns than the study asks for."),
        UNWRITTEN,
        _("Fit the model on the study's columns, by their names."),
    ),
    "MODEL_FAVOURABLE_UNKNOWN": Words(
        _("It is not said, or not known, which of the model's two labels is the favourable one."),
        UNWRITTEN,
        _("Give favourable= one of the model's labels."),
    ),
    "MODEL_NOT_FITTED": Words(
        _("The model is not fitted, or not linear."),
        UNWRITTEN,
        _("Fit it first; logistic regression and linear support vector machines can be exported."),
    ),
    "MODEL_NOT_SUPPORTED": Words(
        _("The model has a step or a number of classes that can't be exported."),
        UNWRITTEN,
        _("Use two classes, and at most a StandardScaler before the linear model."),
    ),
    "TARGET_NOT_ASKED": Words(
        _("The certifying policy asks for no p%-rule at the target or above it."),
        _("Nothing was proposed."),
        _("Choose a target that the policy asks for, or another policy."),
    ),
    "NOT_FITTED": Words(
        _("The model was not fitted yet."),
        NOTHING,
        _("Call fit first, or load a fitted model."),
    ),
    "PARTY_FAILED": Words(
        _("A party's process ended without a result and could not say why."),
        _("Both processes have ended; nothing was written."),
        _("Fit again; if it happens again, look for want of memory."),
    ),
    "TIME_LIMIT": Words(
        _("The fit took longer than its time limit."),
        _("Both processes have ended; nothing was written."),
        _("Raise the time limit, or use fewer steps or rows."),
    ),
}
