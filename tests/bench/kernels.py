"""Rates of the building blocks on one core, OTs on one a side: median of five, warm kernels."""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits.arithmetic import multiply_signed
from mpc_engine.circuits.builder import CircuitBuilder
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.garbling.evaluator import Evaluator
from mpc_engine.garbling.garbler import Garbler
from mpc_engine.garbling.labels import encode_bits
from mpc_engine.kernels.aes import encrypt_blocks, expand_key
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.protocols.verification.circuit import hash_circuit
from tests.bench.parties import parties
from tests.bench.report import Report, Row

REPEATS = 5
N_BLOCKS, N_INSTANCES, N_TRANSFERS = 1 << 14, 256, 1 << 20
RNG = system_randomness()


def rate(count: int, work: Callable[[], object]) -> float:
    """Run ``work`` once to warm up; return its median rate in millions a second."""
    work()
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return count / statistics.median(seconds) / 1e6


def _aes() -> list[Row]:
    round_keys = expand_key(os.urandom(16))
    blocks = RNG.words(N_BLOCKS, 2)
    done = rate(N_BLOCKS, lambda: encrypt_blocks(blocks, round_keys))
    return [{"what": "AES", "unit": "million blocks/s", "rate": round(done, 2)}]


def _delta() -> NDArray[np.uint64]:
    delta = RNG.words(2)
    delta[0] |= np.uint64(1)
    return delta


def _garbling() -> list[Row]:
    builder = CircuitBuilder()
    a, b = builder.input("a", 32), builder.input("b", 32)
    builder.output("product", multiply_signed(builder, a, b, 32))
    circuit = builder.build()
    key, delta = os.urandom(16), _delta()
    count = N_INSTANCES * circuit.n_ands
    garbler = Garbler(TweakedHash(key), delta, RNG)
    zero_labels = garbler.fresh_zero_labels(N_INSTANCES, circuit.n_inputs)
    garbling = rate(count, lambda: garbler.garble(circuit, zero_labels))
    garbled = Garbler(TweakedHash(key), delta, RNG).garble(circuit, zero_labels)
    bits = RNG.bits(N_INSTANCES * circuit.n_inputs).reshape(N_INSTANCES, -1)
    labels = encode_bits(zero_labels, bits, delta)

    def evaluate() -> object:
        return Evaluator(TweakedHash(key)).evaluate(circuit, labels, garbled.tables)

    unit = "million AND/s"
    return [
        {"what": "half gates, garbling", "unit": unit, "rate": round(garbling, 2)},
        {"what": "half gates, evaluation", "unit": unit, "rate": round(rate(count, evaluate), 2)},
    ]


def _sha256() -> list[Row]:
    """Time the signature of a model of 51 features, 24 bits each: garbling, then evaluation."""
    circuit = hash_circuit(bytes(32), 51, 24)
    zero_labels = Garbler(TweakedHash(os.urandom(16)), _delta(), RNG).fresh_zero_labels(
        1, circuit.n_inputs
    )
    key, delta = os.urandom(16), _delta()
    garbled = Garbler(TweakedHash(key), delta, RNG).garble(circuit, zero_labels)
    labels = encode_bits(zero_labels, RNG.bits(circuit.n_inputs)[None], delta)
    garbling = rate(1, lambda: Garbler(TweakedHash(key), delta, RNG).garble(circuit, zero_labels))
    evaluation = rate(
        1, lambda: Evaluator(TweakedHash(key)).evaluate(circuit, labels, garbled.tables)
    )
    return [
        {"what": f"SHA-256 of a model, {name}", "unit": "ms", "rate": round(1e-3 / found, 2)}
        for name, found in (("garbling", garbling), ("evaluation", evaluation))
    ]


def _send_transfers(ctx: JobContext) -> None:
    session = GarblerSession(ctx)
    ctx.progress("oblivious transfer", 0, N_TRANSFERS)
    session.ot.extend(N_TRANSFERS)


def _receive_transfers(ctx: JobContext, choices: NDArray[np.uint8]) -> None:
    session = EvaluatorSession(ctx)
    ctx.progress("oblivious transfer", 0, N_TRANSFERS)
    session.ot.extend(choices)


def _transfers() -> list[Row]:
    """Return the rate of random OTs between two processes over TLS, after their base OTs."""
    with parties() as pair:
        runs = [
            pair.run(partial(_receive_transfers, choices=RNG.bits(N_TRANSFERS)), _send_transfers)
            for _ in range(1 + REPEATS)
        ][1:]
    seconds = statistics.median(run.seconds - run.setup_seconds for run in runs)
    done = round(N_TRANSFERS / seconds / 1e6, 2)
    return [{"what": "random OTs, two processes", "unit": "million/s", "rate": done}]


def run(arguments: argparse.Namespace) -> Report:
    """Return the rates."""
    return Report("Building blocks, one core", [*_aes(), *_garbling(), *_sha256(), *_transfers()])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take no options."""
