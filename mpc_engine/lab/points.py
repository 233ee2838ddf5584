"""A point of an experiment: one run, named by everything that decides its outcome."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from mpc_engine.lab.problems import Whitening
from mpc_engine.lab.sigmoids import Sigmoid
from mpc_engine.protocols.training.hyperparameters import THETA_FRAC_BITS, X_FRAC_BITS, Preset
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope

ORDER_SEEDS = (bytes(range(16)), bytes(range(16, 32)))
"""Of the order in which rows are used: that of every run, and another to see what it matters."""


class Method(StrEnum):
    """How a model is fitted."""

    UNCONSTRAINED = "unconstrained"
    SLSQP = "slsqp"
    LAGRANGE = "lagrange"
    PROJECTED = "projected"
    PROJECTION = "projection"
    BARRIER = "barrier"


class Numbers(StrEnum):
    """The arithmetic of a run.

    ``ORACLE``: the protocol's integers. ``FIXED``: 16 integer and 16 fractional bits, as printed.
    """

    FLOAT = "float"
    ORACLE = "oracle"
    FIXED = "fixed"


@dataclass(frozen=True)
class Point:
    """One run. ``only``: the one constraint of several that counts; None for all."""

    data: str
    method: Method
    c: float | None = None
    sigmoid: Sigmoid = Sigmoid.EXACT
    numbers: Numbers = Numbers.FLOAT
    preset: Preset = Preset.PAPER
    whitening: Whitening = Whitening.PAPER
    n_steps: int = 0
    constraint: Constraint = Constraint.ACCEPTANCE_RATE
    constraint_scope: ConstraintScope = ConstraintScope.WHOLE_SET
    only: int | None = None
    theta_frac_bits: int = THETA_FRAC_BITS
    x_frac_bits: int = X_FRAC_BITS
    order: int = 0

    @property
    def key(self) -> str:
        """Return a text that no other point has."""
        return "|".join(f"{name}={value}" for name, value in self.fields().items())

    def fields(self) -> dict[str, Any]:
        """Return what the JSON says of the point."""
        return asdict(self)
