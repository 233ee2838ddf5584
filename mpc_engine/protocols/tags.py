"""Message tags of the protocols, one constant per message."""

from __future__ import annotations

from enum import IntEnum


class ProtocolTag(IntEnum):
    """A message of `mpc_engine.protocols`."""

    SESSION_NONCE = 0x0301
    RECORD_LIST = 0x0302
    AGREED_RECORDS = 0x0303
    VALIDITY_PROMISES = 0x0304
    PROOF_OPENING = 0x0305
    DECODING_BITS = 0x0306
    THETA_COVERED = 0x0307
    FORCE_COVERED = 0x0308
    MASKED_TABLES = 0x0309
    FLIP_LABELS = 0x030A
    TABLE_KEY = 0x030B
    OUTPUT_PROMISES = 0x030C
    END_COMMITMENTS = 0x030D
    EXPECTED_PROOF = 0x030E
    DECODING_OPENING = 0x030F
    LABELS_CALL = 0x0310
    LABELS_OPENING = 0x0311
    CLOSING_COMMITMENT = 0x0312
    CLOSING_OPENING = 0x0313
