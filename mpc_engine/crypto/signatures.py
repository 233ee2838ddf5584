"""Signatures: Ed25519 by the parties' machines, ECDSA P-256 by people and approvers in browsers.

Verification raises InvalidSignatureError and never returns a boolean. P-256 keys are raw
uncompressed points (65 bytes), signatures raw ``r || s`` (64 bytes) over SHA-256, as WebCrypto
makes them.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from mpc_engine.crypto.digests import key_id
from mpc_engine.errors import InvalidSignatureError, UsageError

if TYPE_CHECKING:
    from mpc_engine.crypto.rng import Randomness

ED25519_KEY_BYTES = 32
P256_PUBLIC_BYTES = 65
SIGNATURE_BYTES = 64

_CURVE = ec.SECP256R1()
_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_ECDSA = ec.ECDSA(hashes.SHA256())
_ECDSA_DETERMINISTIC = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)


class Ed25519SigningKey:
    """A party's signing key; never shown when printed."""

    def __init__(self, private_bytes: bytes) -> None:
        if len(private_bytes) != ED25519_KEY_BYTES:
            raise UsageError("An Ed25519 private key has 32 bytes.")
        self._key = Ed25519PrivateKey.from_private_bytes(private_bytes)
        self.public_bytes = self._key.public_key().public_bytes_raw()
        self.key_id = key_id(self.public_bytes)

    @classmethod
    def generate(cls, rng: Randomness) -> Ed25519SigningKey:
        """Draw a fresh key."""
        return cls(rng.bytes(ED25519_KEY_BYTES))

    def __repr__(self) -> str:
        return f"<Ed25519SigningKey {self.key_id.hex()}>"

    def private_bytes(self) -> bytes:
        """Return the 32 secret bytes, for the party's own key file only."""
        return self._key.private_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature of ``message``."""
        return self._key.sign(message)


def verify_ed25519(public_key: bytes, message: bytes, signature: bytes) -> None:
    """Return if ``signature`` is by the raw 32-byte key; InvalidSignatureError otherwise."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        raise InvalidSignatureError("The Ed25519 signature does not verify.") from None


class P256SigningKey:
    """A person's or an approver's signing key; never shown when printed."""

    def __init__(self, secret_scalar: int) -> None:
        if not 0 < secret_scalar < _P256_ORDER:
            raise UsageError("A P-256 secret lies between 1 and the order of the curve.")
        self._key = ec.derive_private_key(secret_scalar, _CURVE)
        self.public_bytes = self._key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        self.key_id = key_id(self.public_bytes)

    @classmethod
    def generate(cls, rng: Randomness) -> P256SigningKey:
        """Draw a fresh key, uniform over the scalars of the curve."""
        while True:
            scalar = int.from_bytes(rng.bytes(32), "big")
            if 0 < scalar < _P256_ORDER:
                return cls(scalar)

    @classmethod
    def from_jwk(cls, jwk: Mapping[str, object]) -> P256SigningKey:
        """Read a private JSON Web Key (RFC 7518, section 6.2); UsageError if it isn't one.

        The stated public point must be the secret's own.
        """
        if jwk.get("kty") != "EC" or jwk.get("crv") != "P-256":
            raise UsageError("The key file does not hold a P-256 key.")
        key = cls(int.from_bytes(_jwk_number(jwk, "d"), "big"))
        if key.public_bytes != b"\x04" + _jwk_number(jwk, "x") + _jwk_number(jwk, "y"):
            raise UsageError("The public half in the key file belongs to another key.")
        return key

    def __repr__(self) -> str:
        return f"<P256SigningKey {self.key_id.hex()}>"

    def secret_scalar(self) -> int:
        """Return the secret number, for an encrypted store only."""
        return self._key.private_numbers().private_value

    def to_jwk(self) -> dict[str, str]:
        """Return the private JSON Web Key, for the key holder's own file only."""
        return {
            "kty": "EC",
            "crv": "P-256",
            "x": _base64url(self.public_bytes[1:33]),
            "y": _base64url(self.public_bytes[33:]),
            "d": _base64url(self.secret_scalar().to_bytes(32, "big")),
        }

    def sign(self, message: bytes) -> bytes:
        """Return the raw 64-byte ``r || s`` over SHA-256 of ``message`` (nonce as in RFC 6979)."""
        r, s = decode_dss_signature(self._key.sign(message, _ECDSA_DETERMINISTIC))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def check_p256_public_key(public_key: bytes) -> None:
    """Return if ``public_key`` is an uncompressed point of the curve; UsageError otherwise."""
    _p256_public_key(public_key)


def verify_p256(public_key: bytes, message: bytes, signature: bytes) -> None:
    """Return if the raw ``r || s`` is by ``public_key`` over SHA-256 of ``message``.

    InvalidSignatureError otherwise; UsageError if the key is not a point of the curve.
    """
    key = _p256_public_key(public_key)
    if len(signature) != SIGNATURE_BYTES:
        raise InvalidSignatureError("A P-256 signature has 64 bytes.")
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    try:
        key.verify(encode_dss_signature(r, s), message, _ECDSA)
    except InvalidSignature:
        raise InvalidSignatureError("The P-256 signature does not verify.") from None


def _p256_public_key(public_key: bytes) -> ec.EllipticCurvePublicKey:
    if len(public_key) != P256_PUBLIC_BYTES or public_key[0] != 4:
        raise UsageError("A P-256 public key is an uncompressed point of 65 bytes.")
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, public_key)
    except ValueError:
        raise UsageError("The P-256 public key is not a point of the curve.") from None


def _jwk_number(jwk: Mapping[str, object], field: str) -> bytes:
    text = jwk.get(field)
    if not isinstance(text, str) or len(text) != 43:
        raise UsageError(f'The key file lacks "{field}".')
    try:
        return base64.urlsafe_b64decode(text + "=")
    except (binascii.Error, ValueError):
        raise UsageError(f'"{field}" in the key file is not base64url.') from None


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
