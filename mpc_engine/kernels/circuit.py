"""Laying out circuits for one pass over memory, and evaluating them on plain bits.

A gate is three int32: left operand, right operand, result. An operand is ``2 slot + inverted``,
the result ``2 slot + is_and``; gates that are not AND are XOR and have no inverted operand.
Slots are reused as soon as a wire is read for the last time, so that the working set stays small.
An output is an operand, or -2 and -1 for the constants 0 and 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.jit import compiled, read_only

_NEVER = np.int64(1) << 62
_LITERAL = np.int64((1 << 31) - 1)


def lay_out(
    packed: NDArray[np.int64], outputs: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Drop unused gates, push inversions out of XORs and assign slots.

    ``packed`` holds one int64 a wire: 0 for an input, else left << 32 | right << 1 | is_and with
    operands ``2 wire + inverted``, wires counted from 1. ``outputs`` are such operands, or 0 and 1
    for constants. Returns gates int32[n, 3], outputs int32[m] and the number of slots; inputs have
    the first slots, in order.
    """
    packed, outputs = read_only(packed), read_only(outputs)
    inverted = np.zeros(len(packed) + 1, np.uint8)
    last_use = np.zeros(len(packed) + 1, np.int64)
    n_gates = _trace(packed, outputs, inverted, last_use)
    gates = np.empty((n_gates, 3), np.int32)
    literals = np.empty(len(outputs), np.int32)
    n_slots = _assign_slots(packed, outputs, inverted, last_use, gates, literals)
    return gates, literals, int(n_slots)


@compiled
def _trace(
    packed: NDArray[np.int64],
    outputs: NDArray[np.int64],
    inverted: NDArray[np.uint8],
    last_use: NDArray[np.int64],
) -> int:
    """Find which wires hold the inverse of what is stored, and who reads each wire last."""
    for at in range(len(packed)):
        gate = packed[at]
        if gate != 0 and gate & 1 == 0:
            left, right = gate >> 32, (gate >> 1) & _LITERAL
            flips = inverted[left >> 1] ^ inverted[right >> 1]
            inverted[at + 1] = flips ^ np.uint8((left ^ right) & 1)
    for literal in outputs:
        if literal > 1:
            last_use[literal >> 1] = _NEVER
    n_gates = 0
    for at in range(len(packed) - 1, -1, -1):
        gate = packed[at]
        if gate == 0 or last_use[at + 1] == 0:
            continue
        n_gates += 1
        left, right = gate >> 33, (gate >> 2) & (_LITERAL >> 1)
        if last_use[left] == 0:
            last_use[left] = at + 1
        if last_use[right] == 0:
            last_use[right] = at + 1
    return n_gates


@compiled
def _assign_slots(
    packed: NDArray[np.int64],
    outputs: NDArray[np.int64],
    inverted: NDArray[np.uint8],
    last_use: NDArray[np.int64],
    gates: NDArray[np.int32],
    literals: NDArray[np.int32],
) -> int:
    """Fill ``gates`` and ``literals``; return the number of slots."""
    slot_of = np.zeros(len(packed) + 1, np.int32)
    n_slots = 0
    for at in range(len(packed)):
        if packed[at] == 0:
            slot_of[at + 1] = n_slots
            n_slots += 1
    free = np.empty(len(packed) + 1, np.int32)
    n_free = 0
    number = 0
    for at in range(len(packed)):
        gate = packed[at]
        if gate == 0 or last_use[at + 1] == 0:
            continue
        left, right = gate >> 32, (gate >> 1) & _LITERAL
        left_wire, right_wire = left >> 1, right >> 1
        is_and = np.int32(gate & 1)
        flip_left = is_and & (np.int32(left & 1) ^ np.int32(inverted[left_wire]))
        flip_right = is_and & (np.int32(right & 1) ^ np.int32(inverted[right_wire]))
        gates[number, 0] = 2 * slot_of[left_wire] + flip_left
        gates[number, 1] = 2 * slot_of[right_wire] + flip_right
        if last_use[left_wire] == at + 1:
            free[n_free] = slot_of[left_wire]
            n_free += 1
        if last_use[right_wire] == at + 1 and left_wire != right_wire:
            free[n_free] = slot_of[right_wire]
            n_free += 1
        if n_free > 0:
            n_free -= 1
            slot_of[at + 1] = free[n_free]
        else:
            slot_of[at + 1] = n_slots
            n_slots += 1
        gates[number, 2] = 2 * slot_of[at + 1] + is_and
        number += 1
    for at in range(len(outputs)):
        literal = outputs[at]
        if literal > 1:
            wire = literal >> 1
            flip = np.int32(literal & 1) ^ np.int32(inverted[wire])
            literals[at] = 2 * slot_of[wire] + flip
        else:
            literals[at] = literal - 2
    return n_slots


@compiled
def evaluate_bits(
    gates: NDArray[np.int32],
    outputs: NDArray[np.int32],
    n_slots: int,
    input_bits: NDArray[np.uint8],
    output_bits: NDArray[np.uint8],
) -> None:
    """Evaluate instances on plain bits, 64 at a time; uint8[n, inputs] to uint8[n, outputs]."""
    words = np.zeros(n_slots + 1, np.uint64)
    one = np.uint64(1)
    for first in range(0, input_bits.shape[0], 64):
        lanes = min(64, input_bits.shape[0] - first)
        for wire in range(input_bits.shape[1]):
            word = np.uint64(0)
            for lane in range(lanes):
                word |= np.uint64(input_bits[first + lane, wire] & 1) << np.uint64(lane)
            words[wire] = word
        for number in range(gates.shape[0]):
            left, right, result = gates[number, 0], gates[number, 1], gates[number, 2]
            a, b = words[left >> 1], words[right >> 1]
            if result & 1:
                a ^= np.uint64(0) - np.uint64(left & 1)
                b ^= np.uint64(0) - np.uint64(right & 1)
                words[result >> 1] = a & b
            else:
                words[result >> 1] = a ^ b
        for wire in range(outputs.shape[0]):
            literal = outputs[wire]
            word = np.uint64(0) - np.uint64(literal & 1)
            if literal >= 0:
                word ^= words[literal >> 1]
            for lane in range(lanes):
                output_bits[first + lane, wire] = np.uint8((word >> np.uint64(lane)) & one)
