"""Garbling and evaluating circuits: half gates, free XOR, point and permute, in one pass.

Source: Zahur, Rosulek, Evans, "Two Halves Make a Whole", 2015, figure 2, with the tweakable hash
of ``mpc_engine.kernels.aes``. The two halves of AND gate g of an instance are hashed under the
tweaks (word 1 = that instance's ``high`` word, word 0 = 2 g and 2 g + 1). ``schedule`` comes from
``aes.key_schedule`` and chooses the way to compute AES; on the vector path four instances are done
at once, and what is left of them one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels import garbling_vector
from mpc_engine.kernels.aes import hash_four, hash_two
from mpc_engine.kernels.aes_vector import LANES, VECTOR_WORDS
from mpc_engine.kernels.jit import compiled

Words = NDArray[np.uint64]
Gates = NDArray[np.int32]

TABLE_WORDS = 4
"""A garbled AND gate is two blocks: the garbler's half, then the evaluator's."""


@compiled
def _garble_vectors(
    gates: Gates,
    outputs: Gates,
    n_slots: int,
    zero_labels: Words,
    delta: Words,
    first_high: np.uint64,
    schedule: Words,
    tables: Words,
    output_labels: Words,
) -> int:
    """Garble four instances at a time; return how many there were."""
    labels = np.zeros((n_slots + 1, VECTOR_WORDS), np.uint64)
    offset = (delta[0], delta[1])
    done = zero_labels.shape[0] - zero_labels.shape[0] % LANES
    for first in range(0, done, LANES):
        _load_lanes(zero_labels, first, labels)
        high = first_high + np.uint64(first)
        number = 0
        for at in range(gates.shape[0]):
            gate = (np.uint64(gates[at, 0]), np.uint64(gates[at, 1]), np.uint64(gates[at, 2]))
            if gates[at, 2] & 1:
                garbling_vector.garble_and(
                    labels, gate, offset, high, first, number, schedule, tables
                )
                number += 1
            else:
                garbling_vector.xor_slots(labels, gate)
        for wire in range(outputs.shape[0]):
            literal = outputs[wire]
            flip = np.uint64(0) - np.uint64(literal & 1)
            for lane in range(LANES):
                o0, o1 = offset[0] & flip, offset[1] & flip
                if literal >= 0:
                    o0 ^= labels[literal >> 1, 2 * lane]
                    o1 ^= labels[literal >> 1, 2 * lane + 1]
                output_labels[first + lane, wire, 0] = o0
                output_labels[first + lane, wire, 1] = o1
    return done


@compiled
def _evaluate_vectors(
    gates: Gates,
    outputs: Gates,
    n_slots: int,
    input_labels: Words,
    tables: Words,
    first_high: np.uint64,
    schedule: Words,
    output_labels: Words,
) -> int:
    """Evaluate four instances at a time; return how many there were."""
    labels = np.zeros((n_slots + 1, VECTOR_WORDS), np.uint64)
    done = input_labels.shape[0] - input_labels.shape[0] % LANES
    for first in range(0, done, LANES):
        _load_lanes(input_labels, first, labels)
        high = first_high + np.uint64(first)
        number = 0
        for at in range(gates.shape[0]):
            gate = (np.uint64(gates[at, 0]), np.uint64(gates[at, 1]), np.uint64(gates[at, 2]))
            if gates[at, 2] & 1:
                garbling_vector.evaluate_and(labels, gate, high, first, number, schedule, tables)
                number += 1
            else:
                garbling_vector.xor_slots(labels, gate)
        for wire in range(outputs.shape[0]):
            literal = outputs[wire]
            for lane in range(LANES):
                o0, o1 = np.uint64(0), np.uint64(0)
                if literal >= 0:
                    o0 = labels[literal >> 1, 2 * lane]
                    o1 = labels[literal >> 1, 2 * lane + 1]
                output_labels[first + lane, wire, 0] = o0
                output_labels[first + lane, wire, 1] = o1
    return done


@compiled
def _load_lanes(inputs: Words, first: int, labels: Words) -> None:
    """Put the input labels of four instances into the first slots, one instance a lane."""
    for wire in range(inputs.shape[1]):
        for lane in range(LANES):
            labels[wire, 2 * lane] = inputs[first + lane, wire, 0]
            labels[wire, 2 * lane + 1] = inputs[first + lane, wire, 1]


@compiled
def garble(
    gates: Gates,
    outputs: Gates,
    n_slots: int,
    zero_labels: Words,
    delta: Words,
    first_high: np.uint64,
    schedule: Words,
    tables: Words,
    output_labels: Words,
) -> None:
    """Garble instances into ``tables`` and ``output_labels`` (see ``garbling.Garbler``)."""
    labels = np.zeros((n_slots + 1, 2), np.uint64)
    d0, d1 = delta[0], delta[1]
    none, one = np.uint64(0), np.uint64(1)
    done = 0
    if schedule.ndim == 3:
        done = _garble_vectors(
            gates, outputs, n_slots, zero_labels, delta, first_high, schedule, tables, output_labels
        )
    for instance in range(done, zero_labels.shape[0]):
        high = first_high + np.uint64(instance)
        for wire in range(zero_labels.shape[1]):
            labels[wire, 0] = zero_labels[instance, wire, 0]
            labels[wire, 1] = zero_labels[instance, wire, 1]
        number = 0
        for at in range(gates.shape[0]):
            left, right, result = gates[at, 0], gates[at, 1], gates[at, 2]
            a0, a1 = labels[left >> 1, 0], labels[left >> 1, 1]
            b0, b1 = labels[right >> 1, 0], labels[right >> 1, 1]
            if result & 1:
                flip_a = none - np.uint64(left & 1)
                flip_b = none - np.uint64(right & 1)
                a0, a1 = a0 ^ (d0 & flip_a), a1 ^ (d1 & flip_a)
                b0, b1 = b0 ^ (d0 & flip_b), b1 ^ (d1 & flip_b)
                low = np.uint64(2 * number)
                h = hash_four(
                    (a0, a1, a0 ^ d0, a1 ^ d1, b0, b1, b0 ^ d0, b1 ^ d1),
                    (low, high, low, high, low + one, high, low + one, high),
                    schedule,
                )
                colour_a, colour_b = none - (a0 & one), none - (b0 & one)
                g0 = h[0] ^ h[2] ^ (d0 & colour_b)
                g1 = h[1] ^ h[3] ^ (d1 & colour_b)
                e0 = h[4] ^ h[6]
                e1 = h[5] ^ h[7]
                tables[instance, number, 0] = g0
                tables[instance, number, 1] = g1
                tables[instance, number, 2] = e0 ^ a0
                tables[instance, number, 3] = e1 ^ a1
                a0 = h[0] ^ (g0 & colour_a)
                a1 = h[1] ^ (g1 & colour_a)
                b0 = h[4] ^ (e0 & colour_b)
                b1 = h[5] ^ (e1 & colour_b)
                number += 1
            labels[result >> 1, 0] = a0 ^ b0
            labels[result >> 1, 1] = a1 ^ b1
        for wire in range(outputs.shape[0]):
            literal = outputs[wire]
            flip = none - np.uint64(literal & 1)
            o0, o1 = d0 & flip, d1 & flip
            if literal >= 0:
                o0, o1 = o0 ^ labels[literal >> 1, 0], o1 ^ labels[literal >> 1, 1]
            output_labels[instance, wire, 0] = o0
            output_labels[instance, wire, 1] = o1


@compiled
def evaluate(
    gates: Gates,
    outputs: Gates,
    n_slots: int,
    input_labels: Words,
    tables: Words,
    first_high: np.uint64,
    schedule: Words,
    output_labels: Words,
) -> None:
    """Evaluate instances into ``output_labels`` (see ``garbling.Evaluator``)."""
    labels = np.zeros((n_slots + 1, 2), np.uint64)
    none, one = np.uint64(0), np.uint64(1)
    done = 0
    if schedule.ndim == 3:
        done = _evaluate_vectors(
            gates, outputs, n_slots, input_labels, tables, first_high, schedule, output_labels
        )
    for instance in range(done, input_labels.shape[0]):
        high = first_high + np.uint64(instance)
        for wire in range(input_labels.shape[1]):
            labels[wire, 0] = input_labels[instance, wire, 0]
            labels[wire, 1] = input_labels[instance, wire, 1]
        number = 0
        for at in range(gates.shape[0]):
            left, right, result = gates[at, 0], gates[at, 1], gates[at, 2]
            a0, a1 = labels[left >> 1, 0], labels[left >> 1, 1]
            b0, b1 = labels[right >> 1, 0], labels[right >> 1, 1]
            if result & 1:
                low = np.uint64(2 * number)
                h = hash_two((a0, a1, b0, b1), (low, high, low + one, high), schedule)
                colour_a, colour_b = none - (a0 & one), none - (b0 & one)
                b0 = h[2] ^ ((tables[instance, number, 2] ^ a0) & colour_b)
                b1 = h[3] ^ ((tables[instance, number, 3] ^ a1) & colour_b)
                a0 = h[0] ^ (tables[instance, number, 0] & colour_a)
                a1 = h[1] ^ (tables[instance, number, 1] & colour_a)
                number += 1
            labels[result >> 1, 0] = a0 ^ b0
            labels[result >> 1, 1] = a1 ^ b1
        for wire in range(outputs.shape[0]):
            literal = outputs[wire]
            o0, o1 = none, none
            if literal >= 0:
                o0, o1 = labels[literal >> 1, 0], labels[literal >> 1, 1]
            output_labels[instance, wire, 0] = o0
            output_labels[instance, wire, 1] = o1
