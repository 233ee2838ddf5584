"""Rates of the building blocks on one core: median of five, fresh inputs, warm kernels."""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

import numpy as np

from mpc_engine.circuits.arithmetic import multiply_signed
from mpc_engine.circuits.builder import CircuitBuilder
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.garbling.evaluator import Evaluator
from mpc_engine.garbling.garbler import Garbler
from mpc_engine.garbling.labels import encode_bits
from mpc_engine.kernels.aes import encrypt_blocks, expand_key
from tests.bench.report import Report, Row

REPEATS = 5
N_BLOCKS, N_INSTANCES = 1 << 14, 256
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


def _garbling() -> list[Row]:
    builder = CircuitBuilder()
    a, b = builder.input("a", 32), builder.input("b", 32)
    builder.output("product", multiply_signed(builder, a, b, 32))
    circuit = builder.build()
    key, delta = os.urandom(16), RNG.words(2)
    delta[0] |= np.uint64(1)
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


def run(arguments: argparse.Namespace) -> Report:
    """Return the rates."""
    return Report("Building blocks, one core", [*_aes(), *_garbling()])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take no options."""
