"""Verification of challenges by two processes over TLS: median and worst of the runs.

The clock starts when both parties have their base OTs, and includes OT extension, garbling and the
signature of the model; base OTs, the opening of the lines and the first run of each row stand below
the table. With stock, base OTs, extension and the garbled hash were made before, and that time
stands in a column of its own; the clock then leaves nothing of the verification out. One pair of
processes serves all runs. Every run draws a fresh model and fresh cases, of which every seventh
claims the wrong decision; each result is compared with the oracle's.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.protocols.decision import decide
from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.protocols.verification.plaintext import verify_in_the_clear
from mpc_engine.protocols.verification.preparation import (
    prepare_as_modeler,
    prepare_as_regulator,
)
from mpc_engine.protocols.verification.protocol import verify_as_modeler, verify_as_regulator
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.vocabulary.verdicts import VerificationResult
from tools.bench.link import add_link_argument, link_remark
from tools.bench.parties import Pair, Run, parties
from tools.bench.report import Report, Row, add_repeats, milliseconds
from tools.bench.start_up import start_up

_REACH = 256
_X_FRAC_BITS = 8
_DIGEST = b"\x21" * 32


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take numbers of challenges answered together, and the number of runs."""
    parser.add_argument("--cases", type=int, nargs="+", default=[1, 100], help="in one batch")
    parser.add_argument("--features", type=int, default=51)
    add_repeats(parser)
    add_link_argument(parser)


def make_spec(n_features: int) -> VerificationSpec:
    """Return the shape of a model of ``n_features`` features."""
    ranges = ((-_REACH, _REACH),) * n_features
    return VerificationSpec(_DIGEST, n_features, _X_FRAC_BITS, 24, ranges)


@dataclass(frozen=True)
class _Question:
    """Fresh cases about a fresh model: both sides, and what the oracle says."""

    signature: bytes
    modeler: partial[None]
    regulator: partial[list[VerificationResult]]
    oracle: list[VerificationResult]


def verify_once(pair: Pair, n_cases: int, spec: VerificationSpec, dice: np.random.Generator) -> Run:
    """Verify fresh cases; SystemExit if a result is not the oracle's."""
    question = _ask(n_cases, spec, dice)
    return _checked(pair.run(question.modeler, question.regulator), question)


def verify_from_stock(
    pair: Pair, n_cases: int, spec: VerificationSpec, dice: np.random.Generator
) -> tuple[Run, Run]:
    """Prepare and verify fresh cases; return both runs, SystemExit as `verify_once`."""
    question = _ask(n_cases, spec, dice)
    making = pair.run(
        partial(prepare_as_modeler, spec=spec),
        partial(prepare_as_regulator, spec=spec, certified_signature=question.signature),
    )
    run = pair.run(
        partial(question.modeler, item=making.modeler),
        partial(question.regulator, item=making.regulator),
    )
    return making, _checked(run, question)


def _checked(run: Run, question: _Question) -> Run:
    if run.regulator != question.oracle:
        raise SystemExit("A result differs from the oracle's.")
    return run


def _ask(n_cases: int, spec: VerificationSpec, dice: np.random.Generator) -> _Question:
    theta = [int(value) for value in dice.integers(-(1 << 18), 1 << 18, spec.n_features + 1)]
    nonce = system_randomness().bytes(32)
    signature = model_signature(spec.config_digest, nonce, theta)
    rows = dice.integers(-_REACH, _REACH + 1, (n_cases, spec.n_features)).tolist()
    cases = [
        (row, decide(theta, row, spec.x_frac_bits) ^ (number % 7 == 6))
        for number, row in enumerate(rows)
    ]
    return _Question(
        signature=signature,
        modeler=partial(verify_as_modeler, spec=spec, theta=theta, nonce=nonce, n_cases=n_cases),
        regulator=partial(
            verify_as_regulator, spec=spec, certified_signature=signature, cases=cases
        ),
        oracle=verify_in_the_clear(spec, signature, theta, nonce, cases),
    )


def _measure(pair: Pair, n_cases: int, arguments: argparse.Namespace) -> tuple[Row, Row]:
    spec = make_spec(arguments.features)
    dice = np.random.default_rng()
    (first, *runs), made, stocked = zip(
        *(
            (
                verify_once(pair, n_cases, spec, dice),
                *verify_from_stock(pair, n_cases, spec, dice),
            )
            for _ in range(1 + arguments.repeats)
        ),
        strict=True,
    )
    made, stocked = made[1:], stocked[1:]
    row = {
        "challenges together": n_cases,
        "features": spec.n_features,
        "runs": len(runs),
        "ms": milliseconds(statistics.median(run.after_setup for run in runs)),
        "ms, worst": milliseconds(max(run.after_setup for run in runs)),
        "kB sent": _kilobytes(runs),
        "ms with stock": milliseconds(statistics.median(run.seconds for run in stocked)),
        "ms with stock, worst": milliseconds(max(run.seconds for run in stocked)),
        "kB with stock": _kilobytes(stocked),
        "ms to make it": milliseconds(statistics.median(run.seconds for run in made)),
    }
    return row, start_up(f"{n_cases} challenges together, without stock", first, runs)


def _kilobytes(runs: Sequence[Run]) -> int:
    return round(statistics.median(run.n_bytes for run in runs) / 1e3)


def run(arguments: argparse.Namespace) -> Report:
    """Measure each number of challenges."""
    with parties(arguments.link) as pair:
        found = [_measure(pair, n_cases, arguments) for n_cases in arguments.cases]
    rows, start_ups = (list(column) for column in zip(*found, strict=True))
    title = "Verification, both parties on this machine"
    return Report(title, rows, [link_remark(arguments.link)], start_ups)
