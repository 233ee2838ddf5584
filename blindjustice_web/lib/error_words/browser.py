"""Words for the codes of one subject: what a page finds in the browser."""

from __future__ import annotations

from mpc_engine.error_words.rows import UNSENT, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("What a page finds in the browser")
WORDS = {
    "INSECURE_PAGE": Words(
        _(
            "This page was opened over a connection without https. Browsers switch their "
            "cryptography off there."
        ),
        UNSENT,
        _("Open this page over its https address."),
    ),
    "NO_WEBCRYPTO": Words(
        _(
            "The cryptography that browsers bring along (WebCrypto) is missing or switched "
            "off here."
        ),
        UNSENT,
        _("Open this page in an up-to-date Chrome, Edge, Firefox or Safari."),
    ),
    "NO_P256": Words(
        _("This browser cannot make the kind of signature that is used here (ECDSA P-256)."),
        UNSENT,
        _("Open this page in an up-to-date Chrome, Edge, Firefox or Safari."),
    ),
    "NO_X25519": Words(
        _("This browser is too old for the kind of seal that is used here (X25519)."),
        UNSENT,
        _("Open this page in an up-to-date Chrome, Edge, Firefox or Safari."),
    ),
    "NO_KEY_STORE": Words(
        _(
            "This browser does not let the page keep a key (IndexedDB), perhaps because of a "
            "private window."
        ),
        UNSENT,
        _("Open this page in an ordinary window, or allow the site to keep data."),
    ),
    "APPROVER_FILE_BROKEN": Words(
        _("This file is not an approval key, or it is damaged."),
        _("Nothing was imported, nothing was sent."),
        _("Choose the .json file that “make-approver” wrote, unchanged."),
    ),
    "APPROVER_OF_OTHER_PARTY": Words(
        _("This key belongs to the other party."),
        _("Nothing was imported, nothing was sent."),
        _(
            "Choose the key file of your own organisation. If you have no other, tell both "
            "operators: a key must not change hands."
        ),
    ),
    "FILE_CHANGED": Words(
        _("The file was changed or removed after it was chosen."),
        _("Nothing was sent."),
        _("Choose it again."),
    ),
    "LINKS_NOT_KEPT": Words(
        _(
            "This browser can't keep links on this page, and links that are lost can't be "
            "made again."
        ),
        _("No link was registered."),
        _("Open this page over HTTPS, not in a private window, in a browser with room for them."),
    ),
    "WORKER_FAILED": Words(
        _("This browser could not run the part of the page that reads tables."),
        _("Nothing was sent."),
        _("Reload the page, or use a current browser."),
    ),
    "BAD_ANSWER": Words(
        _("The site gave an answer that this page does not understand."),
        _("What you entered is still on this page."),
        _(
            "Reload the page and try again. If it happens again, tell the operator of this "
            "site what you did."
        ),
    ),
    "ANSWER_MISSING": Words(
        _("A question of the study has no answer."),
        UNSENT,
        _("Answer every question and send again."),
    ),
    "ANSWER_UNKNOWN": Words(
        _("An answer is none of those that the question offers."),
        UNSENT,
        _("Reload the page and choose one of the answers."),
    ),
    "VALUE_MISSING": Words(
        _("A value that the study asks for is missing."),
        UNSENT,
        _("Fill in every field and send again."),
    ),
    "NUMBER_AMBIGUOUS": Words(
        _(
            "A number can be read in two ways, as a point or comma in it may mark thousands "
            "or decimals."
        ),
        UNSENT,
        _("Write it in the way that the field suggests, which can be read in one way only."),
    ),
    "DATA_COME_BY_FILE": Words(
        _("In this study the data come by file, and a person's values were given as well."),
        UNSENT,
        _("Reload the page and answer what it asks."),
    ),
    "NOT_A_CONFIGURATION": Words(
        _("The study's text is not a configuration that this page reads."),
        UNSENT,
        _("Reload the page, so that it comes from the version of the site that runs now."),
    ),
    "NUMBER_OUT_OF_RANGE": Words(
        _("A number does not fit the bytes that it is sealed in."),
        UNSENT,
        _("Reload the page and try again; if it happens again, tell the operator of this site."),
    ),
    "WRONG_LENGTH": Words(
        _("A key or number is longer or shorter than its kind is."),
        UNSENT,
        _("Open the link or the file again, complete and unchanged."),
    ),
    "PUBLIC_KEY_UNUSABLE": Words(
        _("A party's public key can't be used."),
        UNSENT,
        _("Reload the page; if it happens again, tell the operator of this site."),
    ),
    "ID_REPEATED": Words(
        _("A record stands in two rows of the table."),
        UNSENT,
        _("Leave one row for each record and choose the file again."),
    ),
    "RECORD_ID_INVALID": Words(
        _("A record number in the table is not 32 characters, 0 to 9 and a to f."),
        UNSENT,
        _("Copy the record numbers from the list of invitations, and choose the file again."),
    ),
}
