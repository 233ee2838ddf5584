"""Growth of certification with the number of people: fitted exponent and peak memory.

The p%-rule and the covariance, each alone, on cohorts ten times as large each time, as in
``./run bench certification``. The exponent is the slope of log time over log people; memory is
that of the larger party at the largest size over that at the size before.
"""

from __future__ import annotations

import argparse

import numpy as np

from mpc_engine.protocols.certification.criteria import CriterionName
from tests.bench import certification
from tests.bench.link import add_link_argument, link_remark
from tests.bench.parties import parties
from tests.bench.report import Report, Row

_CRITERIA = (CriterionName.COVARIANCE, CriterionName.P_RULE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take sizes and the number of runs."""
    parser.add_argument(
        "--people", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="cohort sizes"
    )
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    add_link_argument(parser)


def _growth(rows: list[Row]) -> str:
    """Say how time and memory grow over the sizes of one criterion."""
    logs = np.log([[row["people"], row["ms"]] for row in rows])
    exponent = np.polyfit(logs[:, 0], logs[:, 1], 1)[0]
    peaks = [max(row["peak MB, modeler"], row["peak MB, regulator"]) for row in rows]
    return (
        f"{rows[0]['criteria']}: time grows with people to the {exponent:.2f}; peak memory "
        f"{peaks[-1] / peaks[-2]:.2f} times that of the size before."
    )


def _measure(name: CriterionName, n: int, arguments: argparse.Namespace) -> Row:
    """Measure one size by processes of its own: memory that a larger one left counts nowhere."""
    with parties(arguments.link) as pair:
        return certification.measure(pair, n, (name,), certification.TWO_GROUPS, arguments)


def run(arguments: argparse.Namespace) -> Report:
    """Measure both criteria at each size."""
    if len(set(arguments.people)) < 2:
        raise SystemExit("Growth needs two sizes at least.")
    sizes = sorted(set(arguments.people))
    found = [[_measure(name, n, arguments) for n in sizes] for name in _CRITERIA]
    remarks = [link_remark(arguments.link), *map(_growth, found)]
    rows = [row for rows in found for row in rows]
    return Report("Growth of certification, both parties on this machine", rows, remarks)
