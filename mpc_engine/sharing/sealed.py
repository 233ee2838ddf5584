"""Sealed envelopes: ``version u16 | key id 16 | enc 1120 | ciphertext``, bound to their context."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mpc_engine.crypto import hpke
from mpc_engine.crypto.digests import KEY_ID_BYTES, sha256
from mpc_engine.crypto.hpke import ENC_BYTES, OVERHEAD_BYTES, HpkePrivateKey
from mpc_engine.errors import CheckFailedError, UsageError
from mpc_engine.params import ENVELOPE_VERSION
from mpc_engine.roles import Role
from mpc_engine.sharing.intake_refusals import IntakeRefusal, refusal
from mpc_engine.sharing.layout import ENVELOPE_HEADER_BYTES, ID_BYTES
from mpc_engine.wire.codec import fixed, length_prefixed, u16, u32

PADDING_BLOCK_BYTES = 2048
NO_SUBMISSION = bytes(ID_BYTES)

_SEALED_AS = b"bj2"
"""What every seal of this envelope version is bound to, whatever the protocols' version is."""


class Purpose(StrEnum):
    """What a sealed envelope carries; bound into the seal."""

    SUBMISSION = "submission"
    MODEL = "model"
    DATA = "data"
    CHALLENGE = "challenge"
    TRAINED_MODEL = "trained-model"


@dataclass(frozen=True)
class SealContext:
    """Everything a seal is bound to; it opens under exactly the same context.

    ``record_id`` is the object's id (model, upload, challenge) for purposes other than submission,
    whose ``submission_id`` is zero and ``sequence`` 0. A trained model is sealed to a member of
    ``role``, and its ``submission_id`` is the training job's.
    """

    purpose: Purpose
    role: Role
    study_id: bytes
    config_digest: bytes
    key_id: bytes
    record_id: bytes
    submission_id: bytes = NO_SUBMISSION
    sequence: int = 0

    def info(self) -> bytes:
        """Return the HPKE info: each part behind its length."""
        return length_prefixed(
            _SEALED_AS,
            self.purpose.value.encode("ascii"),
            self.role.value.encode("ascii"),
            self.study_id,
            self.config_digest,
            self.key_id,
            self.record_id,
            self.submission_id,
            u32(self.sequence),
        )


def seal_envelope(context: SealContext, public_key: bytes, plaintext: bytes) -> bytes:
    """Seal to a party's study key under ``context``."""
    header = u16(ENVELOPE_VERSION) + fixed(context.key_id, KEY_ID_BYTES, "key id")
    return header + hpke.hpke_seal(public_key, context.info(), plaintext)


def check_cover(envelope: bytes) -> None:
    """Raise IntakeError unless an envelope is of this version and has room for its parts.

    The version is looked at first: other versions have other sizes. Codes:
    ENVELOPE_VERSION_UNKNOWN, ENVELOPE_TOO_SHORT.
    """
    version = envelope[:2]
    if len(version) == 2 and version != u16(ENVELOPE_VERSION):
        raise refusal(IntakeRefusal.ENVELOPE_VERSION_UNKNOWN)
    if len(envelope) < ENVELOPE_HEADER_BYTES + OVERHEAD_BYTES:
        raise refusal(IntakeRefusal.ENVELOPE_TOO_SHORT)


def open_envelope(context: SealContext, private_key: HpkePrivateKey, envelope: bytes) -> bytes:
    """Open an envelope; IntakeError (the sender's or relay's fault) if it is not for this context.

    Codes: ENVELOPE_TOO_SHORT, ENVELOPE_VERSION_UNKNOWN, ENVELOPE_FOR_OTHER_KEY,
    ENVELOPE_NOT_OPENED.
    """
    check_cover(envelope)
    if envelope[2:ENVELOPE_HEADER_BYTES] != context.key_id:
        raise refusal(IntakeRefusal.ENVELOPE_FOR_OTHER_KEY)
    try:
        return private_key.open(context.info(), envelope[ENVELOPE_HEADER_BYTES:])
    except CheckFailedError:
        raise refusal(IntakeRefusal.ENVELOPE_NOT_OPENED) from None


def encapsulation_digest(envelope: bytes) -> bytes:
    """Return SHA-256 of the ``enc`` of an envelope; a party takes each value once only."""
    check_cover(envelope)
    return sha256(envelope[ENVELOPE_HEADER_BYTES : ENVELOPE_HEADER_BYTES + ENC_BYTES])


def seal(
    purpose: Purpose | str,
    role: Role,
    study_id: bytes,
    config_digest: bytes,
    key_id: bytes,
    public_key: bytes,
    object_id: bytes,
    plaintext: bytes,
) -> bytes:
    """Seal a model, data upload or challenge to a party; pad the plaintext first."""
    context = SealContext(Purpose(purpose), role, study_id, config_digest, key_id, object_id)
    return seal_envelope(context, public_key, plaintext)


def open_sealed(
    purpose: Purpose | str,
    role: Role,
    study_id: bytes,
    config_digest: bytes,
    key_id: bytes,
    private_key: HpkePrivateKey,
    object_id: bytes,
    envelope: bytes,
) -> bytes:
    """Open what ``seal`` made; IntakeError as in open_envelope."""
    context = SealContext(Purpose(purpose), role, study_id, config_digest, key_id, object_id)
    return open_envelope(context, private_key, envelope)


def pad_message(data: bytes) -> bytes:
    """Return ``u32 length | data | zeros`` up to a multiple of 2048 bytes."""
    message = u32(len(data)) + data
    return message + bytes(-len(message) % PADDING_BLOCK_BYTES)


def unpad_message(padded: bytes) -> bytes:
    """Return the data of a padded message; IntakeError PADDING_BROKEN unless padded exactly."""
    length = int.from_bytes(padded[:4], "little")
    data = padded[4 : 4 + length]
    try:
        intact = pad_message(data) == padded
    except UsageError:
        intact = False
    if len(data) != length or not intact:
        raise refusal(IntakeRefusal.PADDING_BROKEN)
    return data
