from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mpc_engine.control.files.decision_record import parse_decision_record, sign_decision_record
from mpc_engine.crypto.signatures import Ed25519SigningKey
from mpc_engine.errors import EngineError, InvalidSignatureError
from mpc_engine.testing.randomness import seeded_randomness

KEY, OTHER = (Ed25519SigningKey.generate(seeded_randomness(seed)) for seed in (1, 2))
RECORD = sign_decision_record(
    certificate_id=b"c" * 16,
    configuration=b"d" * 32,
    case_id="A-17",
    decision=0,
    x=[1, -2],
    issued_at=datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC),
    key=KEY,
)


def test_a_record_reads_back_under_its_signers_key() -> None:
    assert parse_decision_record(RECORD.to_json(), KEY.public_bytes) == RECORD


def test_a_record_shows_no_features_when_printed() -> None:
    assert "-2" not in repr(RECORD)


def test_another_signer_or_an_altered_decision_is_refused() -> None:
    altered = {**RECORD.to_json(), "body": RECORD.body.replace('"decision":0', '"decision":1')}
    for value, key in ((RECORD.to_json(), OTHER), (altered, KEY)):
        with pytest.raises(InvalidSignatureError) as caught:
            parse_decision_record(value, key.public_bytes)
        assert caught.value.code == "DECISION_RECORD_SIGNATURE_INVALID"


@pytest.mark.parametrize(
    "value", [None, [], {}, {"body": "{}", "signature": "00" * 64}, {"body": 1, "signature": 2}]
)
def test_what_is_no_record_is_refused(value: Any) -> None:
    with pytest.raises(EngineError):
        parse_decision_record(value, KEY.public_bytes)
