"""HPKE base mode (RFC 9180) with X-Wing and given randomness, so that vectors can be made again.

X-Wing, HKDF-SHA256, AES-128-GCM. Written from the RFC, sections 4 and 5.1, and from
draft-connolly-cfrg-xwing-kem, section 5, for vectors only: repeated randomness protects nothing.
"""

from __future__ import annotations

import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.vectors.reference_ml_kem import encapsulate

KEM_ID, KDF_ID, AEAD_ID = 0x647A, 0x0001, 0x0001
MODE_BASE = b"\x00"
LATTICE_PUBLIC_BYTES = 1184
X_WING_LABEL = b"\\./" + b"/^\\"


def hpke_suite(kem_id: int) -> bytes:
    """Return what every step of the key schedule is bound to."""
    return b"HPKE" + b"".join(i.to_bytes(2, "big") for i in (kem_id, KDF_ID, AEAD_ID))


HPKE_SUITE = hpke_suite(KEM_ID)


def labeled_extract(salt: bytes, suite: bytes, label: bytes, ikm: bytes) -> bytes:
    """Return LabeledExtract of section 4; an empty salt stands for zeros."""
    return hmac.new(salt or bytes(32), b"HPKE-v1" + suite + label + ikm, hashlib.sha256).digest()


def labeled_expand(prk: bytes, suite: bytes, label: bytes, info: bytes, length: int) -> bytes:
    """Return LabeledExpand of section 4 for at most one block of output."""
    labeled_info = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.new(prk, labeled_info + b"\x01", hashlib.sha256).digest()[:length]


def expanded_key(seed: bytes) -> bytes:
    """Return what X-Wing's seed of 32 bytes stands for: ML-KEM's seed 64, an X25519 key 32."""
    return hashlib.shake_256(seed).digest(96)


def public_key_of(private_key: bytes) -> bytes:
    """Return the public key of 1216 bytes of an expanded private key."""
    lattice = MLKEM768PrivateKey.from_seed_bytes(private_key[:64]).public_key().public_bytes_raw()
    curve = X25519PrivateKey.from_private_bytes(private_key[64:]).public_key().public_bytes_raw()
    return lattice + curve


def x_wing(public_key: bytes, drawn: bytes) -> tuple[bytes, bytes]:
    """Return (shared secret 32, enc 1120) of a public key and 64 drawn bytes."""
    lattice, curve = public_key[:LATTICE_PUBLIC_BYTES], public_key[LATTICE_PUBLIC_BYTES:]
    secret, ciphertext = encapsulate(lattice, drawn[:32])
    ephemeral = X25519PrivateKey.from_private_bytes(drawn[32:])
    point = ephemeral.public_key().public_bytes_raw()
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(curve))
    combined = hashlib.sha3_256(secret + shared + point + curve + X_WING_LABEL).digest()
    return combined, ciphertext + point


def key_schedule(secret: bytes, info: bytes, suite: bytes = HPKE_SUITE) -> tuple[bytes, bytes]:
    """Return (key, base nonce) of a KEM's shared secret."""
    context = (
        MODE_BASE
        + labeled_extract(b"", suite, b"psk_id_hash", b"")
        + labeled_extract(b"", suite, b"info_hash", info)
    )
    prk = labeled_extract(secret, suite, b"secret", b"")
    key = labeled_expand(prk, suite, b"key", context, 16)
    return key, labeled_expand(prk, suite, b"base_nonce", context, 12)


def reference_seal(
    drawn: bytes, public_key: bytes, info: bytes, plaintext: bytes, suite: bytes = HPKE_SUITE
) -> bytes:
    """Return ``enc 1120 | ciphertext | tag 16``, the first message of a base-mode context."""
    secret, enc = x_wing(public_key, drawn)
    key, nonce = key_schedule(secret, info, suite)
    return enc + AESGCM(key).encrypt(nonce, plaintext, b"")
