"""Products of two 64-bit words in full: one multiplication of the processor, by LLVM's i128."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import extending, types

intrinsic: Any = extending.intrinsic

_WIDE = ir.IntType(128)
_WORD = ir.IntType(64)


@intrinsic
def multiply_add_wide(typing_context: Any, low: Any, high: Any, left: Any, right: Any) -> Any:
    """Return the words of ``high 2^64 + low + left right mod 2^128``, all uint64."""
    word = types.uint64
    signature = types.UniTuple(word, 2)(word, word, word, word)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        low, high, left, right = [builder.zext(word, _WIDE) for word in arguments]
        up = ir.Constant(_WIDE, 64)
        total = builder.or_(builder.shl(high, up), low)
        total = builder.add(total, builder.mul(left, right))
        words = [builder.trunc(total, _WORD), builder.trunc(builder.lshr(total, up), _WORD)]
        return context.make_tuple(builder, signature.return_type, words)

    return signature, generate
