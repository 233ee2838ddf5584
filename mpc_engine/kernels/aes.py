"""AES-128 over arrays of blocks: the fixed permutation behind every hash of the engine.

A block is two little-endian uint64 words (word 0 = bytes 0..7). The native path uses AES
instructions, the portable path is bitsliced; both give the same bytes and neither indexes memory
by a secret. ``AES_PATH`` is the faster one of this machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.kernels import aes_native, aes_portable
from mpc_engine.kernels.jit import compiled, machine_has_aes, read_only

Blocks = NDArray[np.uint64]

KEY_BYTES = 16
ROUND_KEY_WORDS = 22


@dataclass(frozen=True)
class AesPath:
    """One way to compute AES inside kernels.

    ``schedule`` turns round keys into the array that the other functions take; the ``_four``
    functions take tuples of eight uint64 (four blocks), ``hash_two`` of four. All are compiled.
    """

    name: str
    substitute_word: Callable[..., Any]
    schedule: Callable[[Blocks], Blocks]
    encrypt_four: Callable[..., Any]
    hash_four: Callable[..., Any]
    hash_two: Callable[..., Any]


@compiled
def _native_schedule(round_keys: Blocks) -> Blocks:
    return round_keys


@compiled
def _portable_hash_two(words: Any, tweaks: Any, plane_keys: Blocks) -> Any:
    none = np.uint64(0)
    w = (words[0], words[1], words[2], words[3], none, none, none, none)
    t = (tweaks[0], tweaks[1], tweaks[2], tweaks[3], none, none, none, none)
    hashed = aes_portable.hash_four(w, t, plane_keys)
    return hashed[0], hashed[1], hashed[2], hashed[3]


NATIVE = AesPath(
    "native",
    aes_native.substitute_word,
    _native_schedule,
    aes_native.encrypt,
    aes_native.hash_tweaked,
    aes_native.hash_tweaked,
)
PORTABLE = AesPath(
    "portable",
    aes_portable.substitute_word,
    aes_portable.plane_keys_of,
    aes_portable.encrypt_four,
    aes_portable.hash_four,
    _portable_hash_two,
)
AES_PATH = NATIVE if machine_has_aes() else PORTABLE


def _build_expand(path: AesPath) -> Callable[[NDArray[np.uint32]], None]:
    substitute_word = path.substitute_word

    @compiled
    def expand(words: NDArray[np.uint32]) -> None:
        constant = np.uint32(1)
        for number in range(4, 44):
            word = words[number - 1]
            if number % 4 == 0:
                word = np.uint32((word >> np.uint32(8)) | (word << np.uint32(24)))
                word = np.uint32(substitute_word(word) ^ constant)
                overflow = np.uint32(0x1B) if constant & np.uint32(0x80) else np.uint32(0)
                constant = np.uint32(((constant << np.uint32(1)) & np.uint32(0xFF)) ^ overflow)
            words[number] = words[number - 4] ^ word

    return expand


def _build_encrypt(path: AesPath) -> Callable[[Blocks, Blocks, Blocks], None]:
    schedule_of, encrypt_four = path.schedule, path.encrypt_four

    @compiled
    def encrypt_into(blocks: Blocks, round_keys: Blocks, result: Blocks) -> None:
        schedule = schedule_of(round_keys)
        none = np.uint64(0)
        whole = blocks.shape[0] & ~3
        for at in range(0, whole, 4):
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

    return encrypt_into


def _build_hash(path: AesPath) -> Callable[[Blocks, Blocks, Blocks, Blocks], None]:
    schedule_of, hash_four = path.schedule, path.hash_four

    @compiled
    def hash_into(blocks: Blocks, tweaks: Blocks, round_keys: Blocks, result: Blocks) -> None:
        schedule = schedule_of(round_keys)
        none = np.uint64(0)
        whole = blocks.shape[0] & ~3
        for at in range(0, whole, 4):
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

    return hash_into


_EXPAND = {path.name: _build_expand(path) for path in (NATIVE, PORTABLE)}
_ENCRYPT_INTO = {path.name: _build_encrypt(path) for path in (NATIVE, PORTABLE)}
_HASH_INTO = {path.name: _build_hash(path) for path in (NATIVE, PORTABLE)}


def expand_key(key: bytes, path: AesPath = AES_PATH) -> Blocks:
    """Return the round keys uint64[22] of a 16-byte key (FIPS 197, section 5.2).

    No table is indexed by the key. Raises ``UsageError`` for a key of another length.
    """
    if len(key) != KEY_BYTES:
        raise UsageError("An AES-128 key has 16 bytes.")
    words = np.empty(2 * ROUND_KEY_WORDS, np.uint32)
    words[:4] = np.frombuffer(key, "<u4")
    _EXPAND[path.name](words)
    return words.view(np.uint64)


def encrypt_blocks(blocks: Blocks, round_keys: Blocks, path: AesPath = AES_PATH) -> Blocks:
    """Encrypt blocks uint64[n, 2] under round keys uint64[22]; returns uint64[n, 2].

    Raises ``UsageError`` for arrays of another shape or dtype.
    """
    _check(blocks, round_keys)
    result = np.empty(blocks.shape, np.uint64)
    _ENCRYPT_INTO[path.name](read_only(blocks), read_only(round_keys), result)
    return result


def hash_blocks(
    blocks: Blocks, tweaks: Blocks, round_keys: Blocks, path: AesPath = AES_PATH
) -> Blocks:
    """Hash each block x with its tweak i as pi(pi(x) ^ i) ^ pi(x), pi = AES under ``round_keys``.

    ``blocks``, ``tweaks`` and the result are uint64[n, 2]; another shape or dtype is a
    ``UsageError``. Source: Guo, Katz, Wang, Yu, "Efficient
    and Secure Multiparty Computation from Fixed-Key Block Ciphers", 2020, section 7.4 (TMMO).
    """
    _check(blocks, round_keys)
    if tweaks.dtype != np.uint64 or tweaks.shape != blocks.shape:
        raise UsageError("Tweaks are uint64 and have the shape of the blocks.")
    result = np.empty(blocks.shape, np.uint64)
    _HASH_INTO[path.name](read_only(blocks), read_only(tweaks), read_only(round_keys), result)
    return result


def _check(blocks: Blocks, round_keys: Blocks) -> None:
    if blocks.dtype != np.uint64 or blocks.ndim != 2 or blocks.shape[1] != 2:
        raise UsageError("Blocks are uint64[n, 2].")
    if round_keys.dtype != np.uint64 or round_keys.shape != (ROUND_KEY_WORDS,):
        raise UsageError("Round keys are uint64[22].")
