from __future__ import annotations

import hashlib
from random import Random

import numpy as np
import pytest

from mpc_engine.circuits import CircuitBuilder
from mpc_engine.circuits.sha256 import (
    INITIAL_STATE,
    ROUND_CONSTANTS,
    compress,
    midstate_of,
    public_bytes,
    sha256_circuit,
    sha256_wires,
)


def _bits(messages: list[bytes]) -> np.ndarray:
    return np.stack(
        [np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little") for data in messages]
    )


def _digests(bits: np.ndarray) -> list[bytes]:
    return [np.packbits(row, bitorder="little").tobytes() for row in bits]


@pytest.mark.slow
@pytest.mark.parametrize("n_bytes", range(201))
def test_the_circuit_equals_hashlib_at_every_length(n_bytes: int) -> None:
    messages = [
        bytes(n_bytes),
        b"\xff" * n_bytes,
        *(Random(n).randbytes(n_bytes) for n in range(4)),
    ]
    digests = _digests(sha256_circuit(n_bytes).evaluate(_bits(messages)))
    assert digests == [hashlib.sha256(message).digest() for message in messages]


@pytest.mark.parametrize("message", [b"abc", b"", b"a" * 1000])
def test_standard_vectors_are_met(message: bytes) -> None:
    expected = {
        b"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        b"": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        b"a" * 1000: "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3",
    }
    (digest,) = _digests(sha256_circuit(len(message)).evaluate(_bits([message])))
    assert digest.hex() == expected[message]


@pytest.mark.parametrize("n_prefix", [0, 1, 63, 64, 65, 128, 150])
def test_a_public_prefix_is_hashed_before_the_message(n_prefix: int) -> None:
    prefix, message = Random(1).randbytes(n_prefix), Random(2).randbytes(37)
    builder = CircuitBuilder()
    wires = builder.input("message", 8 * 37)
    digest = sha256_wires(builder, [wires[at : at + 8] for at in range(0, 296, 8)], prefix=prefix)
    builder.output("digest", [bit for byte in digest for bit in byte])
    assert _digests(builder.build().evaluate(_bits([message]))) == [
        hashlib.sha256(prefix + message).digest()
    ]


def test_whole_public_blocks_cost_no_gate() -> None:
    assert all(bit is True or bit is False for word in midstate_of(bytes(128)) for bit in word)
    builder = CircuitBuilder()
    digest = sha256_wires(builder, public_bytes(b"public"), prefix=bytes(60))
    builder.output("digest", [bit for byte in digest for bit in byte])
    assert builder.build().n_wires == 0


def test_a_secret_block_costs_at_most_22271_gates() -> None:
    builder = CircuitBuilder()
    words = [builder.input(str(at), 32) for at in range(24)]
    for at, word in enumerate(compress(builder, words[:8], words[8:])):
        builder.output(str(at), word)
    assert builder.build().n_ands == 22_271


def test_constants_are_those_of_the_standard() -> None:
    assert (INITIAL_STATE[0], INITIAL_STATE[-1]) == (0x6A09E667, 0x5BE0CD19)
    assert (ROUND_CONSTANTS[0], ROUND_CONSTANTS[-1]) == (0x428A2F98, 0xC67178F2)
