"""Why a party refuses what it was sent: stable codes, with their sentences in ``error_words``."""

from __future__ import annotations

from enum import StrEnum

from mpc_engine.error_words.answers import WORDS
from mpc_engine.errors import IntakeError


class IntakeRefusal(StrEnum):
    """Reasons, in the order in which intake checks them."""

    ENVELOPE_TOO_SHORT = "ENVELOPE_TOO_SHORT"
    ENVELOPE_WRONG_SIZE = "ENVELOPE_WRONG_SIZE"
    ENVELOPE_VERSION_UNKNOWN = "ENVELOPE_VERSION_UNKNOWN"
    ENVELOPE_FOR_OTHER_KEY = "ENVELOPE_FOR_OTHER_KEY"
    ENVELOPE_NOT_OPENED = "ENVELOPE_NOT_OPENED"
    PADDING_BROKEN = "PADDING_BROKEN"
    COMMON_VERSION_UNKNOWN = "COMMON_VERSION_UNKNOWN"
    OTHER_CONFIGURATION = "OTHER_CONFIGURATION"
    OTHER_RECORD = "OTHER_RECORD"
    OTHER_SUBMISSION = "OTHER_SUBMISSION"
    OTHER_SEQUENCE = "OTHER_SEQUENCE"
    OTHER_ENTRY_COUNT = "OTHER_ENTRY_COUNT"
    OWNER_KEY_UNUSABLE = "OWNER_KEY_UNUSABLE"
    OTHER_OWNER_KEY = "OTHER_OWNER_KEY"
    SUBMISSION_SIGNATURE_WRONG = "SUBMISSION_SIGNATURE_WRONG"
    CREDENTIAL_WRONG = "CREDENTIAL_WRONG"
    KEY_PAIR_EQUAL = "KEY_PAIR_EQUAL"
    SENDER_KEY_MISMATCH = "SENDER_KEY_MISMATCH"
    CHOSEN_KEY_MISMATCH = "CHOSEN_KEY_MISMATCH"
    FEATURE_OUT_OF_RANGE = "FEATURE_OUT_OF_RANGE"
    LABEL_OUT_OF_RANGE = "LABEL_OUT_OF_RANGE"
    COMMITMENT_MISMATCH = "COMMITMENT_MISMATCH"
    ENVELOPE_REPEATED = "ENVELOPE_REPEATED"
    OWNER_KEY_CHANGED = "OWNER_KEY_CHANGED"
    SEQUENCE_TAKEN = "SEQUENCE_TAKEN"


def refusal(reason: IntakeRefusal) -> IntakeError:
    """Return the error for ``reason``; its sentence names neither values nor keys."""
    return IntakeError(WORDS[reason].what, code=reason.value)
