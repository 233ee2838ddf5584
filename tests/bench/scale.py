"""Growth of certification with the number of people: fitted exponent and peak memory.

The p%-rule and the covariance, each alone, on cohorts ten times as large each time. People are
dealt afresh for every run into a file a party, which the party reads block by block as it reads its
closed cohort; every verdict is compared with the oracle's. The clock is that of
``./run bench certification``. The exponent is the slope of log time over log people. Memory is each
party's peak of resident memory over the timed runs, which come after one on few people in the same
process: whole, and above what the process held after that one.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from mpc_engine.protocols.certification.criteria import CriterionName
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.roles import Role
from tests.bench.certification import TWO_GROUPS, make_spec
from tests.bench.link import add_link_argument, link_remark
from tests.bench.parties import Pair, Run, parties
from tests.bench.people_file import deal_into_files, open_people
from tests.bench.report import Report, Row

_CRITERIA = (CriterionName.COVARIANCE, CriterionName.P_RULE)
_NONCE = bytes(32)
_FEW = 4096
_MOST_EXPONENT, _MOST_GROWTH = 1.05, 1.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take sizes and the number of runs."""
    parser.add_argument(
        "--people", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="cohort sizes"
    )
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1, help="processes a party")
    add_link_argument(parser)


def _one_run(pair: Pair, n: int, spec: CertificationSpec) -> Run:
    """Certify ``n`` fresh people; SystemExit if the verdict is not the oracle's."""
    dice = np.random.default_rng()
    theta = [int(value) for value in dice.integers(-(1 << 18), 1 << 18, spec.n_features + 1)]
    with tempfile.TemporaryDirectory() as name:
        files = deal_into_files(Path(name), n, spec, dice)
        run = pair.run(
            partial(
                certify_as_modeler,
                spec=spec,
                records=files[Role.MODELER],
                theta=theta,
                nonce=_NONCE,
            ),
            partial(certify_as_regulator, spec=spec, records=files[Role.REGULATOR]),
        )
        answers, features, labels = open_people(files)
    oracle = certify_in_the_clear(spec, answers, features, theta, _NONCE, labels)
    for outcome in (run.modeler, run.regulator):
        if (outcome.verdict, outcome.passes) != (oracle.verdict, oracle.passes):
            raise SystemExit("The verdict differs from the oracle's.")
    return run


def _measure(n: int, criterion: CriterionName, arguments: argparse.Namespace) -> Row:
    """Run in fresh processes: few people to warm up, then ``n`` as often as asked."""
    spec = make_spec(arguments.features, (criterion,), TWO_GROUPS)
    with parties(arguments.link, arguments.workers) as pair:
        _one_run(pair, _FEW, spec)
        runs = [_one_run(pair, n, spec) for _ in range(arguments.repeats)]
    seconds = statistics.median(run.seconds - run.setup_seconds for run in runs)
    base = {Role.MODELER: runs[0].modeler_base_bytes, Role.REGULATOR: runs[0].regulator_base_bytes}
    peak = {
        Role.MODELER: max(run.modeler_peak_bytes for run in runs),
        Role.REGULATOR: max(run.regulator_peak_bytes for run in runs),
    }
    row: Row = {
        "criteria": criterion.value,
        "people": n,
        "features": spec.n_features,
        "ms": round(1000 * seconds),
        "us a person": round(1e6 * seconds / n, 1),
        "MB sent": round((runs[0].modeler_bytes + runs[0].regulator_bytes) / 1e6, 1),
    }
    for role in Role:
        row[f"peak MB, {role.value}"] = round(peak[role] / 2**20)
        row[f"above base, {role.value}"] = round((peak[role] - base[role]) / 2**20)
    return row


def _growth(rows: list[Row]) -> str:
    """Say how time and memory grow over the sizes of one criterion, beside what they may."""
    logs = np.log([[row["people"], row["ms"]] for row in rows])
    exponent = np.polyfit(logs[:, 0], logs[:, 1], 1)[0]
    ratios = {
        what: max(rows[-1][f"{what}, {r.value}"] / rows[-2][f"{what}, {r.value}"] for r in Role)
        for what in ("peak MB", "above base")
    }
    return (
        f"{rows[0]['criteria']}: time grows with people to the {exponent:.3f} (goal: at most "
        f"{_MOST_EXPONENT}); peak memory {ratios['peak MB']:.2f} times that of the size before "
        f"(goal: at most {_MOST_GROWTH}), {ratios['above base']:.2f} times above the base."
    )


def run(arguments: argparse.Namespace) -> Report:
    """Measure both criteria at each size."""
    if len(set(arguments.people)) < 2:
        raise SystemExit("Growth needs two sizes at least.")
    sizes = sorted(set(arguments.people))
    found = [[_measure(n, name, arguments) for n in sizes] for name in _CRITERIA]
    remarks = [link_remark(arguments.link), *map(_growth, found)]
    rows = [row for rows in found for row in rows]
    return Report("Growth of certification, both parties on this machine", rows, remarks)
