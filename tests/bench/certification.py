"""Certification of synthetic people by two processes over TLS: median of at least five runs.

The clock starts when both parties have their base OTs, whose time stands in a column of its own,
and includes OT extension and garbling; the TLS handshake and the first run of each row are left
out. One pair of processes serves all runs. Every run deals fresh people, and its verdict is
compared with the oracle's. Peak memory is a process's during the runs of a row, with its inputs
and what earlier rows left; with several workers it is that of each party's first process.
"""

from __future__ import annotations

import argparse
import statistics
from contextlib import ExitStack
from fractions import Fraction
from functools import partial

import numpy as np

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.fairness.comparisons import Bound, Comparison
from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.criteria import RATE_CRITERIA, CriterionName
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import (
    CertificationSpec,
    Criterion,
)
from mpc_engine.testing.people import deal_records, one_hot
from tests.bench.link import add_link_argument, link_remark
from tests.bench.parties import Pair, Run, parties
from tests.bench.report import Report, Row

_REACH = 256
_NONCE = bytes(32)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take sizes and the number of runs."""
    parser.add_argument("--people", type=int, nargs="+", default=[1 << 14], help="cohort sizes")
    parser.add_argument("--features", type=int, default=51)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--criteria", nargs="+", metavar="NAME", help="these only; all unless given"
    )
    parser.add_argument(
        "--workers", type=int, nargs="+", default=[1], help="processes a party, one row for each"
    )
    add_link_argument(parser)


_LIMITS = {Bound.RATIO: Fraction(80), Bound.DIFFERENCE: Fraction(10), Bound.Z_TEST: Fraction(2)}
TWO_GROUPS, _FIVE, _CROSSED = (3,), (6,), (4, 6)
"""Entries of the attributes: two groups, five groups, and three by five."""
_COVARIANCE_AND_P_RULE = (CriterionName.COVARIANCE, CriterionName.P_RULE)


def make_spec(
    n_features: int, names: tuple[CriterionName, ...], entry_counts: tuple[int, ...] = TWO_GROUPS
) -> CertificationSpec:
    """Return a policy on an attribute, or on the intersection of two.

    Random models are near no threshold.
    """
    limits = {name: _LIMITS[item.bound] for name, item in RATE_CRITERIA.items()}
    limits[CriterionName.COVARIANCE] = Fraction(1, 10)
    return CertificationSpec(
        config_digest=b"\x21" * 32,
        n_features=n_features,
        x_frac_bits=8,
        theta_bits=24,
        theta_frac_bits=16,
        entry_counts=entry_counts,
        feature_ranges=((-_REACH, _REACH),) * n_features,
        criteria=tuple(Criterion(name, (limits[name],), limits[name]) for name in names),
        comparison=Comparison.EACH_PAIR,
        floors=Floors(1, 1),
        groupings=(tuple(range(len(entry_counts))),),
    )


def certify_once(pair: Pair, n: int, spec: CertificationSpec, dice: np.random.Generator) -> Run:
    """Certify fresh people; SystemExit if the verdict is not the oracle's."""
    choices = np.stack([dice.integers(0, count, n) for count in spec.entry_counts], axis=1)
    labels = dice.integers(0, 2, n).astype(np.uint8)
    features = dice.integers(-_REACH, _REACH + 1, (n, spec.n_features))
    theta = [int(value) for value in dice.integers(-(1 << 18), 1 << 18, spec.n_features + 1)]
    answers = one_hot(choices, spec.entry_counts)
    modeler, regulator = deal_records(answers, features, system_randomness(), labels)
    oracle = certify_in_the_clear(spec, answers, features, theta, _NONCE, labels)
    run = pair.run(
        partial(certify_as_modeler, spec=spec, records=modeler, theta=theta, nonce=_NONCE),
        partial(certify_as_regulator, spec=spec, records=regulator),
    )
    for outcome in (run.modeler, run.regulator):
        if (outcome.verdict, outcome.passes) != (oracle.verdict, oracle.passes):
            raise SystemExit("The verdict differs from the oracle's.")
    return run


def measure(
    pair: Pair,
    n: int,
    names: tuple[CriterionName, ...],
    entry_counts: tuple[int, ...],
    arguments: argparse.Namespace,
    workers: int,
) -> Row:
    """Certify ``n`` fresh people once to warm up, then as often as asked; return the row."""
    spec = make_spec(arguments.features, names, entry_counts)
    dice = np.random.default_rng()
    runs = [certify_once(pair, n, spec, dice) for _ in range(1 + arguments.repeats)][1:]
    seconds = [run.seconds - run.setup_seconds for run in runs]
    return {
        "criteria": " + ".join(name.value for name in names),
        "groups": sum(map(len, spec.cells)),
        "people": n,
        "workers": workers,
        "features": spec.n_features,
        "ms": round(1000 * statistics.median(seconds)),
        "ms, worst": round(1000 * max(seconds)),
        "ms, base OTs": round(1000 * statistics.median(run.setup_seconds for run in runs)),
        "MB sent": round((runs[-1].modeler_bytes + runs[-1].regulator_bytes) / 1e6, 1),
        "peak MB, modeler": max(run.modeler_peak_bytes for run in runs) >> 20,
        "peak MB, regulator": max(run.regulator_peak_bytes for run in runs) >> 20,
    }


def run(arguments: argparse.Namespace) -> Report:
    """Measure each criterion alone on two groups, the p%-rule and equalised odds on more."""
    cases = [((name,), TWO_GROUPS) for name in CriterionName]
    cases.append((_COVARIANCE_AND_P_RULE, TWO_GROUPS))
    for name in (CriterionName.P_RULE, CriterionName.EQUALISED_ODDS_DIFFERENCE):
        cases += [((name,), shape) for shape in (_FIVE, _CROSSED)]
    known = {name.value for name in CriterionName}
    asked = set(arguments.criteria or known)
    if not asked <= known:
        raise SystemExit(f"There is no criterion named {', '.join(sorted(asked - known))}.")
    with ExitStack() as running:
        pairs = {
            workers: running.enter_context(parties(arguments.link, workers))
            for workers in arguments.workers
        }
        rows = [
            measure(pair, n, names, shape, arguments, workers)
            for n in arguments.people
            for names, shape in cases
            if asked.issuperset(name.value for name in names)
            for workers, pair in pairs.items()
        ]
    title = "Certification, both parties on this machine"
    return Report(title, rows, [link_remark(arguments.link)])
