"""AES-128 on vectors of four blocks by the processor's 512-bit AES instructions (VAES, AVX-512).

A vector is eight uint64: four blocks of two words. Round keys lie in memory repeated for each block
of a vector, uint64[11, 4, 2]. Everything here reads and writes memory at places that the caller has
checked. The instructions take the same time for all data.

Source: FIPS 197; Intel, "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2,
VAESENC and VAESENCLAST.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, types
from numpy.typing import NDArray

intrinsic: Any = extending.intrinsic

LANES = 4
"""Blocks in a vector."""
VECTOR_WORDS = 2 * LANES
ROUNDS = 10

WORD = ir.IntType(64)
INDEX = ir.IntType(32)
VECTOR = ir.VectorType(WORD, VECTOR_WORDS)


def repeat_keys(round_keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return round keys uint64[22] as uint64[11, 4, 2], each repeated for every lane."""
    return np.repeat(round_keys.reshape(ROUNDS + 1, 1, 2), LANES, axis=1)


class VectorCode:
    """Writes vector code at one place of a kernel, for `mpc_engine.kernels` only."""

    def __init__(self, context: Any, builder: Any, schedule_type: Any, schedule: Any) -> None:
        self._context = context
        self.builder = builder
        pointer = self.data(schedule_type, schedule)
        self._keys = [
            self.load(pointer, ir.Constant(WORD, VECTOR_WORDS * number))
            for number in range(ROUNDS + 1)
        ]
        signature = ir.FunctionType(VECTOR, [VECTOR, VECTOR])
        self._round, self._last = (
            builder.module.declare_intrinsic(f"llvm.x86.aesni.{name}.512", fnty=signature)
            for name in ("aesenc", "aesenclast")
        )

    def data(self, array_type: Any, array: Any) -> Any:
        """Return the pointer to an array's words."""
        return self._context.make_array(array_type)(self._context, self.builder, array).data

    def _place(self, pointer: Any, word: Any) -> Any:
        place = self.builder.gep(pointer, [word], source_etype=WORD)
        return self.builder.bitcast(place, VECTOR.as_pointer())

    def load(self, pointer: Any, word: Any) -> Any:
        """Read the vector at a word."""
        vector = self.builder.load(self._place(pointer, word), typ=VECTOR)
        vector.align = 8
        return vector

    def store(self, vector: Any, pointer: Any, word: Any) -> None:
        """Write a vector at a word."""
        self.builder.store(vector, self._place(pointer, word), align=8)

    def shuffled(self, first: Any, second: Any, places: list[int]) -> Any:
        """Return the words of two vectors that have these places."""
        mask = ir.Constant(ir.VectorType(INDEX, len(places)), places)
        return self.builder.shuffle_vector(first, second, mask)

    def repeated(self, low: Any, high: Any) -> Any:
        """Return the vector of one block in every lane."""
        pair = ir.Constant(VECTOR, ir.Undefined)
        for half, word in enumerate((low, high)):
            pair = self.builder.insert_element(pair, word, ir.Constant(INDEX, half))
        return self.shuffled(pair, pair, [0, 1] * LANES)

    def counted(self, first: Any) -> Any:
        """Return the vector whose blocks are (first, 0), (first + 1, 0), ..."""
        steps = ir.Constant(VECTOR, [0, 0, 1, 0, 2, 0, 3, 0])
        return self.builder.add(self.repeated(first, ir.Constant(WORD, 0)), steps)

    def encrypted(self, vectors: list[Any]) -> list[Any]:
        """Return the vectors encrypted, all at once so that no instruction waits for another."""
        builder, keys = self.builder, self._keys
        vectors = [builder.xor(vector, keys[0]) for vector in vectors]
        for key in keys[1:ROUNDS]:
            vectors = [builder.call(self._round, [vector, key]) for vector in vectors]
        return [builder.call(self._last, [vector, keys[ROUNDS]]) for vector in vectors]

    def hashed(self, vectors: list[Any], tweaks: list[Any]) -> list[Any]:
        """Return pi(pi(x) ^ i) ^ pi(x) of every block."""
        builder = self.builder
        inner = self.encrypted(vectors)
        tweaked = [builder.xor(*pair) for pair in zip(inner, tweaks, strict=True)]
        outer = self.encrypted(tweaked)
        return [builder.xor(*pair) for pair in zip(inner, outer, strict=True)]


@intrinsic
def encrypt_vectors(typing_context: Any, blocks: Any, at: Any, schedule: Any, result: Any) -> Any:
    """Encrypt 16 blocks of uint64[n, 2] from block ``at`` on into ``result``."""
    signature = types.none(blocks, types.int64, schedule, result)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = VectorCode(context, builder, signature.args[2], arguments[2])
        source, target = (code.data(signature.args[i], arguments[i]) for i in (0, 3))
        words = _words(builder, arguments[1], LANES)
        vectors = [code.load(source, word) for word in words]
        for vector, word in zip(code.encrypted(vectors), words, strict=True):
            code.store(vector, target, word)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def hash_vectors(
    typing_context: Any, blocks: Any, tweaks: Any, at: Any, schedule: Any, result: Any
) -> Any:
    """Hash 16 blocks of uint64[n, 2] from block ``at`` on under their tweaks into ``result``."""
    signature = types.none(blocks, tweaks, types.int64, schedule, result)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = VectorCode(context, builder, signature.args[3], arguments[3])
        source, others, target = (code.data(signature.args[i], arguments[i]) for i in (0, 1, 4))
        words = _words(builder, arguments[2], LANES)
        hashed = code.hashed(
            [code.load(source, word) for word in words], [code.load(others, word) for word in words]
        )
        for vector, word in zip(hashed, words, strict=True):
            code.store(vector, target, word)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def hash_counted_vectors(
    typing_context: Any, blocks: Any, at: Any, low: Any, high: Any, schedule: Any, result: Any
) -> Any:
    """Hash 16 blocks from block ``at`` on under tweaks (low, high), (low + 1, high), ..."""
    signature = types.none(blocks, types.int64, types.uint64, types.uint64, schedule, result)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = VectorCode(context, builder, signature.args[4], arguments[4])
        source, target = (code.data(signature.args[i], arguments[i]) for i in (0, 5))
        words = _words(builder, arguments[1], LANES)
        top = code.repeated(ir.Constant(WORD, 0), arguments[3])
        tweaks = [
            builder.or_(
                code.counted(builder.add(arguments[2], ir.Constant(WORD, LANES * number))), top
            )
            for number in range(LANES)
        ]
        hashed = code.hashed([code.load(source, word) for word in words], tweaks)
        for vector, word in zip(hashed, words, strict=True):
            code.store(vector, target, word)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def hash_pair_vectors(
    typing_context: Any,
    blocks: Any,
    at: Any,
    offset_low: Any,
    offset_high: Any,
    low: Any,
    high: Any,
    schedule: Any,
    result: Any,
) -> Any:
    """Hash 8 blocks from ``at`` on and their sums with an offset, each pair under one tweak.

    Tweaks count as in `hash_counted_vectors`; ``result`` uint64[n, 2, 2] gets pairs side by side.
    """
    word = types.uint64
    signature = types.none(blocks, types.int64, word, word, word, word, schedule, result)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        blocks, at, offset_low, offset_high, low, high, schedule, result = arguments
        code = VectorCode(context, builder, signature.args[6], schedule)
        source, target = code.data(signature.args[0], blocks), code.data(signature.args[7], result)
        offset = code.repeated(offset_low, offset_high)
        top = code.repeated(ir.Constant(WORD, 0), high)
        vectors, tweaks = [], []
        for number, place in enumerate(_words(builder, at, 2)):
            vector = code.load(source, place)
            vectors += [vector, builder.xor(vector, offset)]
            first = builder.add(low, ir.Constant(WORD, LANES * number))
            tweaks += [builder.or_(code.counted(first), top)] * 2
        hashed = code.hashed(vectors, tweaks)
        places = _words(builder, builder.mul(at, ir.Constant(WORD, 2)), 4)
        for number, place in enumerate(places):
            own, other = hashed[number & 2], hashed[number & 2 | 1]
            begin = LANES * (number & 1)
            mixed = [begin, begin + 1, begin + VECTOR_WORDS, begin + VECTOR_WORDS + 1]
            mixed += [word + 2 for word in mixed]
            code.store(code.shuffled(own, other, mixed), target, place)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def expand_leaves(
    typing_context: Any, inner: Any, bases: Any, first: Any, schedule: Any, streams: Any, at: Any
) -> Any:
    """Write four blocks of every leaf's stream: ``pi(base ^ number) ^ inner`` from ``first`` on.

    ``inner`` and ``bases`` are tuples of two uint64 a leaf; ``streams`` uint64[leaves, words] gets
    eight words of each leaf from word ``at`` on.
    """
    signature = types.none(inner, bases, types.uint64, schedule, streams, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        inner, bases, first, schedule, streams, at = arguments
        code = VectorCode(context, builder, signature.args[3], schedule)
        numbers = code.counted(first)
        n_leaves = signature.args[0].count // 2
        pads, given = (
            [
                code.repeated(*(builder.extract_value(each, 2 * leaf + half) for half in (0, 1)))
                for leaf in range(n_leaves)
            ]
            for each in (inner, bases)
        )
        made = code.encrypted([builder.xor(each, numbers) for each in given])
        target = code.data(signature.args[4], streams)
        array = context.make_array(signature.args[4])(context, builder, streams)
        stride = builder.extract_value(array.shape, 1)
        for leaf in range(n_leaves):
            row = builder.mul(stride, ir.Constant(WORD, leaf))
            code.store(builder.xor(made[leaf], pads[leaf]), target, builder.add(row, at))
        return context.get_dummy_value()

    return signature, generate


def _words(builder: Any, block: Any, n_vectors: int) -> list[Any]:
    """Return the first words of vectors in a row, the first of which starts at a block."""
    first = builder.mul(block, ir.Constant(WORD, 2))
    return [
        builder.add(first, ir.Constant(WORD, VECTOR_WORDS * number)) for number in range(n_vectors)
    ]
