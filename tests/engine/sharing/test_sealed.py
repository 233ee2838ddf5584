"""Sealed models, data and challenges, and their padding."""

from __future__ import annotations

from typing import Any

import pytest

from mpc_engine.crypto.digests import sha256
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.errors import IntakeError, UsageError
from mpc_engine.roles import Role
from mpc_engine.sharing.sealed import (
    encapsulation_digest,
    open_sealed,
    pad_message,
    seal,
    unpad_message,
)
from tests.engine.sharing.listed import layout_of, read_vectors

FILE = read_vectors("sealed")
LAYOUT = layout_of(FILE["study"])
CASES = pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: case["purpose"])


def key_of(role: Role) -> HpkePrivateKey:
    return HpkePrivateKey(bytes.fromhex(FILE["party_keys"][role.value]["private_key"]))


def opened(case: dict[str, Any], envelope: bytes, **other: Any) -> bytes:
    role = Role(case["role"])
    context = {
        "purpose": case["purpose"],
        "role": role,
        "study_id": LAYOUT.study_id,
        "config_digest": LAYOUT.config_digest,
        "key_id": key_of(role).key_id,
        "private_key": key_of(role),
        "object_id": bytes.fromhex(case["object_id"]),
        "envelope": envelope,
    }
    return open_sealed(**{**context, **other})


@CASES
def test_the_vector_opens_to_its_padded_message(case: dict[str, Any]) -> None:
    plaintext = opened(case, bytes.fromhex(case["envelope"]))
    assert plaintext.hex() == case["plaintext"]
    assert pad_message(unpad_message(plaintext)) == plaintext


@CASES
def test_what_is_sealed_here_opens_in_the_same_context_only(case: dict[str, Any]) -> None:
    role = Role(case["role"])
    envelope = seal(
        case["purpose"],
        role,
        LAYOUT.study_id,
        LAYOUT.config_digest,
        key_of(role).key_id,
        key_of(role).public_bytes,
        bytes.fromhex(case["object_id"]),
        b"message",
    )
    assert opened(case, envelope) == b"message"
    others: list[tuple[str, Any, str]] = [
        ("purpose", "model" if case["purpose"] != "model" else "data", "ENVELOPE_NOT_OPENED"),
        ("role", role.peer, "ENVELOPE_NOT_OPENED"),
        ("study_id", bytes(16), "ENVELOPE_NOT_OPENED"),
        ("config_digest", bytes(32), "ENVELOPE_NOT_OPENED"),
        ("object_id", bytes(16), "ENVELOPE_NOT_OPENED"),
        ("private_key", key_of(role.peer), "ENVELOPE_NOT_OPENED"),
        ("key_id", bytes(16), "ENVELOPE_FOR_OTHER_KEY"),
        ("envelope", envelope[:-1], "ENVELOPE_NOT_OPENED"),
    ]
    for field, value, code in others:
        with pytest.raises(IntakeError) as refused:
            opened(case, **{"envelope": envelope, field: value})
        assert refused.value.code == code, field


@CASES
def test_envelopes_that_are_refused_name_the_reason(case: dict[str, Any]) -> None:
    for refused_one in case["refused_envelopes"]:
        with pytest.raises(IntakeError) as refused:
            opened(case, bytes.fromhex(refused_one["envelope"]))
        assert refused.value.code == refused_one["refusal"], refused_one["name"]


def test_two_seals_of_one_message_share_no_encapsulation() -> None:
    key = key_of(Role.MODELER)
    arguments = (LAYOUT.study_id, LAYOUT.config_digest, key.key_id, key.public_bytes, bytes(16))
    first, second = (seal("model", Role.MODELER, *arguments, b"") for _ in range(2))
    assert encapsulation_digest(first) == sha256(first[18:1138])
    assert encapsulation_digest(first) != encapsulation_digest(second)
    with pytest.raises(IntakeError, match="cut off"):
        encapsulation_digest(first[:1153])


def test_an_unusable_recipient_key_is_the_callers_fault() -> None:
    ids = (LAYOUT.study_id, LAYOUT.config_digest, bytes(16))
    for public_key in (b"", bytes(32), bytes(1216)):
        with pytest.raises(UsageError, match="X-Wing"):
            seal("model", Role.MODELER, *ids, public_key, bytes(16), b"message")


@pytest.mark.parametrize("case", FILE["padding"], ids=lambda case: str(len(case["data"]) // 2))
def test_padding_equals_the_vector(case: dict[str, Any]) -> None:
    padded = pad_message(bytes.fromhex(case["data"]))
    assert len(padded) == case["padded_bytes"]
    assert sha256(padded).hex() == case["digest"]
    assert unpad_message(padded).hex() == case["data"]


@pytest.mark.parametrize("case", FILE["refused_paddings"], ids=lambda case: case["name"])
def test_other_paddings_are_refused(case: dict[str, Any]) -> None:
    with pytest.raises(IntakeError) as refused:
        unpad_message(bytes.fromhex(case["padded"]))
    assert refused.value.code == "PADDING_BROKEN"
