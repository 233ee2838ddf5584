"""How much a run of the lab does: all of it, or a first look."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mpc_engine.control.studies.training_terms import recommended_steps
from mpc_engine.lab.data_sets import WORKLOADS, has_file
from mpc_engine.lab.splits import SPLIT_NAMES, SYNTHETIC

PAPER_STEPS = 15_000
"""Gradient updates of every run of the paper, roughly."""
_DECADES, _POINTS_A_DECADE = 4, 3
_QUICK_DATA = (SYNTHETIC, "COMPAS", "German")
_QUICK_STEPS = 1_000


@dataclass(frozen=True)
class Scope:
    """``data``: names of the sets; ``constraints``: every c, rising.

    ``n_steps``: of the paper's runs. ``absent``: names of sets that have no file.
    """

    data: tuple[str, ...]
    absent: tuple[str, ...]
    constraints: tuple[float, ...]
    n_steps: int
    quick: bool

    @property
    def proxy_data(self) -> tuple[str, ...]:
        """Return the sets on which the proxy is looked at: Adult too, wherever it is at hand."""
        extra = () if "Adult" in (*self.data, *self.absent) else ("Adult",)
        return (*self.data, *extra)

    @classmethod
    def of(cls, folder: Path, *, quick: bool, n_steps: int | None = None) -> Scope:
        """Return the whole scope for the files at hand, or the quick one."""
        named = _QUICK_DATA if quick else SPLIT_NAMES
        here = tuple(name for name in named if name == SYNTHETIC or has_file(name, folder))
        a_decade = 1 if quick else _POINTS_A_DECADE
        constraints = np.logspace(-_DECADES, 0, _DECADES * a_decade + 1)
        return cls(
            data=here,
            absent=tuple(
                name for name in SPLIT_NAMES if name != SYNTHETIC and not has_file(name, folder)
            ),
            constraints=tuple(float(f"{c:.4g}") for c in constraints),
            n_steps=n_steps or (_QUICK_STEPS if quick else PAPER_STEPS),
            quick=quick,
        )

    def our_steps(self, name: str) -> int:
        """Return the recommended steps for a set; a quick run has at most twice its other runs'."""
        rows = {workload.name: workload.n for workload in WORKLOADS} | {SYNTHETIC: 2_048}
        steps = recommended_steps(rows[name])
        return min(steps, 2 * self.n_steps) if self.quick else steps
