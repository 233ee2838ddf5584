"""Compiled circuit kernels against the same loops run by Python, which checks array bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mpc_engine.kernels import circuit as kernels
from mpc_engine.kernels.jit import read_only
from tests.engine.circuits.random_circuits import all_inputs, random_circuit

A, B, C = 2, 4, 6


def _packed(*gates: tuple[int, int, int]) -> np.ndarray:
    """Return three inputs and gates of (left, right, is_and)."""
    return np.array([0, 0, 0, *(a << 32 | b << 1 | kind for a, b, kind in gates)], np.int64)


def test_inversions_are_pushed_out_of_xors() -> None:
    packed = _packed((A ^ 1, B, 0), (8, C, 1), (8, C ^ 1, 0))
    gates, outputs, n_slots = kernels.lay_out(packed, np.array([10, 12, 13, 9], np.int64))
    assert all(left & 1 == right & 1 == 0 for left, right, result in gates if not result & 1)
    bits = np.empty((8, 4), np.uint8)
    kernels.evaluate_bits(gates, outputs, n_slots, all_inputs(3), bits)
    for (a, b, c), row in zip(all_inputs(3).tolist(), bits.tolist(), strict=True):
        x = 1 ^ a ^ b
        assert row == [x & c, x ^ 1 ^ c, x ^ c, 1 ^ x]


def test_a_gate_may_read_one_wire_twice() -> None:
    packed = _packed((A, A, 0), (B, B ^ 1, 1), (C, C, 1))
    gates, outputs, n_slots = kernels.lay_out(packed, np.array([8, 10, 12], np.int64))
    bits = np.empty((8, 3), np.uint8)
    kernels.evaluate_bits(gates, outputs, n_slots, all_inputs(3), bits)
    assert bits.tolist() == [[0, 0, c] for _, _, c in all_inputs(3).tolist()]


@pytest.mark.parametrize("seed", range(8))
def test_compiled_evaluation_equals_bounds_checked_evaluation(seed: int) -> None:
    circuit, _ = random_circuit(seed)
    inputs = read_only(all_inputs(circuit.n_inputs))
    compiled, checked = np.empty((2, len(inputs), circuit.n_outputs), np.uint8)
    arguments = circuit.gates, circuit.outputs, circuit.n_slots, inputs
    compiled_loop: Any = kernels.evaluate_bits
    compiled_loop(*arguments, compiled)
    with np.errstate(over="ignore"):
        compiled_loop.py_func(*arguments, checked)
    assert np.array_equal(compiled, checked)


def test_compiled_layout_equals_bounds_checked_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = _packed((A ^ 1, B, 0), (8, C, 1), (10, A, 0), (12, 10, 1), (A, B, 1))
    wanted = np.array([14, 1, 0, 11, A], np.int64)
    compiled = kernels.lay_out(packed, wanted)
    for name in ("_trace", "_assign_slots"):
        monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    checked = kernels.lay_out(packed, wanted)
    assert [np.asarray(part).tolist() for part in compiled] == [
        np.asarray(part).tolist() for part in checked
    ]
