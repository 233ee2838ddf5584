"""Certification of synthetic people by two processes over TLS: median and worst of the runs.

The clock starts when both parties have their base OTs, and includes OT extension and garbling; base
OTs, the opening of the lines and the first run of each row stand below the table. One pair of
processes serves all runs of a number of workers. Every run deals fresh people, and its verdict is
compared with the oracle's, or, where cells are noised, with the other party's. Peak memory is a
process's during the runs of a row, with its inputs and what earlier rows left; with several workers
it is that of each party's first process.
"""

from __future__ import annotations

import argparse
import statistics
from contextlib import ExitStack
from fractions import Fraction
from functools import partial

import numpy as np

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
    Criterion,
)
from mpc_engine.sharing.records import RecordSource
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.vocabulary.criteria import RATE_CRITERIA, Bound, CriterionName
from mpc_engine.vocabulary.policies import Comparison
from tools.bench.link import add_link_argument, link_remark
from tools.bench.parties import Pair, Run, Side, parties
from tools.bench.report import Report, Row, add_repeats, milliseconds
from tools.bench.start_up import start_up

_REACH = 256
NONCE = bytes(32)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take sizes and the number of runs."""
    parser.add_argument("--people", type=int, nargs="+", default=[1 << 14], help="cohort sizes")
    parser.add_argument("--features", type=int, default=51)
    add_repeats(parser)
    parser.add_argument(
        "--criteria", nargs="+", metavar="NAME", help="these only; all unless given"
    )
    parser.add_argument(
        "--workers", type=int, nargs="+", default=[1], help="processes a party, one row for each"
    )
    parser.add_argument(
        "--epsilon",
        type=Fraction,
        help="also with noised cells, where that can be, beside each exact one",
    )
    add_link_argument(parser)


_LIMITS = {Bound.RATIO: Fraction(80), Bound.DIFFERENCE: Fraction(10), Bound.Z_TEST: Fraction(2)}
TWO_GROUPS, _FIVE, _CROSSED = (3,), (6,), (4, 6)
"""Entries of the attributes: two groups, five groups, and three by five."""
_COVARIANCE_AND_P_RULE = (CriterionName.COVARIANCE, CriterionName.P_RULE)


def make_spec(
    n_features: int,
    names: tuple[CriterionName, ...],
    entry_counts: tuple[int, ...] = TWO_GROUPS,
    epsilon: Fraction | None = None,
) -> CertificationSpec:
    """Return a policy on an attribute, or on the intersection of two; noised with an epsilon.

    Random models are near no threshold.
    """
    limits = {name: _LIMITS[name.bound] for name in RATE_CRITERIA}
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
        floors=Floors(1, 1, 1),
        groupings=(tuple(range(len(entry_counts))),),
        epsilon=epsilon,
    )


def certify_once(pair: Pair, n: int, spec: CertificationSpec, dice: np.random.Generator) -> Run:
    """Certify fresh people; SystemExit if the verdict is not the oracle's, or the other's."""
    choices = np.stack([dice.integers(0, count, n) for count in spec.entry_counts], axis=1)
    labels = dice.integers(0, 2, n).astype(np.uint8)
    features = dice.integers(-_REACH, _REACH + 1, (n, spec.n_features))
    theta = random_theta(spec, dice)
    answers = one_hot(choices, spec.entry_counts)
    modeler, regulator = deal_records(answers, features, system_randomness(), labels)
    run = pair.run(*sides(spec, theta, modeler, regulator))
    if spec.epsilon is not None:
        return check_verdicts(run, run.modeler)
    return check_verdicts(run, certify_in_the_clear(spec, answers, features, theta, NONCE, labels))


def random_theta(spec: CertificationSpec, dice: np.random.Generator) -> list[int]:
    """Return coefficients of a random model, intercept first."""
    return [int(value) for value in dice.integers(-(1 << 18), 1 << 18, spec.n_features + 1)]


def sides(
    spec: CertificationSpec, theta: list[int], modeler: RecordSource, regulator: RecordSource
) -> tuple[Side, Side]:
    """Return what the modeler and the regulator do with their records."""
    return (
        partial(certify_as_modeler, spec=spec, records=modeler, theta=theta, nonce=NONCE),
        partial(certify_as_regulator, spec=spec, records=regulator),
    )


def check_verdicts(run: Run, oracle: CertificationOutcome) -> Run:
    """Return the run; SystemExit if a party's verdict is not the expected one."""
    for outcome in (run.modeler, run.regulator):
        if (outcome.verdict, outcome.passes) != (oracle.verdict, oracle.passes):
            raise SystemExit("The verdict differs from the oracle's, or the other party's.")
    return run


def measure(
    pair: Pair,
    n: int,
    names: tuple[CriterionName, ...],
    entry_counts: tuple[int, ...],
    arguments: argparse.Namespace,
    workers: int,
    epsilon: Fraction | None,
) -> tuple[Row, Row]:
    """Certify ``n`` fresh people once to warm up, then as often as asked.

    Returns the row and that of the start-up.
    """
    spec = make_spec(arguments.features, names, entry_counts, epsilon)
    dice = np.random.default_rng()
    first, *runs = [certify_once(pair, n, spec, dice) for _ in range(1 + arguments.repeats)]
    seconds = [run.after_setup for run in runs]
    criteria, groups = " + ".join(name.value for name in names), sum(map(len, spec.cells))
    if epsilon is not None:
        criteria += f", noised at {epsilon}"
    row = {
        "criteria": criteria,
        "groups": groups,
        "people": n,
        "workers": workers,
        "features": spec.n_features,
        "runs": len(runs),
        "ms": milliseconds(statistics.median(seconds)),
        "ms, worst": milliseconds(max(seconds)),
        "MB sent": round(statistics.median(run.n_bytes for run in runs) / 1e6, 1),
        "peak MB, modeler": max(run.modeler_peak_bytes for run in runs) >> 20,
        "peak MB, regulator": max(run.regulator_peak_bytes for run in runs) >> 20,
    }
    work = f"{criteria}, {groups} groups, {n:,} people, {workers} workers"
    return row, start_up(work, first, runs)


def _epsilons(
    names: tuple[CriterionName, ...], asked: Fraction | None
) -> tuple[Fraction | None, ...]:
    """Return None for the exact one, and what was asked for where there can be noise."""
    bounds = {name.bound for name in names}
    if asked is None or not bounds.isdisjoint((Bound.COVARIANCE, Bound.Z_TEST)):
        return (None,)
    return (None, asked)


def run(arguments: argparse.Namespace) -> Report:
    """Measure each criterion alone on two groups, the p%-rule and equalised odds on more."""
    cases: list[tuple[tuple[CriterionName, ...], tuple[int, ...]]]
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
        found = [
            measure(pair, n, names, shape, arguments, workers, epsilon)
            for n in arguments.people
            for names, shape in cases
            if asked.issuperset(name.value for name in names)
            for workers, pair in pairs.items()
            for epsilon in _epsilons(names, arguments.epsilon)
        ]
    title = "Certification, both parties on this machine"
    rows, start_ups = (list(column) for column in zip(*found, strict=True))
    return Report(title, rows, [link_remark(arguments.link)], start_ups)
