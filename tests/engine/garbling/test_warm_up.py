from __future__ import annotations

from mpc_engine.garbling import compile_kernels
from mpc_engine.kernels.circuit import evaluate_bits
from mpc_engine.kernels.garbling import evaluate, garble
from tests.engine.circuits.random_circuits import all_inputs, random_circuit
from tests.engine.garbling.test_garbling import _parties, _run


def test_nothing_is_compiled_after_the_warm_up() -> None:
    compile_kernels()
    kernels = (garble, evaluate, evaluate_bits)
    compiled = [len(kernel.signatures) for kernel in kernels]
    circuit, _ = random_circuit(1)
    bits = all_inputs(circuit.n_inputs)
    assert (_run(circuit, bits, *_parties()) == circuit.evaluate(bits)).all()
    assert [len(kernel.signatures) for kernel in kernels] == compiled
