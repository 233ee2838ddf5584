"""One gate of four instances at once, on vectors: half gates, free XOR, point and permute.

Labels of a slot are a vector, one instance a lane: uint64[slots, 8]. The loops of
`mpc_engine.kernels.garbling` choose these where the processor has the instructions of `aes_vector`.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from mpc_engine.kernels.aes_vector import (
    LANES,
    VECTOR,
    VECTOR_WORDS,
    WORD,
    VectorCode,
    intrinsic,
)

_EVEN_TWICE = [0, 0, 2, 2, 4, 4, 6, 6]


def _colours(code: VectorCode, labels: Any) -> Any:
    """Return all ones in the lanes whose label has its lowest bit set."""
    bits = code.builder.and_(labels, ir.Constant(VECTOR, [1] * VECTOR_WORDS))
    none = ir.Constant(VECTOR, [0] * VECTOR_WORDS)
    return code.shuffled(code.builder.sub(none, bits), none, _EVEN_TWICE)


def _table_places(builder: Any, first: Any, n_gates: Any, number: Any) -> list[Any]:
    """Return where the four lanes' tables of a gate start, in words."""
    places = []
    for lane in range(LANES):
        instance = builder.add(first, ir.Constant(WORD, lane))
        gate = builder.add(builder.mul(instance, n_gates), number)
        places.append(builder.mul(gate, ir.Constant(WORD, 4)))
    return places


@intrinsic
def garble_and(
    typing_context: Any,
    labels: Any,
    gate: Any,
    delta: Any,
    high: Any,
    first: Any,
    number: Any,
    schedule: Any,
    tables: Any,
) -> Any:
    """Garble one AND gate of four instances.

    ``labels`` uint64[slots, 8]: zero labels of a slot, one a lane; ``gate``: its three uint64
    (`kernels.circuit`); ``high``: high word of the tweaks of instance ``first``, from which the
    others count; ``number``: AND gates before; ``tables`` uint64[n, gates, 4].
    """
    signature = types.none(
        labels, gate, delta, types.uint64, types.int64, types.int64, schedule, tables
    )

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        labels, gate, delta, high, first, number, schedule, tables = arguments
        code = VectorCode(context, builder, signature.args[6], schedule)
        slots = code.data(signature.args[0], labels)
        offset = code.repeated(*(builder.extract_value(delta, half) for half in (0, 1)))
        a, b = (_operand(code, slots, builder.extract_value(gate, i), offset) for i in (0, 1))
        low, top = _gate_tweaks(code, number, high)
        h = code.hashed(
            [a, builder.xor(a, offset), b, builder.xor(b, offset)],
            [builder.or_(low, top)] * 2 + [builder.or_(_next(builder, low), top)] * 2,
        )
        colour_a, colour_b = _colours(code, a), _colours(code, b)
        g = builder.xor(builder.xor(h[0], h[1]), builder.and_(offset, colour_b))
        e = builder.xor(h[2], h[3])
        half_a = builder.xor(h[0], builder.and_(g, colour_a))
        half_b = builder.xor(h[2], builder.and_(e, colour_b))
        code.store(builder.xor(half_a, half_b), slots, _slot(builder, gate, 2))
        sent = builder.xor(e, a)
        array = context.make_array(signature.args[7])(context, builder, tables)
        n_gates = builder.extract_value(array.shape, 1)
        places = _table_places(builder, first, n_gates, number)
        quad = ir.VectorType(WORD, 4)
        for lane, place in enumerate(places):
            row = code.shuffled(g, sent, [2 * lane, 2 * lane + 1, 8 + 2 * lane, 9 + 2 * lane])
            address = builder.gep(array.data, [place], source_etype=WORD)
            builder.store(row, builder.bitcast(address, quad.as_pointer()), align=8)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def evaluate_and(
    typing_context: Any,
    labels: Any,
    gate: Any,
    high: Any,
    first: Any,
    number: Any,
    schedule: Any,
    tables: Any,
) -> Any:
    """Evaluate one AND gate of four instances; see `garble_and`."""
    signature = types.none(labels, gate, types.uint64, types.int64, types.int64, schedule, tables)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        labels, gate, high, first, number, schedule, tables = arguments
        code = VectorCode(context, builder, signature.args[5], schedule)
        slots = code.data(signature.args[0], labels)
        a, b = (code.load(slots, _slot(builder, gate, i)) for i in (0, 1))
        low, top = _gate_tweaks(code, number, high)
        h = code.hashed([a, b], [builder.or_(low, top), builder.or_(_next(builder, low), top)])
        array = context.make_array(signature.args[6])(context, builder, tables)
        n_gates = builder.extract_value(array.shape, 1)
        quad = ir.VectorType(WORD, 4)
        rows = []
        for place in _table_places(builder, first, n_gates, number):
            address = builder.gep(array.data, [place], source_etype=WORD)
            row = builder.load(builder.bitcast(address, quad.as_pointer()), typ=quad)
            row.align = 8
            rows.append(row)
        pairs = [code.shuffled(rows[i], rows[i + 1], list(range(8))) for i in (0, 2)]
        g = code.shuffled(pairs[0], pairs[1], [0, 1, 4, 5, 8, 9, 12, 13])
        e = code.shuffled(pairs[0], pairs[1], [2, 3, 6, 7, 10, 11, 14, 15])
        half_a = builder.xor(h[0], builder.and_(g, _colours(code, a)))
        half_b = builder.xor(h[1], builder.and_(builder.xor(e, a), _colours(code, b)))
        code.store(builder.xor(half_a, half_b), slots, _slot(builder, gate, 2))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def xor_slots(typing_context: Any, labels: Any, gate: Any) -> Any:
    """Add the labels of a XOR gate's operands, four instances at once."""
    signature = types.none(labels, gate)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        labels, gate = arguments
        slots = context.make_array(signature.args[0])(context, builder, labels).data
        words = []
        for i in range(3):
            word = builder.gep(slots, [_slot(builder, gate, i)], source_etype=WORD)
            words.append(builder.bitcast(word, VECTOR.as_pointer()))
        loaded = [builder.load(word, typ=VECTOR) for word in words[:2]]
        for vector in loaded:
            vector.align = 8
        builder.store(builder.xor(*loaded), words[2], align=8)
        return context.get_dummy_value()

    return signature, generate


def _slot(builder: Any, gate: Any, i: int) -> Any:
    """Return the first word of the slot of an operand, which is twice the slot and a flag."""
    slot = builder.lshr(builder.extract_value(gate, i), ir.Constant(WORD, 1))
    return builder.mul(slot, ir.Constant(WORD, VECTOR_WORDS))


def _operand(code: VectorCode, slots: Any, literal: Any, offset: Any) -> Any:
    """Return an operand's labels, turned by ``offset`` where it is inverted."""
    builder = code.builder
    word = builder.mul(builder.lshr(literal, ir.Constant(WORD, 1)), ir.Constant(WORD, 8))
    flag = builder.sub(ir.Constant(WORD, 0), builder.and_(literal, ir.Constant(WORD, 1)))
    return builder.xor(code.load(slots, word), builder.and_(offset, code.repeated(flag, flag)))


def _gate_tweaks(code: VectorCode, number: Any, high: Any) -> tuple[Any, Any]:
    """Return the low and the high words of the tweaks of a gate's first half, others zero."""
    none = ir.Constant(WORD, 0)
    low = code.repeated(code.builder.mul(number, ir.Constant(WORD, 2)), none)
    lanes = ir.Constant(VECTOR, [0, 0, 0, 1, 0, 2, 0, 3])
    return low, code.builder.add(code.repeated(none, high), lanes)


def _next(builder: Any, low: Any) -> Any:
    return builder.or_(low, ir.Constant(VECTOR, [1, 0] * LANES))
