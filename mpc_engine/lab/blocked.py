"""The paper's blocked product of groups and features beside the protocol's exact sums.

Source: Kilbertus et al. (2018), section 4.2, "MPC-friendliness". Blocks of b rows are multiplied,
each result is divided by b before the blocks are added, and the sum is multiplied by b / n.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.lab.arithmetic import FixedPoint, Reals
from mpc_engine.lab.failures import RunFailed
from mpc_engine.lab.points import ORDER_SEEDS
from mpc_engine.lab.problems import Problem, Whitening
from mpc_engine.lab.splits import Split
from mpc_engine.protocols.training.hyperparameters import THETA_FRAC_BITS, Preset
from mpc_engine.protocols.training.plaintext import constraint_matrix

Row = dict[str, Any]
INT_BITS = (16, 12, 8)
"""Integer bits m that are tried; the fractional ones are 16, and the paper has m = 16."""


def blocked_product(groups: Reals, rows: Reals, block: int, numbers: FixedPoint) -> Reals:
    """Return A float (p, d) of centred ``groups`` (n, p) and ``rows`` (n, d), in fixed point.

    ``block`` divides n, and both are powers of two. RunFailed where a number overflows.
    """
    n = len(rows)
    encoded, found = numbers.of(rows), []
    for column in numbers.of(groups).T:
        products = numbers.times(column[:, None], encoded)
        blocks = numbers.checked(products.reshape(n // block, block, -1).sum(axis=1))
        summed = numbers.checked(numbers.halved(blocks, block.bit_length() - 1).sum(axis=0))
        found.append(numbers.halved(summed, (n // block).bit_length() - 1))
    return numbers.real(np.array(found))


def compare(split: Split) -> list[Row]:
    """Return a row for every block and number of integer bits, and one of the protocol's own.

    ``error``: the largest of an entry of A, None where a number overflowed.
    """
    problem = Problem(split, Whitening.PAPER)
    rows = problem.scaled[: problem.n]
    entries = problem.groups[: problem.n].astype(np.float64)
    centred = entries - entries.mean(axis=0)
    exact = problem.matrix
    found: list[Row] = []
    for int_bits in INT_BITS:
        block = 1
        while block <= problem.n:
            numbers = FixedPoint(int_bits, 16)
            error = _error(centred, rows, block, numbers, exact)
            found.append({"way": f"blocked, m = {int_bits}", "block": block, "error": error})
            block *= 2
    found.append({"way": "ours", "block": None, "error": _our_error(problem, exact)})
    return [{"data": split.name, "n": problem.n, **row} for row in found]


def _error(
    centred: Reals, rows: Reals, block: int, numbers: FixedPoint, exact: NDArray[np.float64]
) -> float | None:
    try:
        return float(np.abs(blocked_product(centred, rows, block, numbers) - exact).max())
    except RunFailed:
        return None


def _our_error(problem: Problem, exact: Reals) -> float:
    spec = problem.spec(Preset.RECOMMENDED, 1.0, 1, ORDER_SEEDS[0], THETA_FRAC_BITS)
    matrix = constraint_matrix(spec, problem.encoded, problem.targets, problem.entries[: problem.n])
    return float(np.abs(matrix / 2.0**spec.x_frac_bits - exact).max())
