"""AES-128 over arrays of blocks: the fixed permutation behind every hash of the engine.

A block is two little-endian uint64 words (word 0 = bytes 0..7). The vector path uses AES
instructions on four blocks each, the native path on one, the portable path is bitsliced; all give
the same bytes and none indexes memory by a secret. ``AES_PATH`` is the fastest one of this machine.

Kernels are compiled for the path that the type of their key schedule names (one dimension: native,
two: portable, three: vector). Closures over compiled functions would do as well, but numba cannot
find those again in its cache.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.kernels import aes_native, aes_portable, aes_vector
from mpc_engine.kernels.jit import (
    compiled,
    machine_has_aes,
    machine_has_vector_aes,
    read_only,
)

Blocks = NDArray[np.uint64]

AES_KEY_BYTES = 16
ROUND_KEY_WORDS = 22


class AesPath(Enum):
    """A way to compute AES, the fastest first."""

    VECTOR = "vector"
    NATIVE = "native"
    PORTABLE = "portable"


AES_PATHS = [
    *([AesPath.VECTOR] if machine_has_vector_aes() else []),
    *([AesPath.NATIVE] if machine_has_aes() else []),
    AesPath.PORTABLE,
]
"""The ways that this machine has, the fastest first."""
AES_PATH = AES_PATHS[0]


def expand_key(key: bytes, path: AesPath = AES_PATH) -> Blocks:
    """Return the round keys uint64[22] of a 16-byte key (FIPS 197, section 5.2).

    No table is indexed by the key. Raises ``UsageError`` for a key of another length.
    """
    if len(key) != AES_KEY_BYTES:
        raise UsageError("An AES-128 key has 16 bytes.")
    portable = path is AesPath.PORTABLE
    substitute_word = aes_portable.substitute_word if portable else aes_native.substitute_word
    words = [int.from_bytes(key[at : at + 4], "little") for at in range(0, AES_KEY_BYTES, 4)]
    constant = 1
    for number in range(4, 2 * ROUND_KEY_WORDS):
        word = words[-1]
        if number % 4 == 0:
            rotated = word >> 8 | (word & 0xFF) << 24
            word = int(substitute_word(np.uint32(rotated))) ^ constant
            constant = constant << 1 ^ (constant >> 7) * 0x11B
        words.append(words[-4] ^ word)
    return np.array(words, np.uint32).view(np.uint64)


def key_schedule(round_keys: Blocks, path: AesPath = AES_PATH) -> Blocks:
    """Return the schedule that kernels take, for round keys uint64[22]."""
    if round_keys.dtype != np.uint64 or round_keys.shape != (ROUND_KEY_WORDS,):
        raise UsageError("Round keys are uint64[22].")
    round_keys = read_only(round_keys)
    if path is AesPath.VECTOR:
        return read_only(aes_vector.repeat_keys(round_keys))
    if path is AesPath.PORTABLE:
        return read_only(aes_portable.plane_keys_of(round_keys))
    return round_keys


@compiled
def encrypt_four(words: Any, schedule: Blocks) -> Any:
    """Encrypt four blocks, a tuple of eight uint64."""
    if schedule.ndim != 2:
        return aes_native.encrypt(words, schedule)
    return aes_portable.encrypt_four(words, schedule)


@compiled
def hash_four(words: Any, tweaks: Any, schedule: Blocks) -> Any:
    """Hash four blocks with four tweaks, tuples of eight uint64: pi(pi(x) ^ i) ^ pi(x)."""
    if schedule.ndim != 2:
        return aes_native.hash_tweaked(words, tweaks, schedule)
    return aes_portable.hash_four(words, tweaks, schedule)


@compiled
def hash_two(words: Any, tweaks: Any, schedule: Blocks) -> Any:
    """Hash two blocks with two tweaks, tuples of four uint64."""
    if schedule.ndim != 2:
        return aes_native.hash_tweaked(words, tweaks, schedule)
    return aes_portable.hash_two(words, tweaks, schedule)


@compiled
def _encrypt_into(blocks: Blocks, schedule: Blocks, result: Blocks) -> None:
    none = np.uint64(0)
    done = 0
    if schedule.ndim == 3:
        done = blocks.shape[0] & ~15
        for at in range(0, done, 16):
            aes_vector.encrypt_vectors(blocks, at, schedule, result)
    whole = blocks.shape[0] & ~3
    for at in range(done, whole, 4):
        words = (
            blocks[at, 0],
            blocks[at, 1],
            blocks[at + 1, 0],
            blocks[at + 1, 1],
            blocks[at + 2, 0],
            blocks[at + 2, 1],
            blocks[at + 3, 0],
            blocks[at + 3, 1],
        )
        c = encrypt_four(words, schedule)
        result[at, 0], result[at, 1] = c[0], c[1]
        result[at + 1, 0], result[at + 1, 1] = c[2], c[3]
        result[at + 2, 0], result[at + 2, 1] = c[4], c[5]
        result[at + 3, 0], result[at + 3, 1] = c[6], c[7]
    for at in range(whole, blocks.shape[0]):
        words = (blocks[at, 0], blocks[at, 1], none, none, none, none, none, none)
        c = encrypt_four(words, schedule)
        result[at, 0], result[at, 1] = c[0], c[1]


@compiled
def _hash_into(blocks: Blocks, tweaks: Blocks, schedule: Blocks, result: Blocks) -> None:
    none = np.uint64(0)
    done = 0
    if schedule.ndim == 3:
        done = blocks.shape[0] & ~15
        for at in range(0, done, 16):
            aes_vector.hash_vectors(blocks, tweaks, at, schedule, result)
    whole = blocks.shape[0] & ~3
    for at in range(done, whole, 4):
        words = (
            blocks[at, 0],
            blocks[at, 1],
            blocks[at + 1, 0],
            blocks[at + 1, 1],
            blocks[at + 2, 0],
            blocks[at + 2, 1],
            blocks[at + 3, 0],
            blocks[at + 3, 1],
        )
        i = (
            tweaks[at, 0],
            tweaks[at, 1],
            tweaks[at + 1, 0],
            tweaks[at + 1, 1],
            tweaks[at + 2, 0],
            tweaks[at + 2, 1],
            tweaks[at + 3, 0],
            tweaks[at + 3, 1],
        )
        h = hash_four(words, i, schedule)
        result[at, 0], result[at, 1] = h[0], h[1]
        result[at + 1, 0], result[at + 1, 1] = h[2], h[3]
        result[at + 2, 0], result[at + 2, 1] = h[4], h[5]
        result[at + 3, 0], result[at + 3, 1] = h[6], h[7]
    for at in range(whole, blocks.shape[0]):
        words = (blocks[at, 0], blocks[at, 1], none, none, none, none, none, none)
        i = (tweaks[at, 0], tweaks[at, 1], none, none, none, none, none, none)
        h = hash_four(words, i, schedule)
        result[at, 0], result[at, 1] = h[0], h[1]


@compiled
def _hash_counted_into(
    blocks: Blocks, first: np.uint64, high: np.uint64, schedule: Blocks, result: Blocks
) -> None:
    none = np.uint64(0)
    done = 0
    if schedule.ndim == 3:
        done = blocks.shape[0] & ~15
        for at in range(0, done, 16):
            aes_vector.hash_counted_vectors(
                blocks, at, first + np.uint64(at), high, schedule, result
            )
    whole = blocks.shape[0] & ~3
    for at in range(done, whole, 4):
        words = (
            blocks[at, 0],
            blocks[at, 1],
            blocks[at + 1, 0],
            blocks[at + 1, 1],
            blocks[at + 2, 0],
            blocks[at + 2, 1],
            blocks[at + 3, 0],
            blocks[at + 3, 1],
        )
        low = first + np.uint64(at)
        i = (
            low,
            high,
            low + np.uint64(1),
            high,
            low + np.uint64(2),
            high,
            low + np.uint64(3),
            high,
        )
        h = hash_four(words, i, schedule)
        result[at, 0], result[at, 1] = h[0], h[1]
        result[at + 1, 0], result[at + 1, 1] = h[2], h[3]
        result[at + 2, 0], result[at + 2, 1] = h[4], h[5]
        result[at + 3, 0], result[at + 3, 1] = h[6], h[7]
    for at in range(whole, blocks.shape[0]):
        words = (blocks[at, 0], blocks[at, 1], none, none, none, none, none, none)
        i = (first + np.uint64(at), high, none, none, none, none, none, none)
        h = hash_four(words, i, schedule)
        result[at, 0], result[at, 1] = h[0], h[1]


@compiled
def _hash_pairs_into(
    blocks: Blocks,
    offset: Blocks,
    first: np.uint64,
    high: np.uint64,
    schedule: Blocks,
    result: NDArray[np.uint64],
) -> None:
    low, top = offset[0], offset[1]
    done = 0
    if schedule.ndim == 3:
        done = blocks.shape[0] & ~7
        for at in range(0, done, 8):
            aes_vector.hash_pair_vectors(
                blocks, at, low, top, first + np.uint64(at), high, schedule, result
            )
    for at in range(done, blocks.shape[0]):
        x0, x1, number = blocks[at, 0], blocks[at, 1], first + np.uint64(at)
        h = hash_two((x0, x1, x0 ^ low, x1 ^ top), (number, high, number, high), schedule)
        result[at, 0, 0], result[at, 0, 1] = h[0], h[1]
        result[at, 1, 0], result[at, 1, 1] = h[2], h[3]


def encrypt_blocks(blocks: Blocks, round_keys: Blocks, path: AesPath = AES_PATH) -> Blocks:
    """Encrypt blocks uint64[n, 2] under round keys uint64[22]; returns uint64[n, 2].

    Raises ``UsageError`` for arrays of another shape or dtype.
    """
    _check(blocks)
    result = np.empty(blocks.shape, np.uint64)
    _encrypt_into(read_only(blocks), key_schedule(round_keys, path), result)
    return result


def hash_blocks(
    blocks: Blocks, tweaks: Blocks, round_keys: Blocks, path: AesPath = AES_PATH
) -> Blocks:
    """Hash each block x with its tweak i as pi(pi(x) ^ i) ^ pi(x), pi = AES under ``round_keys``.

    ``blocks``, ``tweaks`` and the result are uint64[n, 2]; another shape or dtype is a
    ``UsageError``. Source: Guo, Katz, Wang, Yu, "Efficient
    and Secure Multiparty Computation from Fixed-Key Block Ciphers", 2020, section 7.4 (TMMO).
    """
    _check(blocks)
    if tweaks.dtype != np.uint64 or tweaks.shape != blocks.shape:
        raise UsageError("Tweaks are uint64 and have the shape of the blocks.")
    result = np.empty(blocks.shape, np.uint64)
    _hash_into(read_only(blocks), read_only(tweaks), key_schedule(round_keys, path), result)
    return result


def hash_counted(
    blocks: Blocks, first: int, high: int, round_keys: Blocks, path: AesPath = AES_PATH
) -> Blocks:
    """Hash like `hash_blocks` under tweaks (``first``, ``high``), (``first + 1``, ``high``), ...

    Tweaks are words below 2^64, low word first.
    """
    _check(blocks)
    result = np.empty(blocks.shape, np.uint64)
    _hash_counted_into(
        read_only(blocks),
        np.uint64(first),
        np.uint64(high),
        key_schedule(round_keys, path),
        result,
    )
    return result


def hash_pairs(
    blocks: Blocks,
    offset: Blocks,
    first: int,
    high: int,
    round_keys: Blocks,
    result: NDArray[np.uint64],
    path: AesPath = AES_PATH,
) -> None:
    """Hash each block and its sum with ``offset`` uint64[2] under one tweak of `hash_counted`.

    ``result`` uint64[n, 2, 2] gets of each block the hash of itself, then of the sum.
    """
    _check(blocks)
    if offset.dtype != np.uint64 or offset.shape != (2,):
        raise UsageError("An offset is uint64[2].")
    if result.dtype != np.uint64 or result.shape != (len(blocks), 2, 2):
        raise UsageError("There are two hashes, uint64, for each block.")
    if not result.flags.c_contiguous:
        raise UsageError("Hashes lie together.")
    _hash_pairs_into(
        read_only(blocks),
        read_only(offset),
        np.uint64(first),
        np.uint64(high),
        key_schedule(round_keys, path),
        result,
    )


def _check(blocks: Blocks) -> None:
    if blocks.dtype != np.uint64 or blocks.ndim != 2 or blocks.shape[1] != 2:
        raise UsageError("Blocks are uint64[n, 2].")
