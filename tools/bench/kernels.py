"""Rates of the building blocks: one core, and for OTs one a side, two processes over TLS.

Median and worst of the runs that count, after one that does not. Every run has fresh inputs, drawn
outside the clock, and every timed output is compared there too: AES with that of `cryptography`,
garbling and evaluation with their NumPy twins, the signature of a model with hashlib, the keys of
OTs with those of the other side. Base OTs stand below the table. AES works on blocks just drawn,
from memory, and is slower so than in cache, where `./run bench costs` measures it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.circuits.arithmetic import multiply_signed
from mpc_engine.circuits.builder import CircuitBuilder
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash, make_tweaks
from mpc_engine.garbling import Evaluator, Garbler, encode_bits
from mpc_engine.garbling.garbler import Garbled
from mpc_engine.kernels.aes import AES_KEY_BYTES, encrypt_blocks, expand_key
from mpc_engine.protocols.model_encoding import NONCE_BYTES, model_signature
from mpc_engine.protocols.model_inputs import model_bits
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.protocols.verification.circuit import hash_circuit
from mpc_engine.protocols.verification.preparation import signature_bits
from mpc_engine.testing.twins import aes as aes_twin
from mpc_engine.testing.twins import garbling as garbling_twin
from mpc_engine.vocabulary.runs import Stage
from tools.bench.link import Link, add_link_argument, link_remark
from tools.bench.parties import Run, parties
from tools.bench.report import Report, Row, add_repeats, milliseconds
from tools.bench.start_up import start_up

Words = NDArray[np.uint64]
N_BLOCKS, N_INSTANCES, N_TRANSFERS = 1 << 16, 256, 1 << 20
_FACTOR_BITS, _FEATURES, _THETA_BITS, _DIGEST = 32, 51, 24, bytes(32)
_FIRST_TWEAK = int(make_tweaks(1, HashDomain.GARBLE, 0, 0)[0, 1])
RNG = system_randomness()


@dataclass(frozen=True)
class Task:
    """One piece of work on inputs of its own, and whether what it returned is right."""

    work: Callable[[], Any]
    is_right: Callable[[Any], bool]

    def seconds(self) -> float:
        """Do the work by the clock, then check it; SystemExit if it is wrong."""
        started = time.perf_counter()
        done = self.work()
        seconds = time.perf_counter() - started
        if not self.is_right(done):
            raise SystemExit("A building block's output is wrong.")
        return seconds


@dataclass(frozen=True)
class Block:
    """A building block and its unit: of ``count`` things a run, or None for milliseconds a run."""

    what: str
    unit: str
    count: int | None

    def row(self, seconds: Sequence[float]) -> Row:
        """Return the row of the table from the seconds of all runs."""
        return {
            "what": self.what,
            "unit": self.unit,
            "runs": len(seconds),
            "median": self._figure(statistics.median(seconds)),
            "worst": self._figure(max(seconds)),
        }

    def _figure(self, seconds: float) -> float:
        if self.count is None:
            return milliseconds(seconds)
        return round(self.count / seconds / 1e6, 2)


def tasks() -> list[tuple[Block, Callable[[], Task]]]:
    """Return what one core does; every call gives a task with new inputs."""
    product, signed = _product_circuit(), hash_circuit(_DIGEST, _FEATURES, _THETA_BITS)
    n_ands = N_INSTANCES * product.n_ands
    return [
        (Block("AES", "million blocks/s", N_BLOCKS), _encryption),
        (Block("half gates, garbling", "million AND/s", n_ands), partial(_garbling, product)),
        (Block("half gates, evaluation", "million AND/s", n_ands), partial(_evaluation, product)),
        (Block("SHA-256 of a model, garbling", "ms", None), partial(_hash_garbling, signed)),
        (Block("SHA-256 of a model, evaluation", "ms", None), partial(_hash_evaluation, signed)),
    ]


def _encryption() -> Task:
    key, given = RNG.bytes(AES_KEY_BYTES), RNG.words(N_BLOCKS, 2)
    return Task(
        partial(encrypt_blocks, given, expand_key(key)),
        lambda done: np.array_equal(done, aes_twin.encrypt_blocks(given, key)),
    )


def _product_circuit() -> Circuit:
    builder = CircuitBuilder()
    a, b = builder.input("a", _FACTOR_BITS), builder.input("b", _FACTOR_BITS)
    builder.output("product", multiply_signed(builder, a, b, _FACTOR_BITS))
    return builder.build()


class _Keys:
    """Fresh keys of a garbling and zero labels of ``n`` instances' inputs."""

    def __init__(self, circuit: Circuit, n: int) -> None:
        self.key, self.delta = RNG.bytes(AES_KEY_BYTES), RNG.words(2)
        self.delta[0] |= np.uint64(1)
        self.zero_labels = RNG.words(n, circuit.n_inputs, 2)

    def garbler(self) -> Garbler:
        return Garbler(TweakedHash(self.key), self.delta, RNG)

    def evaluator(self) -> Evaluator:
        return Evaluator(TweakedHash(self.key))


def _garbling(circuit: Circuit) -> Task:
    keys = _Keys(circuit, N_INSTANCES)

    def is_right(done: Garbled) -> bool:
        tables, outputs = garbling_twin.garble(
            *(circuit.gates, circuit.outputs, keys.zero_labels, keys.delta),
            *(_FIRST_TWEAK, keys.key),
        )
        return np.array_equal(done.tables, tables) and np.array_equal(
            done.output_zero_labels, outputs
        )

    return Task(partial(keys.garbler().garble, circuit, keys.zero_labels), is_right)


def _evaluation(circuit: Circuit) -> Task:
    keys = _Keys(circuit, N_INSTANCES)
    tables = keys.garbler().garble(circuit, keys.zero_labels).tables
    bits = RNG.bits(N_INSTANCES * circuit.n_inputs).reshape(N_INSTANCES, -1)
    labels = encode_bits(keys.zero_labels, bits, keys.delta)

    def is_right(done: Words) -> bool:
        expected = garbling_twin.evaluate(
            circuit.gates, circuit.outputs, labels, tables, _FIRST_TWEAK, keys.key
        )
        return np.array_equal(done, expected)

    return Task(partial(keys.evaluator().evaluate, circuit, labels, tables), is_right)


class _Signature:
    """Fresh keys for the signature of a fresh model, which every second one has right."""

    def __init__(self, circuit: Circuit) -> None:
        self.keys = _Keys(circuit, 1)
        dice = np.random.default_rng()
        theta = dice.integers(-(1 << 18), 1 << 18, _FEATURES + 1).tolist()
        nonce, self._is_right = RNG.bytes(NONCE_BYTES), RNG.bits(1)
        signature = signature_bits(model_signature(_DIGEST, nonce, theta))
        signature[dice.integers(len(signature))] ^= 1 ^ self._is_right[0]
        bits = np.concatenate([model_bits(theta, _FEATURES, _THETA_BITS, nonce), signature])
        self.labels = encode_bits(self.keys.zero_labels, bits[None], self.keys.delta)

    def says(self, output_labels: Words, zero_labels: Words) -> bool:
        """Tell whether the circuit said of the signature what hashlib says."""
        expected = encode_bits(zero_labels, self._is_right[None], self.keys.delta)
        return np.array_equal(output_labels, expected)


def _hash_garbling(circuit: Circuit) -> Task:
    case = _Signature(circuit)

    def is_right(done: Garbled) -> bool:
        labels = case.keys.evaluator().evaluate(circuit, case.labels, done.tables)
        return case.says(labels, done.output_zero_labels)

    return Task(partial(case.keys.garbler().garble, circuit, case.keys.zero_labels), is_right)


def _hash_evaluation(circuit: Circuit) -> Task:
    case = _Signature(circuit)
    garbled = case.keys.garbler().garble(circuit, case.keys.zero_labels)
    return Task(
        partial(case.keys.evaluator().evaluate, circuit, case.labels, garbled.tables),
        lambda done: case.says(done, garbled.output_zero_labels),
    )


def _send_transfers(ctx: JobContext, n: int) -> Words:
    session = GarblerSession(ctx)
    ctx.progress(Stage.OBLIVIOUS_TRANSFER, 0, n)
    return session.ot.extend(n)


def _receive_transfers(ctx: JobContext, choices: NDArray[np.uint8]) -> Words:
    session = EvaluatorSession(ctx)
    ctx.progress(Stage.OBLIVIOUS_TRANSFER, 0, len(choices))
    return session.ot.extend(choices)


def transfers(link: Link | None, repeats: int, n: int = N_TRANSFERS) -> list[Run]:
    """Make ``n`` random OTs so often, and once before; SystemExit if keys are not the sender's."""
    runs = []
    with parties(link) as pair:
        for _ in range(1 + repeats):
            choices = RNG.bits(n)
            run = pair.run(
                partial(_receive_transfers, choices=choices), partial(_send_transfers, n=n)
            )
            if not np.array_equal(run.modeler, run.regulator[np.arange(n), choices]):
                raise SystemExit("A key is not the one that was chosen.")
            runs.append(run)
    return runs


def run(arguments: argparse.Namespace) -> Report:
    """Measure what one core does, then what two processes do."""
    rows = []
    for block, fresh in tasks():
        seconds = [fresh().seconds() for _ in range(1 + arguments.repeats)]
        rows.append(block.row(seconds[1:]))
    first, *runs = transfers(arguments.link, arguments.repeats)
    made = Block("random OTs, two processes", "million/s", N_TRANSFERS)
    rows.append(made.row([run.after_setup for run in runs]))
    return Report(
        "Building blocks, one core",
        rows,
        [link_remark(arguments.link)],
        [start_up(made.what, first, runs)],
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the number of runs, and the line over which OTs go."""
    add_repeats(parser)
    add_link_argument(parser)
