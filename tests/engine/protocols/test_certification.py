"""The secure certification equals its plaintext oracle, and the oracle an exact reference."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
    Reason,
    Verdict,
)
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.people import deal_records, one_hot
from tests.engine.protocols import datasets
from tests.engine.protocols.datasets import RealData
from tests.engine.protocols.running import run_protocol

_NONCE = bytes(range(32))


def make_spec(
    entry_counts: tuple[int, ...],
    ranges: tuple[tuple[int, int], ...],
    thresholds: tuple[Fraction, ...],
    certify_at: Fraction | None = None,
    floor: int = 1,
) -> CertificationSpec:
    return CertificationSpec(
        config_digest=b"\x21" * 32,
        n_features=len(ranges),
        x_frac_bits=datasets.X_FRAC_BITS,
        theta_bits=24,
        theta_frac_bits=datasets.THETA_FRAC_BITS,
        entry_counts=entry_counts,
        feature_ranges=ranges,
        thresholds=thresholds,
        certify_at=certify_at if certify_at is not None else thresholds[-1],
        minimum_group=floor,
    )


def certify(
    spec: CertificationSpec,
    answers: NDArray[np.uint8],
    features: NDArray[np.int64],
    theta: list[int],
    seed: int = 1,
) -> tuple[CertificationOutcome, CertificationOutcome]:
    modeler, regulator = deal_records(answers, features, seeded_randomness(seed + 100))
    return run_protocol(
        lambda ctx: certify_as_modeler(ctx, spec, modeler, theta, _NONCE),
        lambda ctx: certify_as_regulator(ctx, spec, regulator),
        seed,
    )


def exact_distance(
    choices: NDArray[np.int64],
    entry_counts: tuple[int, ...],
    features: NDArray[np.int64],
    theta: list[int],
) -> Fraction:
    """Return the largest abs(A_j theta) by plain exact arithmetic over people's scores."""
    scores = [sum(int(x) * t for x, t in zip(row, theta[1:], strict=True)) for row in features]
    largest = Fraction(0)
    for attribute, count in enumerate(entry_counts):
        said = [i for i in range(len(scores)) if choices[i, attribute] < count - 1]
        total = sum(scores[i] for i in said)
        for category in range(count - 1):
            members = [i for i in said if choices[i, attribute] == category]
            covariance = Fraction(sum(scores[i] for i in members), len(said)) - Fraction(
                len(members) * total, len(said) ** 2
            )
            largest = max(largest, abs(covariance))
    return largest / 2 ** (datasets.X_FRAC_BITS + datasets.THETA_FRAC_BITS)


def around(value: Fraction) -> tuple[Fraction, ...]:
    step = Fraction(1, 10**6)
    return max(value - step, Fraction(0)), value, value + step


def assert_equals_oracle(
    outcomes: tuple[CertificationOutcome, CertificationOutcome], oracle: CertificationOutcome
) -> None:
    for outcome in outcomes:
        assert outcome.verdict is oracle.verdict
        assert outcome.reason is oracle.reason
        assert outcome.threshold_passes == oracle.threshold_passes
    assert outcomes[0].model_signature is None
    assert outcomes[1].model_signature == oracle.model_signature


@pytest.mark.parametrize("certify_index", [0, 1, 2])
@pytest.mark.parametrize("entry_counts", [(3,), (4, 3)])
def test_verdict_and_signature_equal_the_oracle_around_the_true_value(
    entry_counts: tuple[int, ...], certify_index: int
) -> None:
    rng = np.random.default_rng(len(entry_counts) * 10 + certify_index)
    n, d = 37, 3
    choices = np.stack([rng.integers(0, count, n) for count in entry_counts], axis=1)
    features = rng.integers(-300, 301, (n, d))
    theta = [int(value) for value in rng.integers(-(1 << 22), 1 << 22, d + 1)]
    thresholds = around(exact_distance(choices, entry_counts, features, theta))
    spec = make_spec(entry_counts, ((-300, 300),) * d, thresholds, thresholds[certify_index])
    answers = one_hot(choices, entry_counts)
    oracle = certify_in_the_clear(spec, answers, features, theta, _NONCE)
    assert oracle.threshold_passes == (False, True, True)
    assert oracle.verdict is (Verdict.FAIL if certify_index == 0 else Verdict.PASS)
    assert_equals_oracle(certify(spec, answers, features, theta), oracle)


@pytest.mark.parametrize(
    ("choices", "reason"),
    [([0, 0, 0, 0, 1], Reason.GROUP_UNDER_FLOOR), ([2, 2, 2, 2, 2], Reason.NO_ANSWERS)],
)
def test_small_and_silent_groups_are_undetermined_and_give_no_signature(
    choices: list[int], reason: Reason
) -> None:
    spec = make_spec((3,), ((-9, 9), (0, 1)), (Fraction(100),), floor=2)
    answers = one_hot(np.array(choices)[:, None], (3,))
    features = np.array([[1, 0], [2, 1], [-3, 0], [4, 1], [9, 1]])
    outcomes = certify(spec, answers, features, [5, 6, 7])
    for outcome in outcomes:
        assert outcome.verdict is Verdict.UNDETERMINED
        assert outcome.reason is reason
        assert outcome.model_signature is None


def test_extreme_features_and_coefficients_do_not_wrap() -> None:
    low, high = -(1 << 20), (1 << 20) - 1
    features = np.array([[low], [low], [high], [high]])
    choices = np.array([[0], [0], [1], [1]])
    for theta in ([0, -(1 << 23)], [0, (1 << 23) - 1]):
        thresholds = around(exact_distance(choices, (3,), features, theta))
        spec = make_spec((3,), ((low, high),), thresholds, thresholds[1])
        answers = one_hot(choices, (3,))
        oracle = certify_in_the_clear(spec, answers, features, theta, _NONCE)
        assert oracle.verdict is Verdict.PASS
        assert_equals_oracle(certify(spec, answers, features, theta), oracle)


def test_a_cohort_of_one_person_is_certified_or_undetermined_as_the_oracle_says() -> None:
    spec = make_spec((3,), ((0, 10),), (Fraction(1),))
    answers = one_hot(np.array([[0]]), (3,))
    outcomes = certify(spec, answers, np.array([[7]]), [1, 2])
    assert outcomes[1].reason is Reason.GROUP_UNDER_FLOOR


def test_sums_too_wide_for_the_check_are_refused_by_name() -> None:
    spec = make_spec((3,), ((-(1 << 31), (1 << 31) - 1),), (Fraction(1),))
    with pytest.raises(UsageError) as caught:
        spec.sum_width(1 << 20)
    assert caught.value.code == "SUM_TOO_WIDE"


@pytest.mark.parametrize("name", ["german", "compas", "adult", "bank"])
def test_real_data_verdicts_equal_the_oracle_under_at_and_above_the_true_value(name: str) -> None:
    data: RealData = getattr(datasets, name)()
    theta = datasets.fitted_theta(data)
    true_value = exact_distance(data.choices, data.entry_counts, data.features, theta)
    thresholds = around(true_value)
    spec = make_spec(data.entry_counts, data.feature_ranges, thresholds, thresholds[1])
    answers = one_hot(data.choices, data.entry_counts)
    oracle = certify_in_the_clear(spec, answers, data.features, theta, _NONCE)
    assert oracle.threshold_passes == (False, True, True)
    assert_equals_oracle(certify(spec, answers, data.features, theta), oracle)
