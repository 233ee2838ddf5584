"""Words for the codes of one subject: answers that people send, as the parties take them."""

from __future__ import annotations

from mpc_engine.error_words.rows import ANSWER, UNSENT, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("Answers that people send, as the parties take them")
WORDS = {
    "ENVELOPE_TOO_SHORT": Words(
        _("The sealed message is cut off."),
        ANSWER,
        _("Open the invitation's link again and send the answer once more."),
    ),
    "ENVELOPE_WRONG_SIZE": Words(
        _("The sealed message does not have the study's size."),
        ANSWER,
        _(
            "Reload the page of the study and send the answer once more; a program seals it "
            "by the study's configuration."
        ),
    ),
    "ENVELOPE_VERSION_UNKNOWN": Words(
        _("The sealed message has a version that we do not know."),
        ANSWER,
        _(
            "Reload the page, so that it comes from the version of the site that runs now, "
            "and send the answer once more."
        ),
    ),
    "ENVELOPE_FOR_OTHER_KEY": Words(
        _("The message was sealed for another key."),
        ANSWER,
        _(
            "Reload the page, which names the party's key for this study, and send once more."
            " If it stays so, the operators compare the keys in the study's configuration."
        ),
    ),
    "ENVELOPE_NOT_OPENED": Words(
        _(
            "The sealed message does not open; it may be damaged or belong to another study "
            "or record."
        ),
        ANSWER,
        _("Open the invitation's link again, complete, and send the answer once more."),
    ),
    "PADDING_BROKEN": Words(
        _("The sealed message is not padded as it should be."),
        ANSWER,
        _(
            "Send the answer from the page of the study; whoever wrote another program "
            "corrects how it pads (envelope format 1)."
        ),
    ),
    "COMMON_VERSION_UNKNOWN": Words(
        _("The submission has a version that we do not know."),
        ANSWER,
        _(
            "Reload the page, so that it comes from the version of the site that runs now, "
            "and send the answer once more."
        ),
    ),
    "OTHER_CONFIGURATION": Words(
        _("The submission was made for other rules of the study."),
        ANSWER,
        _(
            "Reload the page, read the study's terms as they are now, and send the answer "
            "once more."
        ),
    ),
    "OTHER_RECORD": Words(
        _("The submission belongs to another record."),
        ANSWER,
        _("Open the link of your own invitation and send the answer from there."),
    ),
    "OTHER_SUBMISSION": Words(
        _("The sealed submission carries another number than its cover."),
        ANSWER,
        _(
            "Send the answer once more from the page. If it happens again, tell the site's "
            "operator: something alters messages on their way."
        ),
    ),
    "OTHER_SEQUENCE": Words(
        _("The sealed submission carries another version than its cover."),
        ANSWER,
        _(
            "Send the answer once more from the page. If it happens again, tell the site's "
            "operator: something alters messages on their way."
        ),
    ),
    "OTHER_ENTRY_COUNT": Words(
        _("The submission answers other questions than the study's."),
        ANSWER,
        _("Reload the page of the study, answer the questions that stand there, and send."),
    ),
    "OWNER_KEY_UNUSABLE": Words(
        _("The sender's key can't be used."),
        ANSWER,
        _("Open the invitation's link in an up-to-date browser and send the answer from there."),
    ),
    "OTHER_OWNER_KEY": Words(
        _("The submission was made with another key than the one shown."),
        ANSWER,
        _(
            "Send the answer once more from the page. If it happens again, tell the site's "
            "operator: something alters messages on their way."
        ),
    ),
    "SUBMISSION_SIGNATURE_WRONG": Words(
        _("The sender's signature does not fit both halves."),
        ANSWER,
        _(
            "Send the answer once more from the page. If it happens again, tell the site's "
            "operator: something alters messages on their way."
        ),
    ),
    "CREDENTIAL_WRONG": Words(
        _("The invitation code does not fit this record."),
        ANSWER,
        _(
            "Open the link of your invitation again, complete and unchanged. If it is refused"
            " again, ask whoever invited you for the link."
        ),
    ),
    "KEY_PAIR_EQUAL": Words(
        _("Two keys that must differ are equal."),
        ANSWER,
        _(
            "Send the answer from the page of the study; in a program of your own, draw the "
            "two keys of every value at random."
        ),
    ),
    "SENDER_KEY_MISMATCH": Words(
        _("A key does not fit what the submission promises."),
        ANSWER,
        _(
            "Send the answer from the page of the study; a program of your own commits to the"
            " very keys that it seals."
        ),
    ),
    "CHOSEN_KEY_MISMATCH": Words(
        _("The key for an answer does not fit the answer's share."),
        ANSWER,
        _(
            "Send the answer from the page of the study; a program of your own chooses the "
            "key by the bit of the share."
        ),
    ),
    "FEATURE_OUT_OF_RANGE": Words(
        _("A value lies outside the study's range."),
        ANSWER,
        _("Enter a value within the range that the page states, and send once more."),
    ),
    "LABEL_OUT_OF_RANGE": Words(
        _("The outcome is not one that the study knows."),
        ANSWER,
        _("Choose one of the two outcomes that the page offers, and send once more."),
    ),
    "COMMITMENT_MISMATCH": Words(
        _("The values do not fit what the submission promises."),
        ANSWER,
        _(
            "Send the answer from the page of the study; a program of your own commits to the"
            " very values that it seals."
        ),
    ),
    "ENVELOPE_REPEATED": Words(
        _("This sealed message has arrived before."),
        _(
            "The message that arrived first was dealt with and counts as it did then; this "
            "one was not taken."
        ),
        _(
            "Look at your receipt. To change an answer, fill in the page and send again: that"
            " seals it anew."
        ),
    ),
    "OWNER_KEY_CHANGED": Words(
        _("Only the sender of the first answer can replace it."),
        _("Nothing was sent from here. The answer given in the other browser counts."),
        _(
            "To replace it, open the link in that browser. If it was not you, tell whoever "
            "invited you."
        ),
    ),
    "SEQUENCE_TAKEN": Words(
        _("Another answer with this version number has arrived before."),
        _("The answer that arrived first counts; this one was not taken."),
        _("Send once more: the page draws another number."),
    ),
    "SUBMISSION_NOT_READABLE": Words(
        _("The submission can't be read."),
        ANSWER,
        _(
            "Send the answer from the page of the study; a program of your own follows the "
            "envelope format (docs/protocols/envelope.md)."
        ),
    ),
    "STUDY_CLOSED": Words(
        _(
            "The study is closed, or being closed: it takes no more answers and no more "
            "invitations."
        ),
        _("Answers with both receipts are in; this one was not taken."),
        _("There is nothing to do. If the closing fails, the study is open again and says so."),
    ),
    "RECORD_NOT_INVITED": Words(
        _("This study has no invitation for this record."),
        ANSWER,
        _(
            "Open the link of your invitation again, complete, and send once more. If it is "
            "refused again, ask whoever invited you."
        ),
    ),
    "KEY_RETIRED": Words(
        _("The message was sealed for a key that was destroyed when the study closed."),
        _(
            "Answers with both receipts are in; nothing that was sealed for that key can be "
            "opened any more."
        ),
        _(
            "If the study is open again, reload the page and send once more; it seals for the"
            " key in use."
        ),
    ),
    "PEER_RECEIPT_INVALID": Words(
        _(
            "A receipt that the site relayed to a closing was not signed by the other party, "
            "or is of another study."
        ),
        _(
            "It was passed over and counted; every answer with two genuine receipts is in the"
            " closing."
        ),
        _(
            "Nothing for the people. The operators look at why the site holds such receipts, "
            "in its log."
        ),
    ),
    "NUMBERS_USED_UP": Words(
        _("This answer was replaced so often that no number is left for another version."),
        _("Nothing was sent. The last version with two receipts still counts."),
        _("Leave it as it is, or ask whoever invited you for another invitation."),
    ),
    "INVITATION_INCOMPLETE": Words(
        _("The invitation link is not complete."),
        UNSENT,
        _("Copy the whole link out of the invitation, to its last character, and open that."),
    ),
    "INVITATION_OTHER_SITE": Words(
        _("The invitation is for another site."),
        UNSENT,
        _("Open the link at the site that it names."),
    ),
    "VALUE_OUT_OF_RANGE": Words(
        _("A value lies outside the range that the study states for it."),
        UNSENT,
        _(
            "Enter a value within the range that stands beside the field or the column, in "
            "the unit that is asked for."
        ),
    ),
    "NOT_ANSWERED": Words(
        _("Nobody answered in time: the deadline of the case passed, or a client stopped waiting."),
        _("The case is kept, with that outcome; nothing was learned about the model."),
        _("Open the case again, or ask the regulator why its party did not answer."),
    ),
}
