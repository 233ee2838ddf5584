from __future__ import annotations

import json
from typing import Any

import pytest

from mpc_engine.control.files.descriptor import (
    PartyDescriptor,
    approver_file,
    parse_approver_file,
    parse_descriptor,
)
from mpc_engine.control.texts.canonical import canonical_text
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.errors import EngineError
from mpc_engine.roles import Role
from mpc_engine.testing.randomness import seeded_randomness

APPROVER = P256SigningKey.generate(seeded_randomness(1))
DESCRIPTOR = PartyDescriptor(
    Role.MODELER, "Bank", b"k" * 32, "-----BEGIN CERTIFICATE-----", {}, "127.0.0.1:7700", 64, 10_000
).with_approver(APPROVER.public_bytes)


def test_a_descriptor_reads_back_with_or_without_a_last_line_end() -> None:
    assert parse_descriptor(DESCRIPTOR.to_text()) == DESCRIPTOR
    assert parse_descriptor(DESCRIPTOR.to_text() + "\n") == DESCRIPTOR


@pytest.mark.parametrize(
    "change",
    [
        {"role": "web"},
        {"signing_key": "00"},
        {"approvers": [{"key_id": "00" * 16, "public_key": APPROVER.public_bytes.hex()}]},
        {"approvers": [{"key_id": "00" * 16, "public_key": "04" + "00" * 64}]},
        {"extra": 1},
        {"format": "bj1 party"},
        {"question_bits_limit": 0},
        {"training_bits_limit": "64"},
    ],
)
def test_a_broken_descriptor_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(EngineError):
        parse_descriptor(canonical_text({**json.loads(DESCRIPTOR.to_text()), **change}))


def test_an_approvers_file_reads_back() -> None:
    role, key = parse_approver_file(approver_file(Role.REGULATOR, APPROVER))
    assert (role, key.public_bytes) == (Role.REGULATOR, APPROVER.public_bytes)


@pytest.mark.parametrize(
    "change", [{"key_id": "00" * 16}, {"private_key": {}}, {"role": "web"}, {"format": "x"}]
)
def test_a_broken_approvers_file_is_refused(change: dict[str, Any]) -> None:
    value = json.loads(approver_file(Role.REGULATOR, APPROVER))
    with pytest.raises(EngineError):
        parse_approver_file(canonical_text({**value, **change}))
