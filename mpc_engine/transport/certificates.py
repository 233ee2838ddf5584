"""A party's self-signed TLS certificate, made once and pinned by the other party."""

from __future__ import annotations

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_VALID_DAYS = 3650
_CLOCK_SKEW = datetime.timedelta(days=1)


def make_self_signed(name: str, now: datetime.datetime) -> tuple[bytes, bytes]:
    """Make a P-256 key and a self-signed certificate for ``name``; return both as PEM bytes.

    Returns ``(certificate_pem, key_pem)``. The certificate is valid for ten years from the aware
    time ``now`` less a day of clock skew; a party renews by handing over a new public descriptor.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + datetime.timedelta(days=_VALID_DAYS))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    key_pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return certificate.public_bytes(serialization.Encoding.PEM), key_pem
