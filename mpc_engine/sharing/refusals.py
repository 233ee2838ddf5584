"""Why a party refuses what it was sent: stable codes and the sentences people read."""

from __future__ import annotations

from enum import StrEnum

from mpc_engine.errors import IntakeError


class Refusal(StrEnum):
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


_SENTENCES = {
    Refusal.ENVELOPE_TOO_SHORT: "The sealed message is cut off.",
    Refusal.ENVELOPE_WRONG_SIZE: "The sealed message does not have the study's size.",
    Refusal.ENVELOPE_VERSION_UNKNOWN: "The sealed message has a version that we do not know.",
    Refusal.ENVELOPE_FOR_OTHER_KEY: "The message was sealed for another key.",
    Refusal.ENVELOPE_NOT_OPENED: "The sealed message does not open; it may be damaged or belong "
    "to another study or record.",
    Refusal.PADDING_BROKEN: "The sealed message is not padded as it should be.",
    Refusal.COMMON_VERSION_UNKNOWN: "The submission has a version that we do not know.",
    Refusal.OTHER_CONFIGURATION: "The submission was made for other rules of the study.",
    Refusal.OTHER_RECORD: "The submission belongs to another record.",
    Refusal.OTHER_SUBMISSION: "The sealed submission carries another number than its cover.",
    Refusal.OTHER_SEQUENCE: "The sealed submission carries another version than its cover.",
    Refusal.OTHER_ENTRY_COUNT: "The submission answers other questions than the study's.",
    Refusal.OWNER_KEY_UNUSABLE: "The sender's key can't be used.",
    Refusal.OTHER_OWNER_KEY: "The submission was made with another key than the one shown.",
    Refusal.SUBMISSION_SIGNATURE_WRONG: "The sender's signature does not fit both halves.",
    Refusal.CREDENTIAL_WRONG: "The invitation code does not fit this record.",
    Refusal.KEY_PAIR_EQUAL: "Two keys that must differ are equal.",
    Refusal.SENDER_KEY_MISMATCH: "A key does not fit what the submission promises.",
    Refusal.CHOSEN_KEY_MISMATCH: "The key for an answer does not fit the answer's share.",
    Refusal.FEATURE_OUT_OF_RANGE: "A value lies outside the study's range.",
    Refusal.LABEL_OUT_OF_RANGE: "The outcome is not one that the study knows.",
    Refusal.COMMITMENT_MISMATCH: "The values do not fit what the submission promises.",
    Refusal.ENVELOPE_REPEATED: "This sealed message has arrived before.",
    Refusal.OWNER_KEY_CHANGED: "Only the sender of the first answer can replace it.",
    Refusal.SEQUENCE_TAKEN: "Another answer with this version number has arrived before.",
}


def refusal(reason: Refusal) -> IntakeError:
    """Return the error for ``reason``; its sentence names neither values nor keys."""
    return IntakeError(_SENTENCES[reason], code=reason.value)
