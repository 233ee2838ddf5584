"""Growth of certification with the number of people: fitted exponent and peak memory.

The p%-rule and the covariance, each alone, on cohorts ten times as large each time. People are
dealt afresh for every run into a file a party, which the party reads block by block as it reads its
closed cohort; every verdict is compared with the oracle's. The clock is that of ``./run bench
certification``: medians, and what it leaves out stands below the table. The exponent is the slope
of log time over log people. Memory is each party's peak of resident memory over the timed runs,
which come after one on few people in the same process: whole, and above what the process held after
that one.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.roles import Role
from mpc_engine.vocabulary.criteria import CriterionName
from tools.bench.certification import (
    NONCE,
    TWO_GROUPS,
    check_verdicts,
    make_spec,
    random_theta,
    sides,
)
from tools.bench.link import add_link_argument, link_remark
from tools.bench.parties import Pair, Run, parties
from tools.bench.people_file import deal_into_files, open_people
from tools.bench.report import Report, Row, add_repeats, at_least_one, milliseconds
from tools.bench.start_up import start_up

_CRITERIA = (CriterionName.COVARIANCE, CriterionName.P_RULE)
_FEW = 4096
_MOST_EXPONENT, _MOST_GROWTH = 1.05, 1.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take sizes and the number of runs."""
    parser.add_argument(
        "--people", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="cohort sizes"
    )
    parser.add_argument("--features", type=int, default=20)
    add_repeats(parser)
    parser.add_argument("--workers", type=at_least_one, default=1, help="processes a party")
    add_link_argument(parser)


def _one_run(pair: Pair, n: int, spec: CertificationSpec) -> Run:
    """Certify ``n`` fresh people; SystemExit if the verdict is not the oracle's."""
    dice = np.random.default_rng()
    theta = random_theta(spec, dice)
    with tempfile.TemporaryDirectory() as name:
        files = deal_into_files(Path(name), n, spec, dice)
        run = pair.run(*sides(spec, theta, files[Role.MODELER], files[Role.REGULATOR]))
        answers, features, labels = open_people(files)
    return check_verdicts(run, certify_in_the_clear(spec, answers, features, theta, NONCE, labels))


@dataclass(frozen=True)
class Size:
    """What a cohort's size took: seconds (median), and each party's bytes of memory.

    ``peak``: the whole process at its most; ``above``: what of it came after the run on few people.
    """

    n_people: int
    seconds: float
    peak: dict[Role, int]
    above: dict[Role, int]

    @classmethod
    def of(cls, n_people: int, runs: Sequence[Run]) -> Size:
        """Put the runs of one size together."""
        base = {r: _of(runs[0], r, "base") for r in Role}
        peak = {r: max(_of(run, r, "peak") for run in runs) for r in Role}
        return cls(
            n_people,
            statistics.median(run.after_setup for run in runs),
            peak,
            {role: peak[role] - base[role] for role in Role},
        )


def _of(run: Run, role: Role, what: str) -> int:
    return int(getattr(run, f"{role.value}_{what}_bytes"))


def _measure(
    n: int, criterion: CriterionName, arguments: argparse.Namespace
) -> tuple[Size, Row, Row]:
    """Run in fresh processes: few people to warm up, then ``n`` as often as asked.

    Returns the figures, their row and that of the start-up.
    """
    spec = make_spec(arguments.features, (criterion,), TWO_GROUPS)
    with parties(arguments.link, arguments.workers) as pair:
        first = _one_run(pair, _FEW, spec)
        runs = [_one_run(pair, n, spec) for _ in range(arguments.repeats)]
    size = Size.of(n, runs)
    row: Row = {
        "criteria": criterion.value,
        "people": n,
        "workers": arguments.workers,
        "features": spec.n_features,
        "runs": len(runs),
        "ms": milliseconds(size.seconds),
        "ms, worst": milliseconds(max(run.after_setup for run in runs)),
        "us a person": round(1e6 * size.seconds / n, 1),
        "MB sent": round(statistics.median(run.n_bytes for run in runs) / 1e6, 1),
    }
    for role in Role:
        row[f"peak MB, {role.value}"] = round(size.peak[role] / 2**20)
        row[f"above base, {role.value}"] = round(size.above[role] / 2**20)
    work = f"{criterion.value}, {n:,} people; first run: {_FEW:,}"
    return size, row, start_up(work, first, runs)


def growth(criterion: str, sizes: Sequence[Size]) -> str:
    """Say how time and memory grow over the sizes of one criterion, beside what they may."""
    logs = np.log([[size.n_people, size.seconds] for size in sizes])
    exponent = np.polyfit(logs[:, 0], logs[:, 1], 1)[0]
    before, last = sizes[-2:]
    return (
        f"{criterion}: time grows with people to the {exponent:.3f} (goal: at most "
        f"{_MOST_EXPONENT}); of the size before, peak memory is {_ratio(last.peak, before.peak)} "
        f"(goal: at most {_MOST_GROWTH}), above the base {_ratio(last.above, before.above)}."
    )


def _ratio(after: dict[Role, int], before: dict[Role, int]) -> str:
    """Return the greater of both parties' ratios, in words if a party had nothing before."""
    if any(before[role] <= 0 for role in Role):
        return "without a ratio, for it was 0"
    return f"{max(after[role] / before[role] for role in Role):.2f} times"


def run(arguments: argparse.Namespace) -> Report:
    """Measure both criteria at each size."""
    if len(set(arguments.people)) < 2:
        raise SystemExit("Growth needs two sizes at least.")
    remarks, rows, start_ups = [link_remark(arguments.link)], [], []
    for criterion in _CRITERIA:
        found = [_measure(n, criterion, arguments) for n in sorted(set(arguments.people))]
        remarks.append(growth(criterion.value, [size for size, _, _ in found]))
        rows += [row for _, row, _ in found]
        start_ups += [row for _, _, row in found]
    title = "Growth of certification, both parties on this machine"
    return Report(title, rows, remarks, start_ups)
