"""Twin of ``mpc_engine.kernels.garbling``: one gate after the other, all instances at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.testing.twins.aes import hash_blocks

Words = NDArray[np.uint64]
Gates = NDArray[np.int32]


def garble(
    gates: Gates, outputs: Gates, zero_labels: Words, delta: Words, first_high: int, key: bytes
) -> tuple[Words, Words]:
    """Return tables uint64[n, ands, 4] and output zero labels uint64[n, outputs, 2]."""
    wires = dict(enumerate(np.moveaxis(zero_labels, 1, 0)))
    nothing = np.zeros((len(zero_labels), 2), np.uint64)
    tables: list[Words] = []
    for left, right, result in gates.tolist():
        a, b = wires[left >> 1], wires[right >> 1]
        if result & 1:
            a, b = a ^ (delta * np.uint64(left & 1)), b ^ (delta * np.uint64(right & 1))
            tweak_a, tweak_b = _tweaks(len(a), first_high, len(tables))
            hash_a, hash_b = hash_blocks(a, tweak_a, key), hash_blocks(b, tweak_b, key)
            garbler_half = hash_a ^ hash_blocks(a ^ delta, tweak_a, key) ^ (_colour(b) * delta)
            evaluator_half = hash_b ^ hash_blocks(b ^ delta, tweak_b, key) ^ a
            tables.append(np.concatenate([garbler_half, evaluator_half], axis=1))
            hash_a ^= _colour(a) * garbler_half
            wires[result >> 1] = hash_a ^ hash_b ^ (_colour(b) * (evaluator_half ^ a))
        else:
            wires[result >> 1] = a ^ b
    labels = [
        (wires[literal >> 1] if literal >= 0 else nothing) ^ (delta * np.uint64(literal & 1))
        for literal in outputs.tolist()
    ]
    return _instances_first(tables, len(nothing), 4), _instances_first(labels, len(nothing), 2)


def evaluate(
    gates: Gates, outputs: Gates, labels: Words, tables: Words, first_high: int, key: bytes
) -> Words:
    """Return output labels uint64[n, outputs, 2]."""
    wires = dict(enumerate(np.moveaxis(labels, 1, 0)))
    nothing = np.zeros((len(labels), 2), np.uint64)
    number = 0
    for left, right, result in gates.tolist():
        a, b = wires[left >> 1], wires[right >> 1]
        if result & 1:
            table = tables[:, number]
            tweak_a, tweak_b = _tweaks(len(a), first_high, number)
            wires[result >> 1] = (
                hash_blocks(a, tweak_a, key)
                ^ hash_blocks(b, tweak_b, key)
                ^ (_colour(a) * table[:, :2])
                ^ (_colour(b) * (table[:, 2:] ^ a))
            )
            number += 1
        else:
            wires[result >> 1] = a ^ b
    labels_out = [wires[x >> 1] if x >= 0 else nothing for x in outputs.tolist()]
    return _instances_first(labels_out, len(nothing), 2)


def _colour(labels: Words) -> Words:
    return labels[:, :1] & np.uint64(1)


def _tweaks(n_instances: int, first_high: int, number: int) -> tuple[Words, Words]:
    high = np.arange(first_high, first_high + n_instances, dtype=np.uint64)
    low = np.full(n_instances, 2 * number, np.uint64)
    return np.stack([low, high], axis=1), np.stack([low + np.uint64(1), high], axis=1)


def _instances_first(parts: list[Words], n_instances: int, words: int) -> Words:
    if not parts:
        return np.empty((n_instances, 0, words), np.uint64)
    return np.stack(parts, axis=1)
