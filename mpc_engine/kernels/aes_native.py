"""AES-128 on four blocks by the processor's AES instructions, reached as LLVM intrinsics.

Source: FIPS 197; Intel, "Advanced Encryption Standard (AES) New Instructions Set", 2010.
The instructions take the same time for all data.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending

from mpc_engine.kernels.aes_vector import LANES
from mpc_engine.kernels.jit import compiled

intrinsic: Any = extending.intrinsic

_BLOCK = ir.VectorType(ir.IntType(64), 2)
_INDEX = ir.IntType(32)
_ROUNDS = 10


def _round_keys(context: Any, builder: Any, array_type: Any, array: Any) -> list[Any]:
    data = context.make_array(array_type)(context, builder, array).data
    pointer = builder.bitcast(data, _BLOCK.as_pointer())
    keys = []
    spacing = 1 if array_type.ndim == 1 else LANES
    for number in range(_ROUNDS + 1):
        place = ir.Constant(_INDEX, spacing * number)
        address = builder.gep(pointer, [place], source_etype=_BLOCK)
        key = builder.load(address, typ=_BLOCK)
        key.align = 8
        keys.append(key)
    return keys


def _pack(builder: Any, words: Any, count: int) -> list[Any]:
    blocks = []
    for number in range(count):
        block = ir.Constant(_BLOCK, ir.Undefined)
        for half in range(2):
            word = builder.extract_value(words, 2 * number + half)
            block = builder.insert_element(block, word, ir.Constant(_INDEX, half))
        blocks.append(block)
    return blocks


def _unpack(context: Any, builder: Any, tuple_type: Any, blocks: list[Any]) -> Any:
    words = [
        builder.extract_element(block, ir.Constant(_INDEX, half))
        for block in blocks
        for half in range(2)
    ]
    return context.make_tuple(builder, tuple_type, words)


def _instruction(builder: Any, name: str) -> Any:
    signature = ir.FunctionType(_BLOCK, [_BLOCK, _BLOCK])
    return builder.module.declare_intrinsic(f"llvm.x86.aesni.{name}", fnty=signature)


def _encrypt(builder: Any, blocks: list[Any], keys: list[Any]) -> list[Any]:
    step, last = _instruction(builder, "aesenc"), _instruction(builder, "aesenclast")
    blocks = [builder.xor(block, keys[0]) for block in blocks]
    for number in range(1, _ROUNDS):
        blocks = [builder.call(step, [block, keys[number]]) for block in blocks]
    return [builder.call(last, [block, keys[_ROUNDS]]) for block in blocks]


@intrinsic
def encrypt(typing_context: Any, words: Any, round_keys: Any) -> Any:
    """Encrypt a tuple of blocks (two uint64 each) under round keys uint64[22] or [11, 4, 2]."""
    signature = words(words, round_keys)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words_type, keys_type = signature.args
        keys = _round_keys(context, builder, keys_type, arguments[1])
        blocks = _pack(builder, arguments[0], words_type.count // 2)
        return _unpack(context, builder, words_type, _encrypt(builder, blocks, keys))

    return signature, generate


@intrinsic
def hash_tweaked(typing_context: Any, words: Any, tweaks: Any, round_keys: Any) -> Any:
    """Hash a tuple of blocks: pi(pi(x) ^ i) ^ pi(x), i from an equally long tuple of tweaks."""
    signature = words(words, tweaks, round_keys)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words_type, _, keys_type = signature.args
        count = words_type.count // 2
        keys = _round_keys(context, builder, keys_type, arguments[2])
        inner = _encrypt(builder, _pack(builder, arguments[0], count), keys)
        tweaked = [
            builder.xor(block, tweak)
            for block, tweak in zip(inner, _pack(builder, arguments[1], count), strict=True)
        ]
        outer = _encrypt(builder, tweaked, keys)
        mixed = [builder.xor(left, right) for left, right in zip(inner, outer, strict=True)]
        return _unpack(context, builder, words_type, mixed)

    return signature, generate


@intrinsic
def _substitute(typing_context: Any, words: Any) -> Any:
    signature = words(words)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (block,) = _pack(builder, arguments[0], 1)
        last = _instruction(builder, "aesenclast")
        substituted = builder.call(last, [block, ir.Constant(_BLOCK, None)])
        return _unpack(context, builder, signature.args[0], [substituted])

    return signature, generate


@compiled
def substitute_word(word: np.uint32) -> np.uint32:
    """Apply the S-box to the four bytes of a uint32.

    Four equal columns pass ShiftRows unchanged, so the last round under a zero key is the S-box.
    """
    column = np.uint64(word)
    both = column | (column << np.uint64(32))
    return np.uint32(_substitute((both, both))[0] & np.uint64(0xFFFFFFFF))
