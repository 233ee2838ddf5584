"""HPKE: vectors made by a second writing of the RFC, which reproduces the RFC's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.crypto.hpke import OVERHEAD_BYTES, HpkePrivateKey, hpke_seal
from mpc_engine.errors import CheckFailedError, UsageError
from mpc_engine.testing.randomness import seeded_randomness

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
FILE = json.loads((VECTORS / "hpke.json").read_text(encoding="ascii"))


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: str(len(case["plaintext"]) // 2))
def test_a_sealed_vector_opens(case: dict[str, Any]) -> None:
    key = HpkePrivateKey(bytes.fromhex(case["private_key"]))
    info, sealed = bytes.fromhex(case["info"]), bytes.fromhex(case["sealed"])
    assert key.public_bytes.hex() == case["public_key"]
    assert key.key_id.hex() == case["key_id"]
    assert key.private_bytes().hex() == case["private_key"]
    assert key.open(info, sealed).hex() == case["plaintext"]
    altered = bytes([sealed[0] ^ 1]) + sealed[1:]
    stranger = HpkePrivateKey.generate(seeded_randomness(1))
    for opener, context, data in (
        (stranger, info, sealed),
        (key, info + b"\0", sealed),
        (key, info, altered),
        (key, info, sealed[:-1]),
        (key, info, sealed[: OVERHEAD_BYTES - 1]),
        (key, info, b""),
        (key, info, bytes(32) + sealed[32:]),
    ):
        with pytest.raises(CheckFailedError) as refused:
            opener.open(context, data)
        assert refused.value.code == "SEAL_NOT_OPENED"


def test_a_seal_is_fresh_and_opens_for_its_recipient() -> None:
    key = HpkePrivateKey.generate(seeded_randomness(2))
    first, second = (hpke_seal(key.public_bytes, b"info", b"message") for _ in range(2))
    assert first != second
    assert len(first) == len(b"message") + OVERHEAD_BYTES
    assert key.open(b"info", first) == key.open(b"info", second) == b"message"


def test_an_unusable_key_is_refused() -> None:
    for public_key in (b"", bytes(32), bytes(33)):
        with pytest.raises(UsageError):
            hpke_seal(public_key, b"", b"")
    with pytest.raises(UsageError):
        HpkePrivateKey(bytes(31))


def test_printing_a_key_shows_its_id_only() -> None:
    key = HpkePrivateKey.generate(seeded_randomness(4))
    assert repr(key) == f"<HpkePrivateKey {key.key_id.hex()}>"
