"""HPKE: vectors made by a second writing, which reproduces the RFC's and X-Wing's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from mpc_engine.crypto.hpke import OVERHEAD_BYTES, HpkePrivateKey, check_public_key, hpke_seal
from mpc_engine.errors import CheckFailedError, UsageError
from mpc_engine.testing.randomness import seeded_randomness
from tests.vectors.reference_hpke import key_schedule

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
    for opener, context in (
        (HpkePrivateKey.generate(seeded_randomness(1)), info),
        (key, info + b"\0"),
    ):
        with pytest.raises(CheckFailedError) as refused:
            opener.open(context, sealed)
        assert refused.value.code == "SEAL_NOT_OPENED"


@pytest.mark.parametrize("case", FILE["refused_seals"], ids=lambda case: case["name"])
def test_other_seals_are_refused(case: dict[str, Any]) -> None:
    key = HpkePrivateKey(bytes.fromhex(case["private_key"]))
    with pytest.raises(CheckFailedError) as refused:
        key.open(bytes.fromhex(case["info"]), bytes.fromhex(case["sealed"]))
    assert refused.value.code == "SEAL_NOT_OPENED"


@pytest.mark.parametrize("case", FILE["x_wing"], ids=lambda case: case["shared_secret"][:8])
def test_a_key_of_the_x_wing_draft_has_its_public_half(case: dict[str, Any]) -> None:
    key = HpkePrivateKey(bytes.fromhex(case["private_key"]))
    assert key.public_bytes.hex() == case["public_key"]
    secret, info = bytes.fromhex(case["shared_secret"]), b"info"
    schedule_key, nonce = key_schedule(secret, info)
    sealed = bytes.fromhex(case["enc"]) + AESGCM(schedule_key).encrypt(nonce, b"message", b"")
    assert key.open(info, sealed) == b"message"


def test_a_seal_is_fresh_and_opens_for_its_recipient() -> None:
    key = HpkePrivateKey.generate(seeded_randomness(2))
    first, second = (hpke_seal(key.public_bytes, b"info", b"message") for _ in range(2))
    assert first != second
    assert len(first) == len(b"message") + OVERHEAD_BYTES
    assert key.open(b"info", first) == key.open(b"info", second) == b"message"


@pytest.mark.parametrize("case", FILE["refused_public_keys"], ids=lambda case: case["name"])
def test_a_key_that_cannot_be_sealed_to_is_refused(case: dict[str, Any]) -> None:
    public_key = bytes.fromhex(case["public_key"])
    for use in (check_public_key, lambda key: hpke_seal(key, b"", b"")):
        with pytest.raises(UsageError, match="X-Wing"):
            use(public_key)


@pytest.mark.parametrize("n_bytes", [0, 32, 64, 95, 97])
def test_a_private_key_has_one_size(n_bytes: int) -> None:
    with pytest.raises(UsageError, match="96 bytes"):
        HpkePrivateKey(bytes(n_bytes))


def test_printing_a_key_shows_its_id_only() -> None:
    key = HpkePrivateKey.generate(seeded_randomness(4))
    assert repr(key) == f"<HpkePrivateKey {key.key_id.hex()}>"
