from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.errors import UsageError
from mpc_engine.kernels.aes import (
    AES_PATH,
    AES_PATHS,
    AesPath,
    encrypt_blocks,
    expand_key,
    hash_blocks,
    hash_counted,
    hash_pairs,
)
from mpc_engine.testing.twins import aes as twin
from tests.engine.kernels.paths import EVERY_AES_PATH

SIZES = [0, 1, 2, 3, 4, 5, 8, 31, 1000]


def _words(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, (n, 2), dtype=np.uint64)


def _key(seed: int) -> bytes:
    return np.random.default_rng(seed).bytes(16)


def test_the_fastest_path_of_the_machine_is_chosen() -> None:
    assert AES_PATH is AES_PATHS[0]


@EVERY_AES_PATH
def test_the_vector_of_fips_197_appendix_c1_is_met(path: AesPath) -> None:
    round_keys = expand_key(bytes(range(16)), path)
    plain = np.frombuffer(bytes.fromhex("00112233445566778899aabbccddeeff"), np.uint64)
    cipher = encrypt_blocks(plain.reshape(1, 2), round_keys, path)
    assert cipher.tobytes().hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"


@EVERY_AES_PATH
def test_the_last_round_key_of_fips_197_appendix_a1_is_met(path: AesPath) -> None:
    words = expand_key(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"), path)
    assert words[-2:].tobytes().hex() == "d014f9a8c9ee2589e13f0cc8b6630ca6"


@EVERY_AES_PATH
@pytest.mark.parametrize("n", SIZES)
def test_encryption_equals_its_twin(path: AesPath, n: int) -> None:
    key, blocks = _key(n), _words(n, n)
    assert np.array_equal(
        encrypt_blocks(blocks, expand_key(key, path), path), twin.encrypt_blocks(blocks, key)
    )


@EVERY_AES_PATH
@pytest.mark.parametrize("n", SIZES)
def test_hashing_equals_its_twin(path: AesPath, n: int) -> None:
    key, blocks, tweaks = _key(n), _words(n, n), _words(n + 1, n)
    assert np.array_equal(
        hash_blocks(blocks, tweaks, expand_key(key, path), path),
        twin.hash_blocks(blocks, tweaks, key),
    )


@pytest.mark.slow
@EVERY_AES_PATH
@pytest.mark.parametrize("n", SIZES)
def test_counted_hashing_equals_hashing_under_the_same_tweaks(path: AesPath, n: int) -> None:
    round_keys, blocks, first, high = expand_key(_key(n), path), _words(n, n), 2**64 - n, 77
    tweaks = np.array([(first + at, high) for at in range(n)], np.uint64).reshape(n, 2)
    assert np.array_equal(
        hash_counted(blocks, first % 2**64, high, round_keys, path),
        hash_blocks(blocks, tweaks, round_keys, path),
    )


@EVERY_AES_PATH
@pytest.mark.parametrize("n", SIZES)
def test_pairs_are_the_hashes_of_a_block_and_of_its_sum_under_one_tweak(
    path: AesPath, n: int
) -> None:
    round_keys, blocks, offset = expand_key(_key(n), path), _words(n, n), _words(9, 1)[0]
    result = np.empty((n, 2, 2), np.uint64)
    hash_pairs(blocks, offset, 2**63, 77, round_keys, result, path)
    for number, given in enumerate((blocks, blocks ^ offset)):
        expected = hash_counted(given, 2**63, 77, round_keys, path)
        assert np.array_equal(result[:, number], expected)


@pytest.mark.parametrize(
    ("offset", "result"),
    [
        (np.zeros(3, np.uint64), np.zeros((3, 2, 2), np.uint64)),
        (np.zeros(2, np.uint64), np.zeros((3, 2), np.uint64)),
        (np.zeros(2, np.uint64), np.zeros((6, 2, 2), np.uint64)[::2]),
    ],
)
def test_pairs_of_another_shape_are_refused(offset: np.ndarray, result: np.ndarray) -> None:
    with pytest.raises(UsageError):
        hash_pairs(_words(1, 3), offset, 0, 0, expand_key(_key(1)), result)


def test_portable_s_box_is_right_for_every_byte_in_every_place() -> None:
    key = _key(7)
    blocks = np.stack([np.full(16, byte, np.uint8).view(np.uint64) for byte in range(256)])
    blocks = np.roll(blocks, 1, axis=0) ^ np.frombuffer(key, np.uint64)
    assert np.array_equal(
        encrypt_blocks(blocks, expand_key(key), AesPath.PORTABLE), twin.encrypt_blocks(blocks, key)
    )


def test_blocks_may_be_a_view_with_strides() -> None:
    key, wide = _key(3), _words(3, 40)
    assert np.array_equal(
        encrypt_blocks(wide[::2], expand_key(key)), twin.encrypt_blocks(wide[::2], key)
    )


@pytest.mark.parametrize(
    "blocks", [np.zeros((2, 2), np.int64), np.zeros(4, np.uint64), np.zeros((2, 3), np.uint64)]
)
def test_arrays_that_are_no_blocks_are_refused(blocks: np.ndarray) -> None:
    with pytest.raises(UsageError, match="Blocks"):
        encrypt_blocks(blocks, expand_key(bytes(16)))


def test_tweaks_of_another_shape_are_refused() -> None:
    with pytest.raises(UsageError, match="Tweaks"):
        hash_blocks(_words(0, 3), _words(0, 2), expand_key(bytes(16)))


def test_a_key_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(UsageError, match="16 bytes"):
        expand_key(bytes(15))
