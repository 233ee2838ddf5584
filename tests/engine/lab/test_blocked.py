"""The blocked product is the product, as far as its numbers reach."""

from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.lab.arithmetic import FixedPoint
from mpc_engine.lab.blocked import INT_BITS, blocked_product, compare
from mpc_engine.lab.failures import RunFailed
from tests.engine.lab.reference import problem_of


@pytest.mark.parametrize("block", [1, 8, 64])
def test_blocks_give_the_mean_product(block: int) -> None:
    dice = np.random.default_rng(2)
    groups = dice.integers(0, 2, (64, 2)).astype(np.float64) - 0.5
    rows = dice.normal(size=(64, 3))
    found = blocked_product(groups, rows, block, FixedPoint())
    np.testing.assert_allclose(found, groups.T @ rows / 64, atol=1e-4)


def test_a_block_that_is_too_large_overflows() -> None:
    groups, rows = np.ones((64, 1)), np.full((64, 1), 3.0)
    assert blocked_product(groups, rows, 4, FixedPoint(6, 16)) == pytest.approx(np.array([[3.0]]))
    with pytest.raises(RunFailed):
        blocked_product(groups, rows, 64, FixedPoint(6, 16))


def test_every_block_is_compared_with_exact_sums() -> None:
    rows = compare(problem_of("Synthetic").split)
    assert len(rows) == len(INT_BITS) * 12 + 1
    assert [row["way"] for row in rows].count("ours") == 1
    ours = rows[-1]["error"]
    assert 0 < ours <= 2.0**-12
    widest = [row["error"] for row in rows if row["way"] == "blocked, m = 16"]
    assert None not in widest
    assert max(widest) < 1e-3
