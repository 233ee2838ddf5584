"""The work of `./run bench peers` as SPU runs it; imported in `.venv-peers` only.

Written for few rounds and few products: comparisons that can wait for each other go together, and
the rows of a batch and of A into one matrix. Certification is in integers, so that nothing rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", val=True)

Array = Any
_PENALTY, _MULTIPLIER_BOUND = 20.0, 4.0
_MODELER, _REGULATOR, _BOTH = 0, 1, -1


@dataclass(frozen=True)
class Program:
    """A function of named secret inputs, who holds each, and which are public.

    An input whose ``owners`` entry is -1 is shared between both parties beforehand.
    """

    function: Callable[..., Any]
    owners: dict[str, int]
    outputs: tuple[str, ...]
    public: frozenset[str] = frozenset()


def step(
    theta: Array, multiplier: Array, rows: Array, targets: Array, bound: Array, rate: Array
) -> tuple[Array, Array]:
    """Return theta and lambda after a step of the preset ``recommended`` with one constraint.

    ``rows``: the batch's, then A. sgn(0) is 1 here, which matters only for an exact 0.
    """
    batch = targets.shape[0]
    scores = rows @ theta
    shifted, value = scores[:batch] + 0.5, scores[batch:]
    below = jnp.concatenate([shifted, 1.0 - shifted, value]) < 0
    low, high, negative = below[:batch], below[batch : 2 * batch], below[2 * batch :]
    sigmoid = jnp.where(high, 1.0, jnp.where(low, 0.0, shifted))
    sign = 1.0 - 2.0 * negative
    violation = value * sign - bound
    moved, size = multiplier + violation, multiplier + _PENALTY * violation
    below = (
        jnp.concatenate([violation, moved, _MULTIPLIER_BOUND - moved, _MULTIPLIER_BOUND - size]) < 0
    )
    kept, sunk, risen, large = (below[i : i + 1] for i in range(4))
    size = jnp.where(large, _MULTIPLIER_BOUND, jnp.where(kept, multiplier, size))
    moved = jnp.where(risen, _MULTIPLIER_BOUND, jnp.where(sunk, 0.0, moved))
    forces = jnp.concatenate([(sigmoid - targets) / batch, sign * size])
    return theta - rate * (forces @ rows), moved


def covariance(group: Array, centred: Array, theta: Array, limit: Array) -> Array:
    """Return whether ``abs(sum_i z_i (n x_i - sum x) theta) <= limit``."""
    value = (group @ centred) @ theta
    return jnp.all(jnp.stack([value, -value]) <= limit)


def p_rule(group: Array, features: Array, theta: Array, intercept: Array) -> Array:
    """Return whether each group is selected at 80 % at least of the other's rate."""
    selected = 1 - ((features @ theta + intercept) < 0).astype(jnp.int64)
    people = group.shape[0]
    ones, hits, all_hits = jnp.sum(group), jnp.sum(group * selected), jnp.sum(selected)
    first, second = hits * (people - ones), (all_hits - hits) * ones
    return jnp.stack([100 * first - 80 * second, 100 * second - 80 * first]) >= 0


PROGRAMS = {
    "step": Program(
        step,
        {
            "theta": _BOTH,
            "multiplier": _BOTH,
            "rows": _BOTH,
            "targets": _BOTH,
            "bound": _BOTH,
            "rate": _BOTH,
        },
        ("theta", "multiplier"),
        frozenset({"bound", "rate"}),
    ),
    "covariance": Program(
        covariance,
        {"group": _BOTH, "centred": _REGULATOR, "theta": _MODELER, "limit": _BOTH},
        ("within",),
        frozenset({"limit"}),
    ),
    "p_rule": Program(
        p_rule,
        {"group": _BOTH, "features": _REGULATOR, "theta": _MODELER, "intercept": _MODELER},
        ("within",),
    ),
}
