"""HPKE base mode (RFC 9180) with a given ephemeral key, so that sealed vectors can be made again.

X25519, HKDF-SHA256, AES-128-GCM. Written from the RFC, sections 4.1, 5.1 and 7.1, for vectors
only: a repeated ephemeral key protects nothing.
"""

from __future__ import annotations

import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEM_ID, KDF_ID, AEAD_ID = 0x0020, 0x0001, 0x0001
KEM_SUITE = b"KEM" + KEM_ID.to_bytes(2, "big")
HPKE_SUITE = b"HPKE" + b"".join(i.to_bytes(2, "big") for i in (KEM_ID, KDF_ID, AEAD_ID))
MODE_BASE = b"\x00"


def labeled_extract(salt: bytes, suite: bytes, label: bytes, ikm: bytes) -> bytes:
    """Return LabeledExtract of section 4; an empty salt stands for zeros."""
    return hmac.new(salt or bytes(32), b"HPKE-v1" + suite + label + ikm, hashlib.sha256).digest()


def labeled_expand(prk: bytes, suite: bytes, label: bytes, info: bytes, length: int) -> bytes:
    """Return LabeledExpand of section 4 for at most one block of output."""
    labeled_info = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.new(prk, labeled_info + b"\x01", hashlib.sha256).digest()[:length]


def key_schedule(ephemeral: bytes, public_key: bytes, info: bytes) -> tuple[bytes, bytes, bytes]:
    """Return (enc, key, base nonce) for an ephemeral private key and a recipient's public key."""
    private = X25519PrivateKey.from_private_bytes(ephemeral)
    enc = private.public_key().public_bytes_raw()
    shared = private.exchange(X25519PublicKey.from_public_bytes(public_key))
    eae_prk = labeled_extract(b"", KEM_SUITE, b"eae_prk", shared)
    secret = labeled_expand(eae_prk, KEM_SUITE, b"shared_secret", enc + public_key, 32)
    context = (
        MODE_BASE
        + labeled_extract(b"", HPKE_SUITE, b"psk_id_hash", b"")
        + labeled_extract(b"", HPKE_SUITE, b"info_hash", info)
    )
    prk = labeled_extract(secret, HPKE_SUITE, b"secret", b"")
    key = labeled_expand(prk, HPKE_SUITE, b"key", context, 16)
    return enc, key, labeled_expand(prk, HPKE_SUITE, b"base_nonce", context, 12)


def reference_seal(
    ephemeral: bytes, public_key: bytes, info: bytes, plaintext: bytes, aad: bytes = b""
) -> bytes:
    """Return ``enc 32 | ciphertext | tag 16``, the first message of a base-mode context."""
    enc, key, nonce = key_schedule(ephemeral, public_key, info)
    return enc + AESGCM(key).encrypt(nonce, plaintext, aad)
