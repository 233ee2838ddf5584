"""Certification of synthetic people by two processes over TLS: median of at least five runs.

The clock starts when both parties are connected and includes base OTs and garbling; the TLS
handshake and one warm run are left out. Every run deals fresh people, and its verdict is compared
with the oracle's.
"""

from __future__ import annotations

import argparse
import statistics
from fractions import Fraction

import numpy as np

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.fairness.comparisons import Comparison
from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import (
    CertificationSpec,
    Criterion,
    CriterionName,
)
from mpc_engine.testing.people import deal_records, one_hot
from tests.bench.link import Link, add_link_argument, link_remark
from tests.bench.parties import Runs, run_parties
from tests.bench.report import Report, Row

_REACH = 256
_NONCE = bytes(32)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take sizes and the number of runs."""
    parser.add_argument("--people", type=int, nargs="+", default=[1 << 14], help="cohort sizes")
    parser.add_argument("--features", type=int, default=51)
    parser.add_argument("--repeats", type=int, default=5)
    add_link_argument(parser)


def make_spec(n_features: int, names: tuple[CriterionName, ...]) -> CertificationSpec:
    """Return a policy on one yes/no attribute; random models are near neither threshold."""
    thresholds = {CriterionName.P_RULE: Fraction(80), CriterionName.COVARIANCE: Fraction(1, 10)}
    return CertificationSpec(
        config_digest=b"\x21" * 32,
        n_features=n_features,
        x_frac_bits=8,
        theta_bits=24,
        theta_frac_bits=16,
        entry_counts=(3,),
        feature_ranges=((-_REACH, _REACH),) * n_features,
        criteria=tuple(Criterion(name, (thresholds[name],), thresholds[name]) for name in names),
        comparison=Comparison.EACH_PAIR,
        floors=Floors(1, 1),
    )


def _one_run(n: int, spec: CertificationSpec, dice: np.random.Generator, link: Link | None) -> Runs:
    """Certify fresh people; SystemExit if the verdict is not the oracle's."""
    choices = dice.integers(0, 3, (n, 1))
    features = dice.integers(-_REACH, _REACH + 1, (n, spec.n_features))
    theta = [int(value) for value in dice.integers(-(1 << 18), 1 << 18, spec.n_features + 1)]
    answers = one_hot(choices, spec.entry_counts)
    modeler, regulator = deal_records(answers, features, system_randomness())
    oracle = certify_in_the_clear(spec, answers, features, theta, _NONCE)
    runs = run_parties(
        lambda ctx: certify_as_modeler(ctx, spec, modeler, theta, _NONCE),
        lambda ctx: certify_as_regulator(ctx, spec, regulator),
        repeats=1,
        link=link,
    )
    for outcome in (runs.runs[0].modeler, runs.runs[0].regulator):
        if (outcome.verdict, outcome.passes) != (oracle.verdict, oracle.passes):
            raise SystemExit("The verdict differs from the oracle's.")
    return runs


def _measure(n: int, names: tuple[CriterionName, ...], arguments: argparse.Namespace) -> Row:
    spec = make_spec(arguments.features, names)
    dice = np.random.default_rng()
    seconds, sent, peaks = [], 0, (0, 0)
    for _ in range(arguments.repeats):
        runs = _one_run(n, spec, dice, arguments.link)
        (run,) = runs.runs
        seconds.append(run.seconds)
        sent = run.modeler_bytes + run.regulator_bytes
        peaks = (runs.modeler_peak_bytes, runs.regulator_peak_bytes)
    return {
        "criteria": " + ".join(name.value for name in names),
        "people": n,
        "features": spec.n_features,
        "ms": round(1000 * statistics.median(seconds)),
        "ms, worst": round(1000 * max(seconds)),
        "MB sent": round(sent / 1e6, 1),
        "peak MB, modeler": peaks[0] >> 20,
        "peak MB, regulator": peaks[1] >> 20,
    }


def run(arguments: argparse.Namespace) -> Report:
    """Measure each criterion alone and both together at each size."""
    alone = [(name,) for name in CriterionName]
    rows = [
        _measure(n, names, arguments)
        for n in arguments.people
        for names in [*alone, tuple(CriterionName)]
    ]
    title = "Certification, one yes/no attribute, both parties on this machine"
    return Report(title, rows, [link_remark(arguments.link)])
