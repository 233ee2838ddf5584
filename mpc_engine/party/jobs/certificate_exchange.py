"""After a PASS: the regulator drafts and signs, the modeler checks every field and co-signs.

The modeler keeps the certificate, with the nonce it will need to answer challenges, before its
signature leaves the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from mpc_engine.control.files.certificate import (
    MAX_CERTIFICATE_BYTES,
    Certificate,
    check_against_configuration,
    parse_certificate,
    sign_certificate,
    verify_certificate_signature,
)
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.canonical import canonical_bytes, parse_canonical
from mpc_engine.control.texts.fields import Fields
from mpc_engine.crypto.signatures import SIGNATURE_BYTES, Ed25519SigningKey
from mpc_engine.errors import EngineError, InvalidCertificateError, PeerError
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.services.certificates import SignedCertificate
from mpc_engine.roles import Role
from mpc_engine.transport.channel import Channel

CLOCK_TOLERANCE = timedelta(minutes=10)
CLOCK_LIMIT = CLOCK_TOLERANCE - timedelta(minutes=1)
"""What clocks may differ by when a certification begins: what passes then passes in the end."""
_CODE = "CERTIFICATE_REFUSED"
_MAX_BYTES = MAX_CERTIFICATE_BYTES + 4096
_MAX_ANSWER_BYTES = 4096


def offer_certificate(
    channel: Channel, text: str, key: Ed25519SigningKey, configuration: Configuration
) -> SignedCertificate:
    """Send the regulator's certificate and return it with the modeler's signature.

    Raises PeerError (``CERTIFICATE_REFUSED``) if the modeler's party does not sign it,
    InvalidCertificateError if its signature does not verify.
    """
    own = sign_certificate(text, key)
    channel.send(
        PartyTag.CERTIFICATE, canonical_bytes({"certificate": text, "signature": own.hex()})
    )
    answer = channel.recv(PartyTag.CERTIFICATE_ANSWER, limit=_MAX_ANSWER_BYTES)
    fields = Fields(parse_canonical(answer), "answer", code="NOT_DECODABLE")
    if fields.has("refusal"):
        code = fields.text("refusal", maximum=80)
        raise PeerError(f"The modeler's party did not sign the certificate ({code}).", code=_CODE)
    signature = fields.hex("signature", SIGNATURE_BYTES)
    fields.end()
    verify_certificate_signature(text, Role.MODELER, signature, configuration.modeler.signing_key)
    return SignedCertificate(text, signature, own)


def countersign_certificate(
    channel: Channel,
    key: Ed25519SigningKey,
    check: Callable[[Certificate], None],
    configuration: Configuration,
    store: Callable[[SignedCertificate], None],
) -> SignedCertificate:
    """Receive the certificate, check it, ``store`` it, and only then send the signature.

    Raises InvalidCertificateError naming what does not match; the regulator is told the code.
    """
    data = channel.recv(PartyTag.CERTIFICATE, limit=_MAX_BYTES)
    try:
        signed = _checked(data, key, check, configuration)
    except EngineError as error:
        channel.send(PartyTag.CERTIFICATE_ANSWER, canonical_bytes({"refusal": error.code}))
        raise
    store(signed)
    answer = canonical_bytes({"signature": signed.modeler_signature.hex()})
    channel.send(PartyTag.CERTIFICATE_ANSWER, answer)
    return signed


def check_certificate_fields(
    certificate: Certificate, configuration: Configuration, expected: dict[str, object]
) -> None:
    """Raise InvalidCertificateError naming the first field that is not as ``expected``."""
    check_against_configuration(certificate, configuration)
    for name, value in expected.items():
        if getattr(certificate, name) != value:
            raise InvalidCertificateError(f'The field "{name}" of the certificate is wrong.')


def check_validity(certificate: Certificate, configuration: Configuration, now: datetime) -> None:
    """Raise InvalidCertificateError unless it begins now and lasts as the configuration says."""
    if abs(certificate.valid_from - now) > CLOCK_TOLERANCE:
        raise InvalidCertificateError(
            "The certificate begins at a time that is not now; compare both parties' clocks.",
            code="CLOCKS_DIFFER",
        )
    if certificate.valid_until - certificate.valid_from != timedelta(
        days=configuration.certificate_days
    ):
        raise InvalidCertificateError('The field "valid_until" of the certificate is wrong.')


def _checked(
    data: bytes,
    key: Ed25519SigningKey,
    check: Callable[[Certificate], None],
    configuration: Configuration,
) -> SignedCertificate:
    fields = Fields(parse_canonical(data), "offer", code="NOT_DECODABLE")
    text = fields.raw_text("certificate", maximum=MAX_CERTIFICATE_BYTES)
    signature = fields.hex("signature", SIGNATURE_BYTES)
    fields.end()
    check(parse_certificate(text))
    verify_certificate_signature(
        text, Role.REGULATOR, signature, configuration.regulator.signing_key
    )
    return SignedCertificate(text, sign_certificate(text, key), signature)
