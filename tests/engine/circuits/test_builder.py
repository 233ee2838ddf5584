from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.circuits import CircuitBuilder
from mpc_engine.circuits.builder import make_template
from mpc_engine.errors import UsageError
from tests.engine.circuits.random_circuits import all_inputs, random_circuit


@pytest.mark.parametrize("seed", range(60))
def test_a_circuit_computes_what_its_gates_say(seed: int) -> None:
    circuit, evaluate = random_circuit(seed)
    inputs = all_inputs(circuit.n_inputs)
    expected = [evaluate(row) for row in inputs.tolist()]
    assert circuit.evaluate(inputs).tolist() == expected


@pytest.mark.parametrize("n_instances", [0, 1, 63, 64, 65, 200])
def test_any_number_of_instances_is_evaluated(n_instances: int) -> None:
    circuit, evaluate = random_circuit(3)
    inputs = np.resize(all_inputs(circuit.n_inputs)[::-1], (n_instances, circuit.n_inputs))
    assert circuit.evaluate(inputs).tolist() == [evaluate(row) for row in inputs.tolist()]


def test_constants_fold_away() -> None:
    builder = CircuitBuilder()
    (a,) = builder.input("a", 1)
    assert builder.xor(a, False) == a
    assert builder.xor(True, a) == builder.xor(a, True) == builder.not_(a)
    assert builder.xor(a, a) is False
    assert builder.xor(a, builder.not_(a)) is True
    assert builder.and_(a, True) == builder.and_(True, a) == builder.and_(a, a) == a
    assert builder.and_(a, False) is builder.and_(False, a) is False
    assert builder.and_(a, builder.not_(a)) is False
    assert builder.or_(a, True) is True
    assert builder.or_(a, False) == a
    assert builder.not_(True) is False
    assert builder.full_adder(True, a, True) == (a, True)
    assert builder.full_adder(a, a, False) == (False, a)
    assert builder.all_of([]) is True
    assert builder.any_of([]) is False
    builder.output("a", [a])
    assert builder.build().n_wires == 1


def test_outputs_may_be_constants_inputs_or_nothing() -> None:
    builder = CircuitBuilder()
    a = builder.input("a", 2)
    builder.output("mixed", [True, a[1], False, builder.not_(a[0]), a[1]])
    builder.output("none", [])
    circuit = builder.build()
    assert circuit.evaluate(all_inputs(2)).tolist() == [
        [1, y, 0, 1 - x, y] for x, y in all_inputs(2).tolist()
    ]
    assert (circuit.n_ands, circuit.n_outputs) == (0, 5)


def test_an_empty_circuit_builds() -> None:
    circuit = CircuitBuilder().build()
    assert circuit.evaluate(np.zeros((3, 0), np.uint8)).shape == (3, 0)


def test_gates_that_no_output_needs_are_dropped() -> None:
    builder = CircuitBuilder()
    a = builder.input("a", 3)
    builder.and_(builder.and_(a[0], a[1]), a[2])
    builder.output("kept", [builder.and_(a[0], a[2])])
    circuit = builder.build()
    assert (circuit.n_ands, len(circuit.gates), circuit.n_inputs) == (1, 1, 3)


def test_slots_are_used_again() -> None:
    builder = CircuitBuilder()
    a = builder.input("a", 2)
    for _ in range(1000):
        a = [builder.and_(builder.not_(a[0]), a[1]), builder.xor(a[0], a[1])]
    builder.output("a", a)
    circuit = builder.build()
    assert circuit.n_ands == 1000
    assert circuit.n_slots == 3


def test_mux_and_eq_take_lists_of_bits() -> None:
    builder = CircuitBuilder()
    (select,), a, b = builder.input("select", 1), builder.input("a", 2), builder.input("b", 2)
    builder.output("chosen", builder.mux(select, a, b))
    builder.output("equal", [builder.eq(a, b)])
    circuit = builder.build()
    for (s, a0, a1, b0, b1), row in zip(
        all_inputs(5).tolist(), circuit.evaluate(all_inputs(5)).tolist(), strict=True
    ):
        assert row == [*((a0, a1) if s else (b0, b1)), int((a0, a1) == (b0, b1))]
    assert circuit.n_ands == 3


@pytest.mark.parametrize("n", range(1, 9))
def test_all_of_and_any_of_look_at_every_bit(n: int) -> None:
    builder = CircuitBuilder()
    bits = builder.input("bits", n)
    builder.output("all", [builder.all_of(bits)])
    builder.output("any", [builder.any_of(bits)])
    circuit = builder.build()
    rows = all_inputs(n)
    assert circuit.evaluate(rows).tolist() == [[int(all(r)), int(any(r))] for r in rows.tolist()]
    assert circuit.n_ands == 2 * (n - 1)


def test_a_placed_template_equals_its_gates() -> None:
    def body(builder: CircuitBuilder, wires: list[int]) -> list[int]:
        x, y, z = wires
        both = builder.and_(builder.xor(x, builder.not_(y)), builder.not_(z))
        return [builder.not_(both), x, True, builder.not_(y), builder.xor(both, builder.not_(x))]

    builder = CircuitBuilder()
    a, b, c = builder.input("a", 3)
    template = make_template(body, 3)
    for name, wires in {
        "plain": [a, b, c],
        "inverted": [builder.not_(a), builder.not_(b), builder.not_(c)],
        "repeated": [a, a, builder.not_(a)],
    }.items():
        builder.output(f"{name} placed", builder.place(template, wires))
        builder.output(f"{name} built", body(builder, wires))
    circuit = builder.build()
    bits = circuit.evaluate(all_inputs(3))
    for name in ("plain", "inverted", "repeated"):
        placed, built = (circuit.output_slices[f"{name} {how}"] for how in ("placed", "built"))
        assert np.array_equal(bits[:, placed], bits[:, built])


@pytest.mark.parametrize("inputs", [[4], [True, 4], [0, 4], [4, 6, 8]])
def test_a_template_refuses_constants_and_wrong_counts(inputs: list[int]) -> None:
    builder = CircuitBuilder()
    builder.input("a", 8)
    template = make_template(lambda _, wires: wires, 2)
    with pytest.raises(UsageError, match="template"):
        builder.place(template, inputs)


def test_a_name_can_be_given_once() -> None:
    builder = CircuitBuilder()
    builder.output("a", builder.input("a", 1))
    with pytest.raises(UsageError, match="input named a"):
        builder.input("a", 1)
    with pytest.raises(UsageError, match="output named a"):
        builder.output("a", [])


def test_digests_tell_circuits_apart() -> None:
    def build(
        inputs: str = "a", outputs: str = "o", gate: str = "and_", flip: bool = False
    ) -> bytes:
        builder = CircuitBuilder()
        a, b = builder.input(inputs, 2)
        wire = getattr(builder, gate)(a, b)
        builder.output(outputs, [builder.not_(wire) if flip else wire])
        return builder.build().digest()

    digests = {build(), build(inputs="x"), build(outputs="x"), build(gate="xor"), build(flip=True)}
    assert len(digests) == 5
    assert build() == build()
    assert all(len(digest) == 32 for digest in digests)


def test_named_integers_go_in_and_come_out() -> None:
    builder = CircuitBuilder()
    a, b = builder.input("a", 12), builder.input("b", 3)
    builder.output("joined", [*a, *b])
    circuit = builder.build()
    bits = circuit.evaluate(circuit.pack_inputs({"b": 5, "a": -2})[None])[0]
    assert circuit.unpack_outputs(bits) == {"joined": (5 << 12) + 4094}
    with pytest.raises(UsageError, match="exactly one value"):
        circuit.pack_inputs({"a": 1})


@pytest.mark.parametrize("bits", [np.zeros((2, 4), np.uint8), np.zeros((2, 5), np.int64)])
def test_input_bits_of_another_kind_are_refused(bits: np.ndarray) -> None:
    builder = CircuitBuilder()
    builder.input("a", 5)
    with pytest.raises(UsageError, match="input bits"):
        builder.build().evaluate(bits)


def test_circuits_are_read_only() -> None:
    circuit, _ = random_circuit(1)
    with pytest.raises(ValueError, match="read-only"):
        circuit.gates[0, 0] = 1
