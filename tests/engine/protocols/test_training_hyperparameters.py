"""Presets in human units, the encoding of raw features, and their effect on real decisions."""

from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.control.studies.training_terms import recommended_steps
from mpc_engine.errors import UsageError
from mpc_engine.lab.splits import Split, synthetic_people
from mpc_engine.protocols.training.fixed_point import (
    LARGEST_VALUE,
    Standardisation,
    public_bounds,
)
from mpc_engine.protocols.training.hyperparameters import (
    BATCH_SIZE,
    SIGNAL_FRAC_BITS,
    THETA_FRAC_BITS,
    X_FRAC_BITS,
    Preset,
    bound_of,
    settings_of,
    steps_of,
    training_spec,
)
from mpc_engine.protocols.training.spec import Phase, TrainingSpec
from tests.engine.protocols import datasets
from tests.engine.protocols.training_cases import one_hot
from tools.bench.training_quality import TOLERANCE, Problem, measure


def _rates(phase: Phase, batch_size: int = BATCH_SIZE) -> tuple[float, float]:
    """Return the rates of the mean loss and of the constraint's force, in real units."""
    unit = 2.0 ** (X_FRAC_BITS + SIGNAL_FRAC_BITS - THETA_FRAC_BITS - phase.shift)
    return phase.loss * unit * batch_size, phase.constraint * unit


def _spec(preset: Preset, **changes: object) -> TrainingSpec:
    given: dict[str, object] = {
        "n_rows": 1_000,
        "n_columns": 4,
        "x_bound": 5 << X_FRAC_BITS,
        "row_bound": 16 << X_FRAC_BITS,
        "entry_counts": (3, 5),
        "constraints": 0.01,
        "order_seed": bytes(16),
    }
    return training_spec(settings_of(preset, 1_000, 157), **(given | changes))  # type: ignore[arg-type]


def test_the_recommended_rate_falls_from_an_eighth_to_a_thousandth() -> None:
    settings = settings_of(Preset.RECOMMENDED, 16_384, 2_560)
    rates = [_rates(phase) for phase in settings.phases]
    assert rates == [(2.0**-h, 2.0**-h) for h in range(3, 11)]
    assert sum(phase.n_steps for phase in settings.phases) == 2_560
    small = settings_of(Preset.RECOMMENDED, 100, 250, 4)
    assert _rates(small.phases[0], 4) == (0.125, 0.125)


def test_the_papers_rates_follow_its_weights() -> None:
    settings = settings_of(Preset.PAPER, 1_000, steps_of(10, 1_000))
    assert [phase.n_steps for phase in settings.phases] == [16] * 9 + [13]
    for epoch, phase in enumerate(settings.phases, 1):
        loss, constraint = _rates(phase)
        assert loss == pytest.approx(1e-4 * 10 / (10 + epoch), rel=0.02)
        assert constraint == pytest.approx(1e-4 * (10 + 10 * epoch) / 10, rel=0.001)
    assert settings.multiplier.only_violated
    assert not settings.multiplier.may_fall
    assert (settings.n_averaged, settings.multiplier.penalty) == (1, 0)


def test_a_run_has_the_constraints_in_units_of_signals() -> None:
    spec = _spec(Preset.RECOMMENDED)
    assert spec.bounds == (655,) * 5
    assert spec.n_steps == 157
    named = _spec(Preset.PAPER, constraints=[0.0, 1e-4, 1.0, 0.5, 0.25])
    assert named.bounds == (0, 7, 65_536, 32_768, 16_384)
    with pytest.raises(UsageError) as caught:
        _spec(Preset.RECOMMENDED, constraints=[0.1])
    assert caught.value.code == "CONSTRAINT_COUNT"


@pytest.mark.parametrize("value", [-1e-9, float("nan"), float("inf"), 65_536.0])
def test_a_constraint_that_is_no_bound_is_refused(value: float) -> None:
    with pytest.raises(UsageError):
        bound_of(value)


def test_recommended_steps_grow_with_the_rows_between_two_ends() -> None:
    assert [recommended_steps(n) for n in (1, 4_096, 4_097, 16_384, 1 << 20)] == [
        2_560,
        2_560,
        2_561,
        10_240,
        15_000,
    ]


def test_a_run_without_steps_is_refused() -> None:
    for steps in (0, -1):
        with pytest.raises(UsageError):
            settings_of(Preset.RECOMMENDED, 100, steps)


def _features() -> np.ndarray:
    rng = np.random.default_rng(3)
    rare = (rng.random(4_000) < 0.001).astype(float)
    rare[0] = 1.0
    tail = np.exp(2 * rng.normal(size=4_000))
    return np.stack([rng.normal(40, 12, 4_000), rare, tail, np.full(4_000, 7.0)], axis=1)


def test_long_tails_and_rare_levels_stay_within_the_largest_value() -> None:
    features = _features()
    rows = Standardisation.of(features).encode(features, X_FRAC_BITS)
    one = 1 << X_FRAC_BITS
    assert (rows[:, 0] == one).all()
    assert np.abs(rows).max() <= LARGEST_VALUE * one
    assert np.abs(rows[:, 2]).max() == np.abs(rows[:, 3]).max() == LARGEST_VALUE * one
    assert rows[:, 1].std() == pytest.approx(one, rel=1e-3)
    assert not rows[:, 4].any()


def test_decoded_theta_scores_raw_features_alike() -> None:
    features = _features()
    scales = Standardisation.of(features)
    theta = np.array([3_000, -70_000, 12_345, 99_999, 5])
    intercept, coefficients = scales.decode(theta, 16)
    encoded = scales.encode(features, 30) / 2.0**30
    np.testing.assert_allclose(
        intercept + features @ coefficients, encoded @ (theta / 2.0**16), atol=1e-6
    )
    assert coefficients[3] == 0


def test_public_bounds_hold_the_rows_and_show_three_bits() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        rows = rng.integers(-(1 << 18), 1 << 18, (3, 4)) >> int(rng.integers(0, 18))
        exact = (int(np.abs(rows).max()), int(np.abs(rows).sum(axis=1).max()))
        for bound, value in zip(public_bounds(rows), exact, strict=True):
            assert value <= bound <= max(1, value * 5 / 4)
            zeros = max(bound.bit_length() - 3, 0)
            assert bound >> zeros << zeros == bound


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_no_numbers_are_refused(value: float) -> None:
    with pytest.raises(UsageError):
        Standardisation.of(np.array([[1.0], [value]]))
    with pytest.raises(UsageError):
        Standardisation.of(np.empty((0, 2)))
    with pytest.raises(UsageError):
        public_bounds(np.empty((0, 2), dtype=np.int64))


def _synthetic() -> Split:
    people = synthetic_people()
    entries = one_hot(people.choices, (3,))
    return Split("synthetic", people.features, people.outcomes, entries, (3,), 2_048)


def _german() -> Split:
    data = datasets.german()
    order = np.random.default_rng(1).permutation(len(data.labels))
    return Split(
        "German",
        data.features[order].astype(np.float64),
        data.labels[order],
        one_hot(data.choices[order], data.entry_counts),
        data.entry_counts,
        512,
    )


@pytest.mark.slow
@pytest.mark.parametrize("constraint", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("name", ["synthetic", "German"])
def test_decisions_are_as_good_as_those_of_slsqp_and_the_constraint_holds(
    name: str, constraint: float
) -> None:
    split = _synthetic() if name == "synthetic" else _german()
    steps = recommended_steps(split.n_trained)
    row = measure(Problem.of(split), constraint, Preset.RECOMMENDED, steps)
    assert row["difference"] >= -0.7
    assert row["violation"] <= TOLERANCE
    assert row["score_width"] <= 50
    assert row["gradient_width"] <= 45


def test_without_a_bound_the_synthetic_set_is_far_outside_it() -> None:
    row = measure(Problem.of(_synthetic()), 1.0, Preset.RECOMMENDED, 2_560)
    assert row["abs_a_theta"] > 0.1
