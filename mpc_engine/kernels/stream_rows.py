"""AES-128 in counter mode under many keys at once, added to rows of words.

Block b of a stream is the encryption of b as a 128-bit number, most significant byte first, so that
a stream equals what `mpc_engine.crypto.prg.Prg` gives for the key. For processors that have AES on
512-bit vectors; the instructions take the same time for all data.

Source: FIPS 197, section 5.2; NIST SP 800-38A, section 6.5 and appendix B.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from mpc_engine.kernels.aes import ROUND_KEY_WORDS
from mpc_engine.kernels.aes_native import substitute_word
from mpc_engine.kernels.aes_vector import LANES, VECTOR, VECTOR_WORDS, WORD, VectorCode, intrinsic
from mpc_engine.kernels.jit import compiled, read_only

_U32 = np.uint32
_SWAPPED = [lane ^ 1 for lane in range(VECTOR_WORDS)]
_AT_ONCE = 4
STEP_WORDS = _AT_ONCE * VECTOR_WORDS
"""Words that are made at once."""


@intrinsic
def _add_stream(
    typing_context: Any,
    schedule: Any,
    first: Any,
    source: Any,
    mask: Any,
    target: Any,
    at: Any,
) -> Any:
    """Add 16 blocks of a stream, from block ``first`` on, to 32 words from word ``at`` on.

    ``target`` gets the sums, ``source`` has the words, of which ``mask`` says what is kept.
    """
    signature = types.none(schedule, types.uint64, source, types.uint64, target, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        schedule, first, source, mask, target, at = arguments
        code = VectorCode(context, builder, signature.args[0], schedule)
        given, made = code.data(signature.args[2], source), code.data(signature.args[4], target)
        kept = code.repeated(mask, mask)
        swap = builder.module.declare_intrinsic(
            "llvm.bswap.v8i64", fnty=ir.FunctionType(VECTOR, [VECTOR])
        )
        counters = []
        for number in range(_AT_ONCE):
            low = code.counted(builder.add(first, ir.Constant(WORD, LANES * number)))
            swapped = builder.call(swap, [low])
            counters.append(code.shuffled(swapped, swapped, _SWAPPED))
        for number, vector in enumerate(code.encrypted(counters)):
            word = builder.add(at, ir.Constant(WORD, VECTOR_WORDS * number))
            added = builder.and_(code.load(given, word), kept)
            code.store(builder.xor(vector, added), made, word)
        return context.get_dummy_value()

    return signature, generate


@compiled
def _expand_into(seeds: NDArray[np.uint64], schedules: NDArray[np.uint64]) -> None:
    words = np.empty(2 * ROUND_KEY_WORDS, np.uint32)
    for stream in range(seeds.shape[0]):
        for half in range(2):
            words[2 * half] = _U32(seeds[stream, half] & np.uint64(0xFFFFFFFF))
            words[2 * half + 1] = _U32(seeds[stream, half] >> np.uint64(32))
        constant = 1
        for number in range(4, 2 * ROUND_KEY_WORDS):
            word = words[number - 1]
            if number % 4 == 0:
                turned = (word >> _U32(8)) | (word << _U32(24))
                word = _U32(substitute_word(turned) ^ _U32(constant))
                constant = (constant << 1) ^ ((constant >> 7) * 0x11B)
            words[number] = words[number - 4] ^ word
        for key in range(ROUND_KEY_WORDS // 2):
            for half in range(2):
                low, high = words[4 * key + 2 * half], words[4 * key + 2 * half + 1]
                for lane in range(LANES):
                    schedules[stream, key, lane, half] = np.uint64(low) | (
                        np.uint64(high) << np.uint64(32)
                    )


@compiled
def _add_into(
    schedules: NDArray[np.uint64],
    first: np.uint64,
    source: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    target: NDArray[np.uint64],
) -> None:
    n_words = target.shape[1]
    whole = n_words - n_words % STEP_WORDS
    spare = np.zeros(STEP_WORDS, np.uint64)
    for row in range(target.shape[0]):
        for at in range(0, whole, STEP_WORDS):
            block = first + np.uint64(at // 2)
            _add_stream(schedules[row], block, source[row], masks[row], target[row], at)
        if whole < n_words:
            for word in range(whole, n_words):
                spare[word - whole] = source[row, word]
            block = first + np.uint64(whole // 2)
            _add_stream(schedules[row], block, spare, masks[row], spare, 0)
            for word in range(whole, n_words):
                target[row, word] = spare[word - whole]


def stream_schedules(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the schedules uint64[n, 11, 4, 2] of streams with keys uint64[n, 2].

    No table is indexed by a key.
    """
    if seeds.dtype != np.uint64 or seeds.ndim != 2 or seeds.shape[1] != 2:
        raise ValueError("seeds are uint64[n, 2]")
    schedules = np.empty((len(seeds), ROUND_KEY_WORDS // 2, LANES, 2), np.uint64)
    _expand_into(read_only(seeds), schedules)
    return schedules


def add_streams(
    schedules: NDArray[np.uint64],
    first: int,
    source: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    target: NDArray[np.uint64],
) -> None:
    """Write ``stream xor (source & mask)`` for each row of ``target`` uint64[n, w], w even.

    ``source`` is uint64[n, w] and may be ``target``, ``masks`` uint64[n] one word a row, and each
    stream goes on at block ``first``.
    """
    shape = (len(schedules), *source.shape[1:])
    if source.shape != shape or target.shape != shape or masks.shape != shape[:1]:
        raise ValueError("there are as many rows and masks as streams")
    if {array.dtype for array in (source, masks, target)} != {np.dtype(np.uint64)}:
        raise ValueError("rows and masks are uint64")
    if not target.flags.c_contiguous or target.shape[1] % 2:
        raise ValueError("rows are whole blocks and lie together")
    _add_into(schedules, np.uint64(first), read_only(source), read_only(masks), target)
