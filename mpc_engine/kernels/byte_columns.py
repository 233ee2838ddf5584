"""Words of fewer than eight bytes in a row, in memory of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, types
from numpy.typing import NDArray

from mpc_engine.kernels.jit import compiled

Words = NDArray[np.uint64]
intrinsic: Any = extending.intrinsic

WORD_BYTES = 8
_U = np.uint64
_WORD = ir.IntType(64)
_POINTER = _WORD.as_pointer()


@intrinsic
def _store_word(typing_context: Any, array: Any, at: Any, word: Any) -> Any:
    """Write a uint64 into uint8 memory at any byte; the caller sees to the bounds."""
    signature = types.none(array, types.int64, types.uint64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(data, [arguments[1]], source_etype=ir.IntType(8))
        builder.store(arguments[2], builder.bitcast(place, _POINTER), align=1)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def _load_word(typing_context: Any, array: Any, at: Any) -> Any:
    """Read a uint64 from uint8 memory at any byte; the caller sees to the bounds."""
    signature = types.uint64(array, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(data, [arguments[1]], source_etype=ir.IntType(8))
        word = builder.load(builder.bitcast(place, _POINTER), typ=_WORD)
        word.align = 1
        return word

    return signature, generate


@compiled
def put_column(
    payload: NDArray[np.uint8], at: int, n_bytes: int | np.int64, words: Words, n: int
) -> int:
    """Write the low bytes of n words one after the other; return where the next one goes.

    Whole words are written, upwards, so each covers what the one before wrote above its bytes;
    there is room for a word behind the last one.
    """
    for i in range(n):
        _store_word(payload, at + i * n_bytes, words[i])
    return int(at + n * n_bytes)


@compiled
def get_column(
    payload: NDArray[np.uint8], at: int, n_bytes: int | np.int64, words: Words, n: int
) -> int:
    """Read the low bytes of n words; what lies above them is undefined."""
    end = at + n * n_bytes
    whole = n if end + WORD_BYTES <= payload.shape[0] else max(0, n - WORD_BYTES)
    for i in range(whole):
        words[i] = _load_word(payload, at + i * n_bytes)
    for i in range(whole, n):
        word = _U(0)
        for byte in range(n_bytes):
            word |= _U(payload[at + i * n_bytes + byte]) << _U(8 * byte)
        words[i] = word
    return int(end)
