"""Signatures: vectors, and everything that must not verify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.crypto.signatures import (
    Ed25519SigningKey,
    P256SigningKey,
    verify_ed25519,
    verify_p256,
)
from mpc_engine.errors import InvalidSignatureError, UsageError
from mpc_engine.testing.randomness import seeded_randomness

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
FILE = json.loads((VECTORS / "signatures.json").read_text(encoding="ascii"))


@pytest.mark.parametrize("case", FILE["ed25519"], ids=lambda case: case["public_key"][:8])
def test_ed25519_equals_the_vector(case: dict[str, Any]) -> None:
    private, public, message, signature = (
        bytes.fromhex(case[name]) for name in ("private_key", "public_key", "message", "signature")
    )
    key = Ed25519SigningKey(private)
    assert key.public_bytes == public
    assert key.private_bytes() == private
    assert key.sign(message) == signature
    verify_ed25519(public, message, signature)
    other = Ed25519SigningKey.generate(seeded_randomness(1))
    refused = [
        (public, message + b"\0", signature),
        (public, message, signature[:-1]),
        (public, message, b""),
        (public, message, bytes(64)),
        (public, message, other.sign(message)),
        (other.public_bytes, message, signature),
        (public[:-1], message, signature),
        (b"", message, signature),
    ]
    for arguments in refused:
        with pytest.raises(InvalidSignatureError):
            verify_ed25519(*arguments)


@pytest.mark.parametrize("case", FILE["p256"], ids=lambda case: case["key_id"][:8])
def test_p256_equals_the_vector(case: dict[str, Any]) -> None:
    public, message = bytes.fromhex(case["public_key"]), bytes.fromhex(case["message"])
    key = P256SigningKey(int(case["secret"], 16))
    assert key.public_bytes == public
    assert key.key_id.hex() == case["key_id"]
    assert key.to_jwk() == case["jwk"]
    assert key.sign(message).hex() == case["signature"]
    assert P256SigningKey.from_jwk(case["jwk"]).secret_scalar() == key.secret_scalar()
    verify_p256(public, message, bytes.fromhex(case["signature"]))
    for signature in case["refused_signatures"].values():
        with pytest.raises(InvalidSignatureError):
            verify_p256(public, message, bytes.fromhex(signature))


@pytest.mark.parametrize(
    "public_key",
    [b"", bytes(65), b"\4" + bytes(64), b"\2" + bytes(32), b"\4" + b"\xff" * 64, bytes(64)],
    ids=lambda key: key[:2].hex() + f"-{len(key)}",
)
def test_what_is_no_point_of_the_curve_is_refused(public_key: bytes) -> None:
    with pytest.raises(UsageError):
        verify_p256(public_key, b"", bytes(64))


@pytest.mark.parametrize("scalar", [0, -1, 1 << 256])
def test_a_secret_outside_the_group_is_refused(scalar: int) -> None:
    with pytest.raises(UsageError):
        P256SigningKey(scalar)


def test_a_broken_key_file_is_refused() -> None:
    jwk = FILE["p256"][0]["jwk"]
    other = FILE["p256"][1]["jwk"]
    for broken in (
        {},
        {**jwk, "kty": "RSA"},
        {**jwk, "crv": "P-384"},
        {**jwk, "d": jwk["d"][:-1]},
        {**jwk, "d": 5},
        {**jwk, "d": "A" * 43},
        {**jwk, "x": "\u00e9" * 43},
        {**jwk, "d": other["d"]},
        {**jwk, "x": other["x"], "y": other["y"]},
    ):
        with pytest.raises(UsageError):
            P256SigningKey.from_jwk(broken)


def test_printing_a_key_shows_its_id_only() -> None:
    rng = seeded_randomness(3)
    ed25519, p256 = Ed25519SigningKey.generate(rng), P256SigningKey.generate(rng)
    assert repr(ed25519) == f"<Ed25519SigningKey {ed25519.key_id.hex()}>"
    assert repr(p256) == f"<P256SigningKey {p256.key_id.hex()}>"
    with pytest.raises(UsageError):
        Ed25519SigningKey(bytes(31))
