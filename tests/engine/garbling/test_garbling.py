from __future__ import annotations

import hashlib

import numpy as np
import pytest

from mpc_engine.circuits import Circuit, CircuitBuilder, arithmetic
from mpc_engine.circuits.sha256 import sha256_circuit
from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS, HashDomain, TweakedHash
from mpc_engine.errors import UsageError
from mpc_engine.garbling import (
    Evaluator,
    Garbler,
    InstanceCounter,
    colour_bits,
    encode_bits,
)
from mpc_engine.kernels.aes import AesPath
from mpc_engine.testing.randomness import seeded_randomness
from tests.engine.circuits.random_circuits import all_inputs, random_circuit

KEY = b"one key per job."


def _delta(seed: int = 0) -> np.ndarray:
    delta = seeded_randomness(seed).words(2)
    delta[0] |= np.uint64(1)
    return delta


def _parties(seed: int = 0) -> tuple[Garbler, Evaluator]:
    hash_ = TweakedHash(KEY)
    return Garbler(hash_, _delta(seed), seeded_randomness(seed + 1)), Evaluator(hash_)


def _run(circuit: Circuit, bits: np.ndarray, garbler: Garbler, evaluator: Evaluator) -> np.ndarray:
    """Garble, evaluate on bits uint8[n, inputs] and decode both ways."""
    zero = garbler.fresh_zero_labels(*bits.shape)
    garbled = garbler.garble(circuit, zero)
    labels = evaluator.evaluate(circuit, encode_bits(zero, bits, _delta()), garbled.tables)
    opened = colour_bits(labels) ^ colour_bits(garbled.output_zero_labels)
    assert np.array_equal(labels, encode_bits(garbled.output_zero_labels, opened, _delta()))
    return opened


@pytest.mark.parametrize("seed", range(40))
def test_garbled_evaluation_equals_plain_evaluation(seed: int) -> None:
    circuit, _ = random_circuit(seed)
    bits = all_inputs(circuit.n_inputs)
    assert np.array_equal(_run(circuit, bits, *_parties()), circuit.evaluate(bits))


@pytest.mark.slow
@pytest.mark.parametrize("n_bytes", [0, 3, 55, 56, 63, 64, 65, 119, 120, 200])
def test_garbled_sha256_equals_hashlib(n_bytes: int) -> None:
    messages = [seeded_randomness(n).bytes(n_bytes) for n in range(2)]
    bits = np.stack(
        [np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little") for data in messages]
    )
    digests = _run(sha256_circuit(n_bytes), bits, *_parties())
    assert [np.packbits(row, bitorder="little").tobytes() for row in digests] == [
        hashlib.sha256(message).digest() for message in messages
    ]


def test_circuits_follow_each_other_in_the_same_order() -> None:
    garbler, evaluator = _parties()
    for seed, n_instances in [(1, 3), (2, 1), (3, 0), (1, 5)]:
        circuit, _ = random_circuit(seed)
        bits = all_inputs(circuit.n_inputs)[:n_instances]
        assert np.array_equal(_run(circuit, bits, garbler, evaluator), circuit.evaluate(bits))


def test_another_order_gives_no_valid_output() -> None:
    builder = CircuitBuilder()
    a, b = builder.input("ab", 2)
    builder.output("both", [builder.and_(a, b)])
    circuit = builder.build()
    garbler, evaluator = _parties()
    zero = garbler.fresh_zero_labels(1, 2)
    garbler.garble(circuit, zero)
    second = garbler.garble(circuit, zero)
    labels = evaluator.evaluate(circuit, zero, second.tables)
    for bit in (0, 1):
        bits = np.full(labels.shape[:-1], bit, dtype=np.uint8)
        assert (labels != encode_bits(second.output_zero_labels, bits, _delta())).any()


def test_fifty_thousand_small_instances_are_garbled_at_once() -> None:
    builder = CircuitBuilder()
    x = builder.input("x", 5)
    parity = builder.xor(x[0], builder.xor(x[1], x[2]))
    builder.output("valid", [builder.and_(parity, builder.not_(builder.and_(x[3], x[4])))])
    circuit = builder.build()
    bits = np.resize(all_inputs(5), (50_000, 5))
    assert np.array_equal(_run(circuit, bits, *_parties()), circuit.evaluate(bits))


def test_constant_outputs_cannot_be_claimed_otherwise() -> None:
    builder = CircuitBuilder()
    (a,) = builder.input("a", 1)
    builder.output("constants", [True, False, a, builder.not_(a)])
    circuit = builder.build()
    bits = np.array([[0], [1]], np.uint8)
    assert _run(circuit, bits, *_parties()).tolist() == [[1, 0, 0, 1], [1, 0, 1, 0]]


def test_portable_kernels_garble_the_same_bytes() -> None:
    builder = CircuitBuilder()
    a, b = builder.input("a", 16), builder.input("b", 16)
    builder.output("product", arithmetic.multiply_signed(builder, a, b, 32))
    circuit = builder.build()
    hash_, zero = TweakedHash(KEY), seeded_randomness(5).words(3, 32, 2)
    native = Garbler(hash_, _delta(), seeded_randomness(1)).garble(circuit, zero)
    portable = Garbler(hash_, _delta(), seeded_randomness(1), path=AesPath.PORTABLE).garble(
        circuit, zero
    )
    assert np.array_equal(native.tables, portable.tables)
    labels = Evaluator(hash_, path=AesPath.PORTABLE).evaluate(circuit, zero, native.tables)
    zeros = np.zeros(labels.shape[:-1], dtype=np.uint8)
    assert (labels == encode_bits(portable.output_zero_labels, zeros, _delta())).all()


def test_tables_are_hashes_under_the_stated_tweaks() -> None:
    builder = CircuitBuilder()
    a, b = builder.input("ab", 2)
    builder.output("both", [builder.and_(a, b)])
    hash_, delta, zero = TweakedHash(KEY), _delta(), seeded_randomness(3).words(4, 2, 2)
    tables = Garbler(hash_, delta, seeded_randomness(1)).garble(builder.build(), zero).tables
    instances = np.arange(4)
    halves = []
    for wire in range(2):
        label = np.ascontiguousarray(zero[:, wire])
        halves.append(
            hash_(label, HashDomain.GARBLE, instances, wire)
            ^ hash_(label ^ delta, HashDomain.GARBLE, instances, wire)
        )
    colours = (zero[:, 1, :1] & np.uint64(1)) * delta
    assert np.array_equal(tables[:, 0, :2], halves[0] ^ colours)
    assert np.array_equal(tables[:, 0, 2:], halves[1] ^ zero[:, 0])


def test_an_instance_number_is_handed_out_once() -> None:
    counter = InstanceCounter()
    assert [counter.take(3), counter.take(0), counter.take(1), counter.take(2)] == [0, 3, 3, 4]
    counter.take((1 << INSTANCE_BITS) - 6)
    with pytest.raises(UsageError, match="instance numbers"):
        counter.take(1)
    with pytest.raises(UsageError, match="instance numbers"):
        counter.take(-1)


def test_two_garblers_of_one_delta_share_a_counter() -> None:
    circuit, _ = random_circuit(4)
    counter, hash_, rng = InstanceCounter(), TweakedHash(KEY), seeded_randomness(1)
    first, second = (Garbler(hash_, _delta(), rng, counter=counter) for _ in range(2))
    zero = first.fresh_zero_labels(1, circuit.n_inputs)
    assert not np.array_equal(
        first.garble(circuit, zero).tables, second.garble(circuit, zero).tables
    )
    assert counter.take(0) == 2


@pytest.mark.parametrize(
    "delta", [np.zeros(2, np.uint64), np.ones(2, np.int64), np.ones((1, 2), np.uint64)]
)
def test_a_delta_without_a_set_colour_is_refused(delta: np.ndarray) -> None:
    with pytest.raises(UsageError):
        Garbler(TweakedHash(KEY), delta, seeded_randomness(1))


def test_arrays_of_another_shape_are_refused() -> None:
    circuit, _ = random_circuit(1)
    garbler, evaluator = _parties()
    labels = np.zeros((2, circuit.n_inputs, 2), np.uint64)
    tables = np.zeros((2, circuit.n_ands, 4), np.uint64)
    with pytest.raises(UsageError, match="Zero labels"):
        garbler.garble(circuit, labels[:, 1:])
    with pytest.raises(UsageError, match="Input labels"):
        evaluator.evaluate(circuit, labels[:, 1:], tables)
    with pytest.raises(UsageError, match="Tables"):
        evaluator.evaluate(circuit, labels, tables[:, 1:])
    with pytest.raises(UsageError, match="Labels are uint64"):
        evaluator.evaluate(circuit, labels.astype(np.int64), tables)


def test_secrets_are_not_shown() -> None:
    circuit, _ = random_circuit(1)
    garbler, evaluator = _parties()
    garbled = garbler.garble(circuit, garbler.fresh_zero_labels(1, circuit.n_inputs))
    shown = repr([garbler, evaluator, garbled]) + str(vars(garbler)["_counter"])
    secrets = [*_delta().tolist(), *garbled.output_zero_labels.ravel().tolist()]
    assert not any(str(word) in shown or f"{word:x}" in shown for word in secrets if word)
    assert repr(garbler) == "Garbler(<secret>)"
    assert repr(evaluator) == "Evaluator(<secret>)"
