"""Each party's view of a training is distributed alike for different inputs of the other.

Two samples of 120 or 500 runs, compared bit by bit, as in `test_views`; what a view holds is in
`training_runs`. Mutants that drop one mask must be rejected. The opened theta is left out of the
modeler's view: it is the output.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS, HashDomain
from mpc_engine.protocols.training.material import entered_wires
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.roles import Role
from mpc_engine.secure_ops import random_product, row_sums
from mpc_engine.testing.people import one_hot
from mpc_engine.testing.twins import random_product as product_twin
from mpc_engine.testing.twins import row_sums as rows_twin
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
from tests.engine.leakage.deviations import LIMIT, Means, deviation, means
from tests.engine.leakage.training_runs import (
    ANSWERS,
    LABELS,
    N_STEPS,
    ROWS,
    SPEC,
    Inputs,
    WithDraws,
    as_it_is,
    resumed_views,
    spec_under,
    views,
)
from tests.engine.ot.ideal import use_ideal_base_ots

pytestmark = pytest.mark.slow

_WHOLE, _MINIBATCH = ConstraintScope.WHOLE_SET, ConstraintScope.MINIBATCH
_RUNS = {
    (Constraint.ACCEPTANCE_RATE, _WHOLE): 500,
    (Constraint.EQUALISED_ODDS, _WHOLE): 120,
    (Constraint.EQUALISED_ODDS, _MINIBATCH): 120,
}
"""Runs a sample; the others add to sums and circuits that the first looks at already."""
_MUTANT_RUNS = 40
_OTHER_ANSWERS = (Inputs(0, 0), Inputs(1, 0))
_OTHER_ROWS = (Inputs(0, 0), Inputs(0, 1))
_KINDS = pytest.mark.parametrize(("constraint", "scope"), _RUNS)
_SAMPLES = [
    replace(given, constraint=constraint, scope=scope)
    for constraint, scope in _RUNS
    for given in dict.fromkeys([*_OTHER_ANSWERS, *_OTHER_ROWS])
]
"""Each is drawn once, with seeds of its own, and serves all comparisons."""
_D, _P, _BATCH = SPEC.n_columns, len(SPEC.bounds), SPEC.batch_size


@functools.cache
def _honest(given: Inputs) -> Means:
    """Return the means over runs of honest parties, each with one that goes on from it."""
    with pytest.MonkeyPatch.context() as patch:
        use_ideal_base_ots(patch)
        return _resumed(patch, given, _RUNS[given.constraint, given.scope])


def _resumed(
    patch: pytest.MonkeyPatch, given: Inputs, n_runs: int, *, open_states: bool = False
) -> Means:
    first = max(_RUNS.values()) * _SAMPLES.index(given)
    return means(
        lambda seed: resumed_views(patch, seed, given, open_states=open_states),
        range(first, first + n_runs),
    )


def _largest_deviation(
    patch: pytest.MonkeyPatch,
    role: Role,
    inputs: tuple[Inputs, Inputs],
    draws: WithDraws = as_it_is,
) -> float:
    """Return the largest deviation of a party's view between runs as the test has changed them."""
    one, other = (
        means(
            lambda seed, given=given: views(patch, seed, given, draws),  # type: ignore[misc]
            range(number * _MUTANT_RUNS, (number + 1) * _MUTANT_RUNS),
        )[role]
        for number, given in enumerate(inputs)
    )
    return deviation(one, other, _MUTANT_RUNS)


@_KINDS
def test_the_inputs_that_are_compared_differ_in_every_hidden_value(
    constraint: Constraint, scope: ConstraintScope
) -> None:
    """Otherwise a leak could go unseen."""
    results = [
        train_plaintext(
            spec_under(constraint, scope),
            ROWS[given.rows],
            LABELS[given.rows],
            one_hot(ANSWERS[given.answers], (3,)),
        )
        for given in (*_OTHER_ANSWERS, _OTHER_ROWS[1])
    ]
    for other in results[1:]:
        assert (other.matrix != results[0].matrix).any()
        assert (other.theta != results[0].theta).any()
        assert (other.multipliers != results[0].multipliers).any()
    assert LABELS[0].sum() != LABELS[1].sum()


@_KINDS
def test_the_modelers_view_does_not_tell_answers_apart(
    constraint: Constraint, scope: ConstraintScope
) -> None:
    """Of a run, and of one that goes on from its checkpoint: both are one view here."""
    one, other = (
        _honest(replace(given, constraint=constraint, scope=scope))[Role.MODELER]
        for given in _OTHER_ANSWERS
    )
    assert deviation(one, other, _RUNS[constraint, scope]) < LIMIT


@_KINDS
def test_the_regulators_view_does_not_tell_rows_and_labels_apart(
    constraint: Constraint, scope: ConstraintScope
) -> None:
    one, other = (
        _honest(replace(given, constraint=constraint, scope=scope))[Role.REGULATOR]
        for given in _OTHER_ROWS
    )
    assert deviation(one, other, _RUNS[constraint, scope]) < LIMIT


def test_a_view_that_held_both_states_of_a_checkpoint_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_ideal_base_ots(monkeypatch)
    found = {
        given: _resumed(monkeypatch, given, _MUTANT_RUNS, open_states=True)
        for given in dict.fromkeys([*_OTHER_ANSWERS, *_OTHER_ROWS])
    }
    for role, inputs in ((Role.MODELER, _OTHER_ANSWERS), (Role.REGULATOR, _OTHER_ROWS)):
        one, other = (found[given][role] for given in inputs)
        assert deviation(one, other, _MUTANT_RUNS) > LIMIT


class _WithoutOneDraw:
    """A party's randomness, but for draws of one shape: they are zero."""

    def __init__(self, rng: Randomness, shape: tuple[int, ...]) -> None:
        self._rng = rng
        self._shape = shape

    def bytes(self, n: int) -> bytes:
        return self._rng.bytes(n)

    def words(self, *shape: int) -> NDArray[np.uint64]:
        return self._rng.words(*shape) * np.uint64(shape != self._shape)

    def bits(self, n: int) -> NDArray[np.uint8]:
        return self._rng.bits(n) * np.uint8((n,) != self._shape)


def _without(role: Role, shape: tuple[int, ...]) -> WithDraws:
    return lambda party, rng: _WithoutOneDraw(rng, shape) if party is role else rng


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param((_D,), id="masks of A"),
        pytest.param((N_STEPS, _D), id="masks of theta"),
        pytest.param((N_STEPS, _BATCH), id="masks of sigmoid outputs"),
        pytest.param((N_STEPS, _P), id="masks of forces"),
    ],
)
def test_a_mutant_that_drops_a_mask_of_the_regulator_is_rejected(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_ideal_base_ots(monkeypatch)
    draws = _without(Role.REGULATOR, shape)
    found = _largest_deviation(monkeypatch, Role.MODELER, _OTHER_ANSWERS, draws)
    assert found > LIMIT


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param((N_STEPS, _D), id="covers of theta"),
        pytest.param((N_STEPS, _P), id="covers of forces"),
        pytest.param((N_STEPS * entered_wires(SPEC),), id="random bits of entered shares"),
    ],
)
def test_a_mutant_that_drops_a_mask_of_the_modeler_is_rejected(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_ideal_base_ots(monkeypatch)
    draws = _without(Role.MODELER, shape)
    found = _largest_deviation(monkeypatch, Role.REGULATOR, _OTHER_ROWS, draws)
    assert found > LIMIT


@pytest.mark.parametrize(
    ("module", "twin", "names", "domain"),
    [
        (row_sums, rows_twin, ("send_rows", "recv_rows"), HashDomain.PAD),
        (
            random_product,
            product_twin,
            ("send_elements", "recv_elements"),
            HashDomain.PRODUCT_PAD,
        ),
    ],
    ids=["sums over people", "products"],
)
def test_a_mutant_that_drops_the_modelers_pads_is_rejected(
    module: Any, twin: Any, names: tuple[str, str], domain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernels' twins give the same bytes, and let their pads be dropped."""
    use_ideal_base_ots(monkeypatch)
    for name in names:
        monkeypatch.setattr(module, name, getattr(twin, name))
    honest = twin.stream

    def without_pads(blocks: Any, tweaks: NDArray[np.uint64], round_keys: Any) -> Any:
        kept = tweaks[:, 1] >> np.uint64(INSTANCE_BITS) != domain
        return honest(blocks, tweaks, round_keys) * kept.astype(np.uint64)[:, None]

    monkeypatch.setattr(twin, "stream", without_pads)
    found = _largest_deviation(monkeypatch, Role.REGULATOR, _OTHER_ROWS)
    assert found > LIMIT
