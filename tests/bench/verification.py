"""Verification of challenges by two processes over TLS: median of at least five runs.

The clock starts when both parties have their base OTs, whose time stands in a column of its own,
and includes OT extension, garbling and the signature of the model; the TLS handshake and the first
run of each row are left out. With stock, base OTs, extension and the garbled hash were made before,
and that time stands in a column of its own; the clock then leaves nothing of the verification out.
One pair of processes serves all runs. Every run draws a fresh model
and fresh cases, of which every seventh claims the wrong decision; each result is compared with the
oracle's.
"""

from __future__ import annotations

import argparse
import statistics
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
from tests.bench.link import add_link_argument, link_remark
from tests.bench.parties import Pair, Run, parties
from tests.bench.report import Report, Row

_REACH = 256
_X_FRAC_BITS = 8
_DIGEST = b"\x21" * 32


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take numbers of challenges answered together, and the number of runs."""
    parser.add_argument("--cases", type=int, nargs="+", default=[1, 100], help="in one batch")
    parser.add_argument("--features", type=int, default=51)
    parser.add_argument("--repeats", type=int, default=5)
    add_link_argument(parser)


@dataclass(frozen=True)
class _Runs:
    """The same cases verified without stock and with it, and the making of it."""

    without: Run
    prepared: Run
    making: Run


def _one_run(pair: Pair, n_cases: int, spec: VerificationSpec, dice: np.random.Generator) -> _Runs:
    """Verify fresh cases both ways; SystemExit if a result is not the oracle's."""
    theta = [int(value) for value in dice.integers(-(1 << 18), 1 << 18, spec.n_features + 1)]
    nonce = system_randomness().bytes(32)
    signature = model_signature(spec.config_digest, nonce, theta)
    rows = dice.integers(-_REACH, _REACH + 1, (n_cases, spec.n_features)).tolist()
    cases = [
        (row, decide(theta, row, spec.x_frac_bits) ^ (number % 7 == 6))
        for number, row in enumerate(rows)
    ]
    asked = partial(verify_as_modeler, spec=spec, theta=theta, nonce=nonce, n_cases=n_cases)
    asking = partial(verify_as_regulator, spec=spec, certified_signature=signature, cases=cases)
    without = pair.run(asked, asking)
    making = pair.run(
        partial(prepare_as_modeler, spec=spec),
        partial(prepare_as_regulator, spec=spec, certified_signature=signature),
    )
    prepared = pair.run(partial(asked, item=making.modeler), partial(asking, item=making.regulator))
    oracle = verify_in_the_clear(spec, signature, theta, nonce, cases)
    if without.regulator != oracle or prepared.regulator != oracle:
        raise SystemExit("A result differs from the oracle's.")
    return _Runs(without, prepared, making)


def _measure(pair: Pair, n_cases: int, arguments: argparse.Namespace) -> Row:
    n_features = arguments.features
    ranges = ((-_REACH, _REACH),) * n_features
    spec = VerificationSpec(_DIGEST, n_features, _X_FRAC_BITS, 24, ranges)
    dice = np.random.default_rng()
    every = [_one_run(pair, n_cases, spec, dice) for _ in range(1 + arguments.repeats)][1:]
    runs, stocked = [one.without for one in every], [one.prepared for one in every]
    return {
        "challenges together": n_cases,
        "features": n_features,
        "ms": round(1000 * statistics.median(run.seconds - run.setup_seconds for run in runs), 1),
        "ms, worst": round(1000 * max(run.seconds - run.setup_seconds for run in runs), 1),
        "ms, base OTs": round(1000 * statistics.median(run.setup_seconds for run in runs), 1),
        "kB sent": _kilobytes(runs[-1]),
        "ms with stock": round(1000 * statistics.median(run.seconds for run in stocked), 1),
        "ms with stock, worst": round(1000 * max(run.seconds for run in stocked), 1),
        "kB with stock": _kilobytes(stocked[-1]),
        "ms to make it": round(1000 * statistics.median(one.making.seconds for one in every), 1),
    }


def _kilobytes(run: Run) -> int:
    return round((run.modeler_bytes + run.regulator_bytes) / 1e3)


def run(arguments: argparse.Namespace) -> Report:
    """Measure each number of challenges."""
    with parties(arguments.link) as pair:
        rows = [_measure(pair, n_cases, arguments) for n_cases in arguments.cases]
    title = "Verification, both parties on this machine"
    return Report(title, rows, [link_remark(arguments.link)])
