"""Carry-less multiplication by the processor's instruction, reached as an LLVM intrinsic.

Source: Intel, "Carry-Less Multiplication Instruction and its Usage for Computing the GCM Mode",
2010. The instruction takes the same time for all data.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

_PAIR = ir.VectorType(ir.IntType(64), 2)
_INDEX = ir.IntType(32)
_LOW_BY_LOW = ir.Constant(ir.IntType(8), 0)


def machine_has_carryless_multiplication() -> bool:
    """Return whether this processor has the x86 instruction and compiled kernels may use it."""
    triple = binding.get_process_triple()
    return triple.startswith("x86_64") and bool(binding.get_host_cpu_features().get("pclmul"))


@intrinsic
def multiply_words(typing_context: Any, left: Any, right: Any) -> Any:
    """Multiply two uint64 as polynomials over GF(2); return the low and the high word."""
    signature = types.UniTuple(types.uint64, 2)(types.uint64, types.uint64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = builder.module.declare_intrinsic(
            "llvm.x86.pclmulqdq", fnty=ir.FunctionType(_PAIR, [_PAIR, _PAIR, ir.IntType(8)])
        )
        first, second = ir.Constant(_INDEX, 0), ir.Constant(_INDEX, 1)
        empty = ir.Constant(_PAIR, ir.Undefined)
        pairs = [builder.insert_element(empty, word, first) for word in arguments]
        product = builder.call(function, [*pairs, _LOW_BY_LOW])
        words = [builder.extract_element(product, at) for at in (first, second)]
        return context.make_tuple(builder, signature.return_type, words)

    return signature, generate
