"""Generators: streams that continue, draws that are uniform, sources that stay apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB

from mpc_engine.crypto.prg import Prg
from mpc_engine.crypto.rng import Randomness, system_randomness
from mpc_engine.errors import UsageError
from mpc_engine.testing.randomness import seeded_randomness

SEED = bytes(range(16))
EVERY_SOURCE = pytest.mark.parametrize("source", [system_randomness, lambda: seeded_randomness(1)])


def test_the_generator_is_aes_of_a_counter_from_zero() -> None:
    counters = b"".join(i.to_bytes(16, "big") for i in range(3))
    expected = Cipher(AES(SEED), ECB()).encryptor().update(counters)
    assert Prg(SEED).bytes(48) == expected


@pytest.mark.parametrize("cuts", [(1, 200_000), (65_536, 65_536, 68_929), (0, 200_001)])
def test_a_stream_does_not_depend_on_how_it_is_cut(cuts: tuple[int, ...]) -> None:
    stream = Prg(SEED)
    assert b"".join(stream.bytes(n) for n in cuts) == Prg(SEED).bytes(200_001)


@pytest.mark.parametrize("shape", [(0,), (3,), (5, 2), (9000, 2), (0, 2)])
def test_words_are_the_bytes_read_little_endian(shape: tuple[int, ...]) -> None:
    words = Prg(SEED).words(*shape)
    assert words.shape == shape
    assert words.dtype == np.uint64
    assert words.tobytes() == Prg(SEED).bytes(words.nbytes)


@pytest.mark.parametrize("n_bytes", [0, 15, 17, 32])
def test_a_seed_of_another_length_is_refused(n_bytes: int) -> None:
    with pytest.raises(UsageError):
        Prg(bytes(n_bytes))


@EVERY_SOURCE
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 100_000])
def test_every_source_gives_what_is_asked(source: Callable[[], Randomness], n: int) -> None:
    rng = source()
    assert len(rng.bytes(n)) == n
    bits = rng.bits(n)
    assert bits.dtype == np.uint8
    assert len(bits) == n
    assert bits.max(initial=0) <= 1
    words = rng.words(n, 2)
    assert words.dtype == np.uint64
    assert words.shape == (n, 2)
    words[:] = 0


@EVERY_SOURCE
@pytest.mark.parametrize("n_bytes", [4096, 4097, 125_000])
def test_draws_are_balanced_and_differ(source: Callable[[], Randomness], n_bytes: int) -> None:
    """Seven standard deviations: the system's source alarms falsely once in 10^11 runs."""
    rng = source()
    first, second = rng.bytes(n_bytes), rng.bytes(n_bytes)
    assert first != second
    ones = int(np.unpackbits(np.frombuffer(first, np.uint8)).sum())
    assert abs(ones - 4 * n_bytes) < 7 * (2 * n_bytes) ** 0.5


def test_a_seed_repeats_its_draws_and_no_other_seeds() -> None:
    assert seeded_randomness(5).bytes(64) == seeded_randomness(5).bytes(64)
    assert seeded_randomness(5).bytes(64) != seeded_randomness(6).bytes(64)


def test_a_generator_shows_nothing_when_printed() -> None:
    assert repr(Prg(SEED)) == "Prg(<secret>)"
