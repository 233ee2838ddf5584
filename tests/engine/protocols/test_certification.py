"""The secure certification equals its plaintext oracle, and the oracle an exact reference."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
    Criterion,
)
from mpc_engine.protocols.decision import decide
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.policies import Comparison
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict
from tests.builders.certification_specs import certification_spec, covariance, p_rule
from tests.engine.protocols import datasets
from tests.engine.protocols.both_sides import NONCE, certify_on_both_sides
from tests.engine.protocols.datasets import RealData


def make_spec(
    entry_counts: tuple[int, ...],
    ranges: tuple[tuple[int, int], ...],
    *criteria: Criterion,
    floor: int = 1,
    comparison: Comparison = Comparison.EACH_PAIR,
) -> CertificationSpec:
    return certification_spec(
        *criteria,
        entry_counts=entry_counts,
        feature_ranges=ranges,
        comparison=comparison,
        floors=Floors(floor, 1, floor),
    )


def certify(
    spec: CertificationSpec,
    answers: NDArray[np.uint8],
    features: NDArray[np.int64],
    theta: list[int],
    seed: int = 1,
) -> tuple[CertificationOutcome, CertificationOutcome]:
    modeler, regulator = deal_records(answers, features, seeded_randomness(seed + 100))
    return certify_on_both_sides(spec, modeler, regulator, theta, seed=seed)


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
        assert outcome.passes == oracle.passes
    assert outcomes[0].model_signature is None
    assert outcomes[1].model_signature == oracle.model_signature


def worst_percent(
    choices: NDArray[np.int64],
    entry_counts: tuple[int, ...],
    features: NDArray[np.int64],
    theta: list[int],
    comparison: Comparison,
) -> Fraction:
    """Return the smallest ratio of acceptance rates, in percent, by plain exact counting."""
    decided = [decide(theta, row, datasets.X_FRAC_BITS) for row in features.tolist()]
    worst = Fraction(100)
    for attribute, count in enumerate(entry_counts):
        column = choices[:, attribute].tolist()
        sizes = [column.count(category) for category in range(count - 1)]
        taken = [0] * (count - 1)
        for category, decision in zip(column, decided, strict=True):
            if category < count - 1:
                taken[category] += decision
        for i in range(count - 1):
            if comparison is not Comparison.EACH_AGAINST_REST:
                others = [(taken[j], sizes[j]) for j in range(count - 1) if j != i]
            else:
                others = [(sum(taken) - taken[i], sum(sizes) - sizes[i])]
            for m, n in others:
                low, high = sorted([Fraction(taken[i], sizes[i]), Fraction(m, n)])
                if high:
                    worst = min(worst, 100 * low / high)
    return worst


@pytest.mark.slow
@pytest.mark.parametrize("certify_index", [0, 1, 2])
@pytest.mark.parametrize("entry_counts", [(3,), (6,), (4, 3)])
def test_covariance_verdict_and_signature_equal_the_oracle_around_the_true_value(
    entry_counts: tuple[int, ...], certify_index: int
) -> None:
    rng = np.random.default_rng(len(entry_counts) * 10 + certify_index)
    n, d = 37, 3
    choices = np.stack([rng.integers(0, count, n) for count in entry_counts], axis=1)
    features = rng.integers(-300, 301, (n, d))
    theta = [int(value) for value in rng.integers(-(1 << 22), 1 << 22, d + 1)]
    thresholds = around(exact_distance(choices, entry_counts, features, theta))
    spec = make_spec(entry_counts, ((-300, 300),) * d, covariance(*thresholds, index=certify_index))
    answers = one_hot(choices, entry_counts)
    oracle = certify_in_the_clear(spec, answers, features, theta, NONCE)
    assert oracle.passes == ((False, True, True),)
    assert oracle.verdict is (Verdict.FAIL if certify_index == 0 else Verdict.PASS)
    assert_equals_oracle(certify(spec, answers, features, theta), oracle)


@pytest.mark.slow
@pytest.mark.parametrize("comparison", list(Comparison))
@pytest.mark.parametrize(("n", "entry_counts"), [(37, (3,)), (600, (4, 3))])
def test_p_rule_verdict_and_signature_equal_the_oracle_around_the_true_ratio(
    n: int, entry_counts: tuple[int, ...], comparison: Comparison
) -> None:
    rng = np.random.default_rng(n)
    choices = np.stack([rng.integers(0, count, n) for count in entry_counts], axis=1)
    features = rng.integers(-300, 301, (n, 3))
    theta = [int(value) for value in rng.integers(-(1 << 22), 1 << 22, 4)]
    ratio = worst_percent(choices, entry_counts, features, theta, comparison)
    spec = make_spec(
        entry_counts,
        ((-300, 300),) * 3,
        p_rule(*around(ratio), index=1),
        covariance(1 << 20),
        comparison=comparison,
    )
    answers = one_hot(choices, entry_counts)
    oracle = certify_in_the_clear(spec, answers, features, theta, NONCE)
    assert oracle.passes == ((True, True, False), (True,))
    assert oracle.verdict is Verdict.PASS
    assert_equals_oracle(certify(spec, answers, features, theta), oracle)


@pytest.mark.parametrize("use_p_rule", [False, True])
@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ([0, 0, 0, 0, 1], NoVerdict.GROUP_UNDER_FLOOR),
        ([0, 0, 0, 0, 2], NoVerdict.GROUP_UNDER_FLOOR),
        ([2, 2, 2, 2, 2], NoVerdict.TOO_FEW_ANSWERS),
    ],
)
def test_small_and_silent_groups_are_undetermined_and_give_no_signature(
    choices: list[int], reason: NoVerdict, use_p_rule: bool
) -> None:
    criterion = p_rule(1) if use_p_rule else covariance(100)
    spec = make_spec((3,), ((-9, 9), (0, 1)), criterion, floor=2)
    answers = one_hot(np.array(choices)[:, None], (3,))
    features = np.array([[1, 0], [2, 1], [-3, 0], [4, 1], [9, 1]])
    for outcome in certify(spec, answers, features, [5, 6, 7]):
        assert outcome.verdict is Verdict.UNDETERMINED
        assert outcome.reason is reason
        assert outcome.model_signature is None


def test_nobody_selected_is_undetermined_and_never_fair() -> None:
    spec = make_spec((3,), ((0, 9),), p_rule(1))
    answers = one_hot(np.array([0, 0, 1, 1])[:, None], (3,))
    for outcome in certify(spec, answers, np.array([[1], [2], [3], [4]]), [-9, -1]):
        assert outcome.verdict is Verdict.UNDETERMINED
        assert outcome.reason is NoVerdict.TOO_FEW_DECIDED


def test_a_model_divided_by_a_thousand_passes_any_covariance_but_not_the_p_rule() -> None:
    n = 40
    choices = (np.arange(n) % 2)[:, None]
    features = np.where(choices == 0, 300, -300) + np.arange(n)[:, None]
    features[:2] *= -1
    strict = (Fraction(1, 100),)
    for theta, passes in (([0, 1 << 20], False), ([0, (1 << 20) // 100_000], True)):
        spec = make_spec((3,), ((-400, 400),), covariance(*strict, index=-1), p_rule(80))
        oracle = certify_in_the_clear(spec, one_hot(choices, (3,)), features, theta, NONCE)
        assert oracle.passes == ((passes,), (False,))
        assert oracle.verdict is Verdict.FAIL
        assert_equals_oracle(certify(spec, one_hot(choices, (3,)), features, theta), oracle)


def test_extreme_features_and_coefficients_do_not_wrap() -> None:
    low, high = -(1 << 20), (1 << 20) - 1
    features = np.array([[low], [low], [high], [low], [high], [high]])
    choices = np.array([[0], [0], [0], [1], [1], [1]])
    for theta in ([0, -(1 << 23)], [0, (1 << 23) - 1]):
        thresholds = around(exact_distance(choices, (3,), features, theta))
        spec = make_spec((3,), ((low, high),), covariance(*thresholds, index=1), p_rule(0))
        answers = one_hot(choices, (3,))
        oracle = certify_in_the_clear(spec, answers, features, theta, NONCE)
        assert oracle.verdict is Verdict.PASS
        assert_equals_oracle(certify(spec, answers, features, theta), oracle)


def test_sums_too_wide_for_the_check_are_refused_by_name() -> None:
    spec = make_spec((3,), ((-(1 << 31), (1 << 31) - 1),), covariance(1))
    with pytest.raises(UsageError) as caught:
        spec.sum_width(1 << 20)
    assert caught.value.code == "SUM_TOO_WIDE"


@pytest.mark.slow
@datasets.ON_EACH
def test_real_data_covariance_verdicts_equal_the_oracle_around_the_true_value(name: str) -> None:
    data: RealData = getattr(datasets, name)()
    theta = datasets.fitted_theta(data)
    true_value = exact_distance(data.choices, data.entry_counts, data.features, theta)
    spec = make_spec(
        data.entry_counts, data.feature_ranges, covariance(*around(true_value), index=1)
    )
    answers = one_hot(data.choices, data.entry_counts)
    oracle = certify_in_the_clear(spec, answers, data.features, theta, NONCE)
    assert oracle.passes == ((False, True, True),)
    assert_equals_oracle(certify(spec, answers, data.features, theta), oracle)


@pytest.mark.slow
@datasets.ON_EACH
def test_real_data_p_rule_verdicts_equal_the_oracle_around_the_true_ratio(name: str) -> None:
    data: RealData = getattr(datasets, name)()
    theta = datasets.fitted_theta(data)
    rest = Comparison.EACH_AGAINST_REST
    ratio = worst_percent(data.choices, data.entry_counts, data.features, theta, rest)
    spec = make_spec(
        data.entry_counts, data.feature_ranges, p_rule(*around(ratio), index=1), comparison=rest
    )
    answers = one_hot(data.choices, data.entry_counts)
    oracle = certify_in_the_clear(spec, answers, data.features, theta, NONCE)
    assert oracle.passes == ((True, True, False),) or ratio == 0
    assert_equals_oracle(certify(spec, answers, data.features, theta), oracle)
