"""Words for the codes of one subject: texts, signatures and messages."""

from __future__ import annotations

from mpc_engine.error_words.rows import NOTHING, RUN, UNCHARGED, UNSENT, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("Texts, signatures and messages")
WORDS = {
    "APPROVER_UNKNOWN": Words(
        _(
            "A signature under a proposal is of a key that the party does not know as one of "
            "its approvers."
        ),
        _("Nothing was begun and nothing was charged. The text that was signed is kept."),
        _(
            "Sign again with a key that the party published; a new one is made by make-"
            "approver on the party's machine and taken over by init and a new start of its "
            "worker."
        ),
    ),
    "APPROVAL_SIGNATURE_INVALID": Words(
        _("A signature under a proposal does not fit the text that was to be signed."),
        _("Nothing was begun and nothing was charged."),
        _(
            "Sign the proposal again from its page. If it happens again, tell both operators:"
            " the text or the signature was altered on its way."
        ),
    ),
    "APPROVAL_MISSING": Words(
        _("The signature of one of the two sides is missing."),
        _("Nothing was begun and nothing was charged."),
        _("Have the side that the message names sign the proposal on the study's page."),
    ),
    "SIGNATURE_INVALID": Words(
        _("A signature does not verify: the text was altered, or another key signed it."),
        _("What the signature stands under was not used."),
        _(
            "Get the text once more from where it came. If it stays so, compare the key with "
            "the party's over a second channel and tell its operator."
        ),
    ),
    "SEAL_NOT_OPENED": Words(
        _(
            "The sealed bytes do not open with the key of this place: they are damaged, or "
            "sealed to another key."
        ),
        _("Nothing was taken or saved. A sealed model is not lost: the modeler's party keeps it."),
        _(
            "For a model, open it in the browser that asked for it, or ask the operator of "
            "your party for it; “export-model” writes it. Whatever else was sealed is sealed "
            "and sent once more."
        ),
    ),
    "NOT_CANONICAL": Words(
        _(
            "A text is not in the one form that is signed: canonical JSON, with sorted names,"
            " no white space and integers only."
        ),
        NOTHING,
        _(
            "Use the text as the site hands it out, unchanged; programs write it by the "
            "library's canonical form."
        ),
    ),
    "TEXT_TOO_LONG": Words(
        _("A text or a file is longer than its kind may be."),
        NOTHING,
        _(
            "Check that it is the right file; if it is, it was altered, and the one who made "
            "it hands it over again."
        ),
    ),
    "FILE_NOT_JSON": Words(
        _("A signed file is not JSON in UTF-8."),
        NOTHING,
        _(
            "Use the file as it was handed out; copying it through an editor or a mail "
            "program may have altered it."
        ),
    ),
    "FILE_NAME_TWICE": Words(
        _("A signed file holds a name twice, so it can be read in two ways."),
        NOTHING,
        _("Do not use it. Get the file again from who signed it."),
    ),
    "NOT_DECODABLE": Words(
        _(
            "Bytes do not parse as what they should be: a message of the other party, or a "
            "stored text."
        ),
        RUN,
        _(
            "Check that both parties run the same version and that nothing between them "
            "alters what they send; then propose the run again."
        ),
    ),
    "MESSAGE_INVALID": Words(
        _(
            "A party's message to the site, or a stage of a run, does not have the form that "
            "this version reads."
        ),
        _("The message was passed over; the party keeps it and what it did."),
        _("Install the same version of Blind Justice at the site and at both parties."),
    ),
    "ORDER_INVALID": Words(
        _("The site's order to a party does not have the form that the party reads."),
        _("The party did nothing of it."),
        _(
            "Install the same version at the site and at the party; the site then sends the "
            "order again."
        ),
    ),
    "NOT_HEX": Words(
        _(
            "A number that is written in hexadecimal is not: it has other characters than 0 "
            "to 9 and a to f, or another length."
        ),
        NOTHING,
        _("Copy the number whole, from where it is shown, in small letters."),
    ),
    "NOT_BASE64": Words(
        _("A text that should be base64 is not."),
        UNSENT,
        _(
            "Use the text as it was handed out; a program encodes the bytes once, in the "
            "alphabet of its field, without line breaks."
        ),
    ),
    "NOT_A_TIME": Words(
        _(
            "A time is not written as year, month, day, hour, minute and second in UTC, such "
            "as 2031-05-01T12:00:00Z."
        ),
        NOTHING,
        _("Write the time in that form and send it again."),
    ),
    "NOT_A_NUMBER": Words(
        _("A number is not written as a decimal number, or is too long, too large or too small."),
        NOTHING,
        _(
            "Write digits with at most one decimal point, without separators of thousands or "
            "a unit."
        ),
    ),
    "UNIT_NOT_POSITIVE": Words(
        _("The unit of a feature is zero or negative."),
        NOTHING,
        _("Give the feature a unit above zero, such as 1 or 1000."),
    ),
    "DESCRIPTOR_INVALID": Words(
        _("The file is not a party's public descriptor, or was altered."),
        NOTHING,
        _(
            "Have the other organisation run init and hand its descriptor over again; compare"
            " the digest over a second channel."
        ),
    ),
    "LINE_REPORT_INVALID": Words(
        _("A party's account of the line does not have the form that this version reads."),
        _("The last account is kept and shown."),
        _("Install the same version at the site and at the party."),
    ),
    "LINE_CHECK_INVALID": Words(
        _("The other party's part of a meeting to check the line can't be read."),
        UNCHARGED,
        _(
            "Install the same version on both sides; the next meeting, a quarter of an hour "
            "later, tells whether that was it."
        ),
    ),
    "REVOCATION_INVALID": Words(
        _("The text of a revocation is not as it should be."),
        _("The certificate stands as it was."),
        _(
            "Revoke the certificate on its page, or send the text that the site prepared, "
            "unchanged."
        ),
    ),
}
