"""Streams side by side equal OpenSSL's counter mode, and the generator made of them is `Prg`."""

from __future__ import annotations

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from mpc_engine.crypto.prg import Prg, PrgRows
from mpc_engine.errors import UsageError
from mpc_engine.kernels.aes import AES_PATHS, AesPath
from mpc_engine.kernels.stream_rows import add_streams, stream_schedules
from tests.engine.kernels.paths import EVERY_AES_PATH, why_not

ON_VECTORS = pytest.mark.skipif(
    AesPath.VECTOR not in AES_PATHS, reason=why_not(AesPath.VECTOR.value)
)
ALL = ~np.uint64(0)
WIDTHS = [2, 30, 32, 34, 64, 98]


def words(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, shape, dtype=np.uint64)


def counter_mode(seed: np.ndarray, first: int, n_words: int) -> np.ndarray:
    cipher = Cipher(algorithms.AES(seed.tobytes()), modes.CTR(first.to_bytes(16, "big")))
    return np.frombuffer(cipher.encryptor().update(bytes(8 * n_words)), np.uint64)


@ON_VECTORS
@pytest.mark.parametrize("first", [0, 1, 255, 2**32 - 1, 2**40])
@pytest.mark.parametrize("n_words", WIDTHS)
def test_every_row_is_its_stream_added_to_what_the_mask_keeps(n_words: int, first: int) -> None:
    seeds, source, masks = words(1, 5, 2), words(2, 5, n_words), words(3, 5)
    target = np.empty_like(source)
    add_streams(stream_schedules(seeds), first, source, masks, target)
    streams = np.array([counter_mode(seed, first, n_words) for seed in seeds])
    assert np.array_equal(target, streams ^ (source & masks[:, None]))


@ON_VECTORS
def test_a_matrix_may_take_the_place_of_what_is_added() -> None:
    seeds, source = words(1, 3, 2), words(2, 3, 36)
    expected = np.array([counter_mode(seed, 0, 36) for seed in seeds]) ^ source
    add_streams(stream_schedules(seeds), 0, source, np.full(3, ALL), source)
    assert np.array_equal(source, expected)


@EVERY_AES_PATH
def test_rows_go_on_like_generators_of_the_same_seeds(path: AesPath) -> None:
    seeds = words(4, 6, 2)
    rows, alone = PrgRows(seeds, path), [Prg(seed.tobytes()) for seed in seeds]
    for n_words in WIDTHS:
        source, masks = words(n_words, 6, n_words), words(5, 6)
        expected = np.array([prg.words(n_words) for prg in alone]) ^ (source & masks[:, None])
        assert np.array_equal(rows.add(source, masks), expected)


@EVERY_AES_PATH
def test_forgotten_rows_neither_print_a_key_nor_go_on(path: AesPath) -> None:
    rows = PrgRows(words(1, 3, 2), path)
    assert repr(rows) == "PrgRows(rows=3, <secret>)"
    rows.forget()
    with pytest.raises(UsageError, match="ended"):
        rows.add(words(1, 3, 2), words(2, 3))


@pytest.mark.parametrize(
    ("source", "masks", "target"),
    [
        (np.zeros((2, 4), np.uint64), np.zeros(3, np.uint64), np.zeros((3, 4), np.uint64)),
        (np.zeros((3, 4), np.uint64), np.zeros(2, np.uint64), np.zeros((3, 4), np.uint64)),
        (np.zeros((3, 4), np.int64), np.zeros(3, np.uint64), np.zeros((3, 4), np.uint64)),
        (np.zeros((3, 3), np.uint64), np.zeros(3, np.uint64), np.zeros((3, 3), np.uint64)),
        (np.zeros((3, 4), np.uint64), np.zeros(3, np.uint64), np.zeros((3, 8), np.uint64)[:, ::2]),
    ],
)
def test_other_types_and_shapes_are_refused(
    source: np.ndarray, masks: np.ndarray, target: np.ndarray
) -> None:
    with pytest.raises(ValueError, match="rows"):
        add_streams(np.zeros((3, 11, 4, 2), np.uint64), 0, source, masks, target)


def test_seeds_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="seeds"):
        stream_schedules(np.zeros(4, np.uint64))
