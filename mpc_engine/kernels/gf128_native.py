"""Carry-less multiplication by the processor's instruction, reached as an LLVM intrinsic.

Source: Intel, "Carry-Less Multiplication Instruction and its Usage for Computing the GCM Mode",
2010. The instruction takes the same time for all data.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils

from mpc_engine.kernels.aes_vector import LANES, VECTOR, VECTOR_WORDS, WORD, intrinsic

_PAIR = ir.VectorType(ir.IntType(64), 2)
_INDEX = ir.IntType(32)
_LOW_BY_LOW = ir.Constant(ir.IntType(8), 0)


def machine_has_carryless_multiplication() -> bool:
    """Return whether this processor has the x86 instruction and compiled kernels may use it."""
    triple = binding.get_process_triple()
    return triple.startswith("x86_64") and bool(binding.get_host_cpu_features().get("pclmul"))


def machine_has_vector_multiplication() -> bool:
    """Return whether the instruction works on 512-bit vectors here (VPCLMULQDQ and AVX-512)."""
    features = binding.get_host_cpu_features()
    return machine_has_carryless_multiplication() and all(
        features.get(name, False) for name in ("vpclmulqdq", "avx512f")
    )


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


@intrinsic
def sum_products_vectors(typing_context: Any, left: Any, right: Any, n_vectors: Any) -> Any:
    """Return the unreduced sum of products of the first blocks of two arrays of words.

    Four blocks a vector. The sum comes as uint64 (low 0, low 1, middle 0, middle 1, high 0,
    high 1), the middle one word up.
    """
    signature = types.UniTuple(types.uint64, 6)(left, right, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        multiply = builder.module.declare_intrinsic(
            "llvm.x86.pclmulqdq.512",
            fnty=ir.FunctionType(VECTOR, [VECTOR, VECTOR, ir.IntType(8)]),
        )
        pointers = [
            context.make_array(kind)(context, builder, array).data
            for kind, array in zip(signature.args[:2], arguments[:2], strict=True)
        ]
        sums = [cgutils.alloca_once_value(builder, ir.Constant(VECTOR, None)) for _ in range(3)]
        with cgutils.for_range(builder, arguments[2]) as loop:
            word = builder.mul(loop.index, ir.Constant(WORD, VECTOR_WORDS))
            factors = []
            for pointer in pointers:
                place = builder.gep(pointer, [word], source_etype=WORD)
                factor = builder.load(builder.bitcast(place, VECTOR.as_pointer()), typ=VECTOR)
                factor.align = 8
                factors.append(factor)
            for total, halves in zip(sums, ((0x00,), (0x01, 0x10), (0x11,)), strict=True):
                added = builder.load(total)
                for half in halves:
                    which = ir.Constant(ir.IntType(8), half)
                    added = builder.xor(added, builder.call(multiply, [*factors, which]))
                builder.store(added, total)
        words = []
        for total in sums:
            vector = builder.load(total)
            for half in range(2):
                lanes = [
                    builder.extract_element(vector, ir.Constant(_INDEX, 2 * lane + half))
                    for lane in range(LANES)
                ]
                word = lanes[0]
                for lane in lanes[1:]:
                    word = builder.xor(word, lane)
                words.append(word)
        return context.make_tuple(builder, signature.return_type, words)

    return signature, generate
