"""Opened tables and verdicts on real data against Fairlearn's MetricFrame, a third opinion."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.rates import rate_of
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.decision import decide
from mpc_engine.testing.people import one_hot
from mpc_engine.vocabulary.policies import Disclosure
from mpc_engine.vocabulary.rates import Count, RateName
from tests.engine.protocols import datasets
from tests.engine.protocols.datasets import RealData
from tests.engine.protocols.rate_cases import as_spec_of_data

metrics = pytest.importorskip(
    "fairlearn.metrics", reason="Fairlearn is in the development requirements only"
)


def _value(numerator: int, denominator: int) -> float:
    return numerator / denominator if denominator else 0.0


@datasets.ON_EACH
def test_rates_and_ratios_of_opened_tables_are_those_of_metric_frame(name: str) -> None:
    data: RealData = getattr(datasets, name)()
    theta = datasets.fitted_theta(data)
    spec = as_spec_of_data(data, Disclosure.TABLE)
    outcome = certify_in_the_clear(
        spec, one_hot(data.choices, data.entry_counts), data.features, theta, bytes(32), data.labels
    )
    decided = np.array([decide(theta, row, 8) for row in data.features.tolist()])
    rows = iter(outcome.table)
    for attribute, count in enumerate(spec.category_counts):
        frame: Any = metrics.MetricFrame(
            metrics={
                "acceptance_rate": metrics.selection_rate,
                "true_positive_rate": metrics.true_positive_rate,
                "true_negative_rate": metrics.true_negative_rate,
                "size": metrics.count,
            },
            y_true=data.labels,
            y_pred=decided,
            sensitive_features=data.choices[:, attribute],
        )
        found: dict[str, list[float]] = {rate: [] for rate in frame.by_group.columns}
        for category in range(count):
            counts = dict(zip(spec.counts, next(rows), strict=True))
            found["size"].append(counts[Count.SIZE])
            for rate_name in (RateName.ACCEPTANCE, RateName.TRUE_POSITIVE, RateName.TRUE_NEGATIVE):
                rate = rate_of(PlainAlgebra(), rate_name, counts)
                value = _value(rate.successes, rate.cases)
                found[rate_name.value].append(value)
                assert value == pytest.approx(frame.by_group[rate_name.value][category])
        assert found["size"] == list(frame.by_group["size"])
        selected = found["acceptance_rate"]
        if max(selected):
            ratio = min(selected) / max(selected)
            assert ratio == pytest.approx(frame.ratio()["acceptance_rate"])
            difference = max(selected) - min(selected)
            assert difference == pytest.approx(frame.difference()["acceptance_rate"])
    assert next(rows, None) is None


@datasets.ON_EACH
def test_verdicts_on_both_sides_of_fairlearns_values(name: str) -> None:
    """Just under Fairlearn's ratio and just over its difference pass; the other sides fail."""
    data: RealData = getattr(datasets, name)()
    theta = datasets.fitted_theta(data)
    decided = np.array([decide(theta, row, 8) for row in data.features.tolist()])
    ratios, differences = [], []
    for attribute in range(len(data.entry_counts)):
        values = {"y_true": data.labels, "y_pred": decided}
        sensitive = data.choices[:, attribute]
        ratios.append(metrics.demographic_parity_ratio(**values, sensitive_features=sensitive))
        differences.append(
            metrics.equalized_odds_difference(**values, sensitive_features=sensitive)
        )
    ratio, difference = 100 * min(ratios), 100 * max(differences)
    step = 1e-6
    limits: dict[str, tuple[Fraction, ...]] = {
        "p_rule": (Fraction(ratio - step), Fraction(ratio + step)),
        "equalised_odds_difference": (Fraction(difference - step), Fraction(difference + step)),
    }
    if min(limits["p_rule"][0], limits["equalised_odds_difference"][0]) < 0:
        pytest.skip("a value on the end of its range has no two sides")
    spec = as_spec_of_data(data, Disclosure.VERDICT, limits)
    outcome = certify_in_the_clear(
        spec, one_hot(data.choices, data.entry_counts), data.features, theta, bytes(32), data.labels
    )
    assert outcome.passes == ((True, False), (False, True))
