"""Words for the codes of one subject: certificates, decisions and challenged cases."""

from __future__ import annotations

from mpc_engine.error_words.rows import NOTHING, UNCHARGED, UNSENT, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("Certificates, decisions and challenged cases")
WORDS = {
    "CERTIFICATE_MODELER_KEY_DIFFERENT": Words(
        _("The key of the modeler in the certificate is not the one that it was checked against."),
        _("The file is as it was; nothing was said about its validity."),
        _(
            "Compare the fingerprint that the sentence names with the one the modeler publishes. "
            "If they differ, do not rely on the certificate."
        ),
    ),
    "CERTIFICATE_MODELER_SIGNATURE_INVALID": Words(
        _("The signature of the modeler does not fit the text of the certificate."),
        _("The file is as it was; at the end of a run, no certificate was issued."),
        _(
            "Get the certificate again from the register. If that one fails too, do not rely on "
            "it and tell the regulator."
        ),
    ),
    "CERTIFICATE_REGULATOR_KEY_DIFFERENT": Words(
        _(
            "The key of the regulator in the certificate is not the one that it was checked "
            "against."
        ),
        _("The file is as it was; nothing was said about its validity."),
        _(
            "Compare the fingerprint that the sentence names with the one the regulator "
            "publishes. If they differ, do not rely on the certificate."
        ),
    ),
    "CERTIFICATE_REGULATOR_SIGNATURE_INVALID": Words(
        _("The signature of the regulator does not fit the text of the certificate."),
        _("The file is as it was; at the end of a run, no certificate was issued."),
        _(
            "Get the certificate again from the register. If that one fails too, do not rely on "
            "it and tell the regulator."
        ),
    ),
    "CERTIFICATE_INVALID": Words(
        _(
            "The certificate does not verify, or speaks of something else than it should; the "
            "sentence says what does not match."
        ),
        _(
            "The file is as it was. At the end of a run: no certificate was issued, and the "
            "question stays charged."
        ),
        _(
            "Get the certificate again from the register. If that one fails too, do not rely on "
            "it and tell the regulator."
        ),
    ),
    "CERTIFICATE_NOT_CURRENT": Words(
        _("The certificate is not valid today: it is not valid yet, or has expired."),
        NOTHING,
        _(
            "Check the clock of this machine. If it is right, rely on a certificate that is valid"
            " now, or ask for a new certification."
        ),
    ),
    "CERTIFICATE_REVOKED": Words(
        _("The regulator revoked this certificate."),
        _("The certificate and the reason stay on record; decisions made before stay as they are."),
        _(
            "Put a model in use whose certificate stands, and decide under that one. Nobody need "
            "revoke it again."
        ),
    ),
    "CERTIFICATE_UNKNOWN": Words(
        _("The party knows no such certificate."),
        UNCHARGED,
        _(
            "Check the certificate's number. If the party was restored from an older backup, have"
            " the site send everything anew (docs/operations.md, backups)."
        ),
    ),
    "REVOCATION_OTHER_CERTIFICATE": Words(
        _("The revocation takes back another certificate than the one at hand."),
        _("The certificate stands as it was."),
        _("Get the revocation from the page of this certificate."),
    ),
    "REVOCATION_SIGNATURE_INVALID": Words(
        _("The revocation was not signed by the regulator's party."),
        _(
            "A file: the certificate stands as it was. On the site, it counts as revoked, and the"
            " party is asked again."
        ),
        _(
            "Get the revocation again from the certificate's page. The regulator's operator "
            "checks that its party has its earlier signing.key."
        ),
    ),
    "REVOCATION_LIST_INVALID": Words(
        _("The file is not a list of revocations, or a field of it is not as it should be."),
        NOTHING,
        _("Get the list again from the register."),
    ),
    "REVOCATION_LIST_SIGNATURE_INVALID": Words(
        _("The list of revocations was not signed by the regulator's party."),
        NOTHING,
        _(
            "Get the list again from the register, and compare the key with the one the regulator"
            " publishes."
        ),
    ),
    "REVOCATION_LIST_OUTDATED": Words(
        _("The list of revocations was to be replaced before now."),
        _("Nothing was said about the certificate."),
        _("Get the present list from the register."),
    ),
    "REVOCATION_LIST_EARLY": Words(
        _("The list of revocations is dated in the future."),
        _("Nothing was said about the certificate."),
        _(
            "Set this machine's clock by a time server. If it is right, tell the regulator that "
            "its party's clock is wrong."
        ),
    ),
    "REVOCATION_LIST_FULL": Words(
        _("A list of revocations holds as many certificates as it can."),
        _("Earlier lists and all single revocations stay valid."),
        _(
            "The regulator's operator tells the makers of this software; until then check "
            "certificates by their own revocation."
        ),
    ),
    "REVOCATION_DATE": Words(
        _("The revocation is dated before the certificate, or in the future."),
        _("The certificate stands as it was."),
        _(
            "Set the clock of the computer that signed, or date the text by the site's (GET "
            "/api/v1/clock), and sign it again."
        ),
    ),
    "DECISION_RECORD_INVALID": Words(
        _("The file is not a decision record, or a field of it is not as it should be."),
        UNSENT,
        _("Choose the file or the QR code that the company gave you, unchanged."),
    ),
    "DECISION_RECORD_SIGNATURE_INVALID": Words(
        _("The decision record was not signed by the modeler of this study."),
        _("The case was not opened."),
        _(
            "Ask the company for the record once more. If it gives you the same one, send it to "
            "the regulator."
        ),
    ),
    "DECISION_RECORD_OTHER_CASE": Words(
        _(
            "The decision record speaks of other values, another decision or another case than "
            "the challenge."
        ),
        _("The case was not opened."),
        _("Open the case with what stands in the record, unchanged."),
    ),
    "DECISION_ALREADY_CHALLENGED": Words(
        _("This decision was challenged before."),
        _("The earlier case and its answer are kept."),
        _("See the answer of that case; both the person and the company have its file."),
    ),
    "CHALLENGE_INVALID": Words(
        _("The challenge is not as it should be, or belongs to another case."),
        _("The case was not opened."),
        _("Open the case again from the site's page."),
    ),
    "CHALLENGE_VALUE_OUT_OF_RANGE": Words(
        _("A value of the case lies outside the range of its feature."),
        _("The case was not opened."),
        _("Enter the values as they stand in the decision, in the units that the page names."),
    ),
    "CHALLENGE_UNKNOWN": Words(
        _("The party has no such challenge."),
        UNCHARGED,
        _("Open the case again from the site's page."),
    ),
    "CHALLENGE_ANSWERED": Words(
        _("The challenge was answered before, or opened in another batch."),
        _("The answer is kept, signed."),
        _("Read the answer on the page of the case."),
    ),
    "CHALLENGE_ID_TAKEN": Words(
        _("Another challenge has this number already."),
        _("The case that came first is kept."),
        _(
            "Look at your list of cases; open the case again if it is not there: it gets another "
            "number."
        ),
    ),
    "CHALLENGE_LIMIT": Words(
        _(
            "More challenges are asked than there are decision records, and than the study allows"
            " without one."
        ),
        _(
            "The cases wait for another attempt until their deadline; nothing was learned about "
            "the model."
        ),
        _("Open the case with the signed decision record: those are not limited."),
    ),
    "TYPED_CHALLENGE_LIMIT": Words(
        _("No more decisions without a signed record can be challenged under this study."),
        _("The case was not opened; earlier cases go on."),
        _(
            "Ask the company for the signed decision record, and open the case with it: those are"
            " not limited."
        ),
    ),
    "CASE_OUT_OF_RANGE": Words(
        _("A value of a case lies outside the study's range."),
        _("Nothing was decided or verified."),
        _("Correct the value or its unit and try again."),
    ),
    "CASE_MALFORMED": Words(
        _("A case does not have this study's features."),
        _("Nothing was decided or verified."),
        _("Open the case under the certificate that the decision names."),
    ),
    "NO_CHALLENGES": Words(
        _("A verification was begun without any case."),
        UNCHARGED,
        _("Nothing for the people: the site asks when a case waits."),
    ),
}
