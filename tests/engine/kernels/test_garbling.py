from __future__ import annotations

from random import Random

import numpy as np
import pytest

from mpc_engine.circuits import Circuit
from mpc_engine.kernels.aes import AesPath, expand_key, key_schedule
from mpc_engine.kernels.garbling import evaluate, garble
from mpc_engine.kernels.jit import read_only
from mpc_engine.testing.twins import garbling as twin
from tests.engine.circuits.random_circuits import random_circuit
from tests.engine.kernels.paths import EVERY_AES_PATH

KEY = bytes(range(16))
HIGH = (1 << 56) + 12345


def _labels(seed: int, circuit: Circuit, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return random zero labels, a delta and the labels of random bits."""
    rng = np.random.default_rng(seed)
    zero = rng.integers(0, 2**64, (n, circuit.n_inputs, 2), dtype=np.uint64)
    delta = rng.integers(0, 2**64, 2, dtype=np.uint64) | np.array([1, 0], np.uint64)
    bits = rng.integers(0, 2, (n, circuit.n_inputs, 1), dtype=np.uint64)
    return zero, delta, zero ^ (bits * delta)


def _garble(
    path: AesPath, circuit: Circuit, zero: np.ndarray, delta: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    tables = np.empty((len(zero), circuit.n_ands, 4), np.uint64)
    outputs = np.empty((len(zero), circuit.n_outputs, 2), np.uint64)
    garble(
        circuit.gates,
        circuit.outputs,
        circuit.n_slots,
        read_only(zero),
        read_only(delta),
        np.uint64(HIGH),
        key_schedule(expand_key(KEY), path),
        tables,
        outputs,
    )
    return tables, outputs


def _evaluate(
    path: AesPath, circuit: Circuit, labels: np.ndarray, tables: np.ndarray
) -> np.ndarray:
    outputs = np.empty((len(labels), circuit.n_outputs, 2), np.uint64)
    evaluate(
        circuit.gates,
        circuit.outputs,
        circuit.n_slots,
        read_only(labels),
        read_only(tables),
        np.uint64(HIGH),
        key_schedule(expand_key(KEY), path),
        outputs,
    )
    return outputs


@pytest.mark.slow
@EVERY_AES_PATH
@pytest.mark.parametrize("seed", range(12))
def test_both_loops_equal_their_twins(path: AesPath, seed: int) -> None:
    circuit, _ = random_circuit(seed)
    zero, delta, labels = _labels(seed, circuit, n=Random(seed).randrange(11))
    tables, zero_outputs = _garble(path, circuit, zero, delta)
    expected = twin.garble(circuit.gates, circuit.outputs, zero, delta, HIGH, KEY)
    assert np.array_equal(tables, expected[0])
    assert np.array_equal(zero_outputs, expected[1])
    outputs = _evaluate(path, circuit, labels, tables)
    assert np.array_equal(
        outputs, twin.evaluate(circuit.gates, circuit.outputs, labels, tables, HIGH, KEY)
    )


@EVERY_AES_PATH
def test_every_instance_and_gate_has_tables_of_its_own(path: AesPath) -> None:
    circuit, _ = random_circuit(2)
    zero, delta, _ = _labels(2, circuit, n=1)
    tables, _ = _garble(path, circuit, np.repeat(zero, 50, axis=0), delta)
    blocks = tables.reshape(-1, 2)
    assert len(np.unique(blocks, axis=0)) == len(blocks) == 100 * circuit.n_ands
