"""Words for the codes of one subject: studies, models and cases, as the site keeps them."""

from __future__ import annotations

from blindjustice_web.lib.error_words.kept import UNTOUCHED
from mpc_engine.error_words.rows import RUN, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("Studies, models and cases, as the site keeps them")
WORDS = {
    "STUDY_NOT_A_DRAFT": Words(
        _("Only a draft can be changed."),
        _("The study is as both sides read it."),
        _("Go on with it as it is, or draft another one."),
    ),
    "STUDY_ALREADY_SUBMITTED": Words(
        _("This study was submitted already."),
        _("The draft that was submitted counts."),
        _("Reload the page to see where it stands."),
    ),
    "STUDY_NOT_APPROVED": Words(
        _("Both parties must approve the configuration first."),
        UNTOUCHED,
        _("Have both organisations sign the configuration on the study's page."),
    ),
    "STUDY_NOT_OPEN": Words(
        _("The study is not open for answers now."),
        _("If you answered before, that answer counts."),
        _(
            "Before both organisations have signed it, wait for them. Once closed, it takes "
            "no more, and there is nothing to do."
        ),
    ),
    "DRAFT_TOO_LONG": Words(
        _("This draft is too long."),
        _("The draft is kept as it was saved last."),
        _("Shorten its texts to under 200,000 characters in all and save it again."),
    ),
    "REGULATOR_UNKNOWN": Words(
        _("The draft must name one of the regulators of this site."),
        _("The draft is kept as it was saved last."),
        _("Put the regulator's name into “regulator”: {“name”: …} and send it again."),
    ),
    "POLICY_TITLE_TAKEN": Words(
        _("Your organisation has a published policy of this name."),
        _("The earlier policy stays published."),
        _("Give it another name, or withdraw the earlier one first."),
    ),
    "PROPOSAL_NOT_OPEN": Words(
        _("This proposal is no longer waiting for approvals."),
        _("What was decided about it is kept."),
        _("Reload the page to see where it stands."),
    ),
    "NOTHING_TO_SEND_AGAIN": Words(
        _("No list that a party refused waits to be sent again."),
        UNTOUCHED,
        _("Reload the page to see where it stands."),
    ),
    "INVITATIONS_DIFFER": Words(
        _("The two lists name different records."),
        _("No list was passed on."),
        _("Make both parties' lists of the same invitations, as the study's page does."),
    ),
    "INVITATIONS_FOR_ANOTHER_STUDY": Words(
        _("A list was made for another study, configuration or party."),
        _("No list was passed on."),
        _("Make the invitations on the page of this study."),
    ),
    "RECORD_INVITED_ALREADY": Words(
        _("At least one of these records was invited before."),
        _("No list was passed on; earlier invitations stay valid."),
        _("Take out the records that were invited before, and send the list again."),
    ),
    "ENVELOPE_NOT_READABLE": Words(
        _("A sealed part of what was sent is not base64."),
        UNTOUCHED,
        _("Reload the page and send again; a program encodes the sealed bytes as base64."),
    ),
    "ENVELOPE_REPLAYED": Words(
        _("A part of this sealed answer was sent before, in another answer."),
        _("The answer that came first counts as it did."),
        _("Open your invitation again and send a new answer."),
    ),
    "SUBMISSION_DOUBLED": Words(
        _("Another answer with the same number arrived at the same moment."),
        _("The answer that came first counts."),
        _("Open your invitation again and send a new answer."),
    ),
    "DATA_COMES_FROM_PEOPLE": Words(
        _("In this study people enter the data."),
        UNTOUCHED,
        _("No file need be uploaded."),
    ),
    "DATA_MISSING": Words(
        _("The data file of this study has not arrived yet."),
        UNTOUCHED,
        _("Have the organisation that holds the data upload them on its page of the study."),
    ),
    "UPLOAD_ID_TAKEN": Words(
        _("Another file was sent under this number."),
        _("The file that came first is kept."),
        _("Choose the file again: the page gives it a number of its own."),
    ),
    "UPLOAD_REPEATED": Words(
        _("This sealed file was sent before."),
        _("The file that came first is kept."),
        _(
            "Look at the study's page for what became of it; to send the table again, choose "
            "it again, which seals it anew."
        ),
    ),
    "PART_MISPLACED": Words(
        _("This is no part of the file as it was announced."),
        _("Parts that arrived before are kept."),
        _("Choose the file again on the study's page and let it upload."),
    ),
    "MODEL_NOT_HELD": Words(
        _("The modeler's party does not hold this model."),
        UNTOUCHED,
        _("Wait until the party has accepted it; if it refused, hand it in as a new model."),
    ),
    "MODEL_ALREADY_JUDGED": Words(
        _("This model has a verdict; the same question would get the same answer."),
        _("The verdict is kept; nothing more was charged."),
        _("Read the verdict beside the model. A changed model is handed in as a new one."),
    ),
    "MODEL_BEING_JUDGED": Words(
        _("This model is being certified."),
        _("The run goes on."),
        _("Wait until it has ended."),
    ),
    "MODEL_FAILED": Words(
        _("This model was judged and did not pass, so it can't be put into use here."),
        _("The model that is in use still is."),
        _("Put a model into use that has a certificate."),
    ),
    "MODEL_NEEDS_ANOTHER_STUDY": Words(
        _("A trained model is put into use in the study that certifies it."),
        _("The model stays where it is."),
        _("Take the model over into a study whose data the regulator holds, and certify it there."),
    ),
    "MODEL_CERTIFIED_ALREADY": Words(
        _("This model has a certificate from an earlier run."),
        _("The earlier certificate is kept and counts."),
        _("Read that certificate; this run need not be repeated."),
    ),
    "OTHER_MODEL_JUDGED": Words(
        _("The parties judged another model."),
        _("Nothing was issued here; the question stays charged at the parties."),
        _(
            "Both operators check that only one site sends orders to the parties; then "
            "propose the certification again."
        ),
    ),
    "OTHER_MODEL_TRAINED": Words(
        _("The parties trained other models."),
        _("Nothing was listed here; the parties keep what they trained, and it stays charged."),
        _(
            "Both operators check that only one site sends orders to the parties; then "
            "propose the training anew."
        ),
    ),
    "DEPLOYMENT_FOR_ANOTHER_MODEL": Words(
        _("The signed text names another study or model."),
        _("The model that is in use still is."),
        _("Sign on the page of the model that is to be put in use."),
    ),
    "TAKEOVER_FOR_ANOTHER_STUDY": Words(
        _("The signed text names another study, or its draft."),
        _("Nothing was taken over; the models stay where they are."),
        _("Sign on the page of the study that is to certify the models."),
    ),
    "TRAINING_INVALID": Words(
        _("A setting of a training is wrong; the message names it."),
        _("Nothing was proposed."),
        _("Correct the setting that is named and propose it again."),
    ),
    "TRAINING_PROPOSED_ALREADY": Words(
        _("A training waits for approval already."),
        _("That proposal is kept."),
        _("Approve or decline that one first."),
    ),
    "REPORT_NOT_OFFERED": Words(
        _(
            "There is no report: the policy opens no table, there is no verdict, or the table"
            " hides every group."
        ),
        _("The verdict and the certificate are as they were."),
        _("A study whose policy opens the full table has reports."),
    ),
    "REPORT_NOT_AS_PDF": Words(
        _("The typeface of PDF files can't show a text of the report."),
        _("The page and the CSV file have the whole report."),
        _("Print the page, or use the CSV file."),
    ),
    "REVOCATION_FOR_ANOTHER_CERTIFICATE": Words(
        _("The signed text names another certificate."),
        _("Both certificates stand as they were."),
        _("Sign on the page of the certificate that is to be revoked."),
    ),
    "REVOCATION_OF_ANOTHER_TEXT": Words(
        _("A party acknowledged another text of the revocation than the one that was signed."),
        _("Here the certificate counts as revoked; the party is asked again every hour."),
        _(
            "Its operator looks in the party's log for the text it holds, and whether its "
            "store was restored from an older backup."
        ),
    ),
    "TYPED_CHALLENGE_LIMIT_PERSON": Words(
        _(
            "You have challenged as many decisions without a signed record as one person may "
            "for now."
        ),
        _("The case was not opened; your earlier cases go on."),
        _(
            "Ask the company for the signed decision record, and open the case with it: those"
            " are not limited."
        ),
    ),
    "JOB_NOT_RESUMABLE": Words(
        _("Only a training that failed, and was not given up, can go on."),
        _("The models that are listed were opened and are kept."),
        _("Reload the page to see where it stands."),
    ),
    "JOB_TIMED_OUT": Words(
        _("The parties did not finish in time."),
        RUN,
        _(
            "The site tries once more by itself. If that fails too, look at the page Health "
            "for the party that does not answer."
        ),
    ),
    "JOB_REPORTS_DIFFER": Words(
        _("The two parties report different outcomes."),
        _("Neither outcome was taken; both reports are kept, signed. The question stays charged."),
        _(
            "The operators compare their stores: one was set back or altered. The party with "
            "the older one restores the newer."
        ),
    ),
}
