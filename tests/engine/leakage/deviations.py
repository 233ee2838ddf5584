"""Samples of runs, compared bit by bit: how far two of them are apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mpc_engine.roles import Role

Means = dict[Role, NDArray[np.float64]]
"""How often each bit of a party's view is set, over a sample."""
LIMIT = 6.5
"""Standard deviations; for 10^5 compared bits chance passes it with probability below 10^-5.

The draws are seeded: an unchanged protocol meets the same ones in every run, so that chance comes
in with a change of it and never with a repetition.
"""


def means(view: Callable[[int], dict[Role, NDArray[np.uint8]]], seeds: range) -> Means:
    """Return the means over one run for each seed; views of a party have equal lengths."""
    totals: dict[Role, NDArray[np.int64]] = {}
    for seed in seeds:
        for role, bits in view(seed).items():
            if role in totals:
                totals[role] += bits
            else:
                totals[role] = bits.astype(np.int64)
    return {role: total / len(seeds) for role, total in totals.items()}


def deviation(one: NDArray[np.float64], other: NDArray[np.float64], n_runs: int) -> float:
    """Return the largest two-sample z value over all bits, of samples of ``n_runs`` each."""
    pooled = (one + other) / 2
    spread = np.sqrt(np.maximum(2 * pooled * (1 - pooled) / n_runs, 1e-12))
    return float((np.abs(one - other) / spread).max())
