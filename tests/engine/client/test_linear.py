"""Standardisation folds into the coefficients exactly; what is not linear is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mpc_engine.client.linear import decimal_text, read_linear_score
from mpc_engine.errors import UsageError


def people(labels: tuple[int, int] = (0, 1)) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 3)) * [1, 20, 0.1] + [0, 300, -4]
    return x, np.where(x @ [1, 0.05, -3] > 26, labels[1], labels[0])


def test_folded_score_is_the_pipeline_score() -> None:
    x, y = people()
    fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y)
    score = read_linear_score(fitted)
    folded = float(score.intercept) + x @ [float(c) for c in score.coefficients]
    np.testing.assert_allclose(folded, fitted.decision_function(x), rtol=1e-9, atol=1e-9)


def test_folding_two_scalers_is_exact() -> None:
    class Scaler:
        mean_, scale_ = [0.5, 2.0], [0.25, 3.0]

    class OnlyMean:
        mean_, scale_ = [1.0, 1.0], None

    class Classifier:
        coef_, intercept_, classes_ = [[0.1, -0.3]], [0.7], [0, 1]

    stack = Pipeline(
        [("a", Scaler()), ("b", "passthrough"), ("c", OnlyMean()), ("d", Classifier())]
    )
    score = read_linear_score(stack)
    first, second = Fraction(0.1) / Fraction(1, 4), Fraction(-0.3) / 3
    assert score.coefficients == (first, second)
    shift = Fraction(0.1) * (Fraction(1, 2) * 4 + 1) + Fraction(-0.3) * (Fraction(2, 3) + 1)
    assert score.intercept == Fraction(0.7) - shift


def test_favourable_label_turns_the_sign() -> None:
    x, y = people((1, 2))
    fitted = LogisticRegression().fit(x, y)
    good_is_two = read_linear_score(fitted, favourable=2)
    good_is_one = read_linear_score(fitted, favourable=1)
    assert good_is_one.coefficients == tuple(-c for c in good_is_two.coefficients)
    assert good_is_one.intercept == -good_is_two.intercept


def test_labels_that_do_not_say_which_is_favourable_are_refused() -> None:
    x, y = people((1, 2))
    fitted = LogisticRegression().fit(x, y)
    for favourable in (None, 3):
        with pytest.raises(UsageError) as caught:
            read_linear_score(fitted, favourable=favourable)
        assert caught.value.code == "MODEL_FAVOURABLE_UNKNOWN"


def test_scaler_of_another_kind_is_refused() -> None:
    x, y = people()
    with pytest.raises(UsageError, match="MinMaxScaler"):
        read_linear_score(make_pipeline(MinMaxScaler(), LogisticRegression()).fit(x, y))


def test_model_that_is_not_fitted_or_not_binary_is_refused() -> None:
    x, _ = people()
    with pytest.raises(UsageError) as caught:
        read_linear_score(LogisticRegression())
    assert caught.value.code == "MODEL_NOT_FITTED"
    with pytest.raises(UsageError) as caught:
        read_linear_score(LogisticRegression().fit(x, np.arange(60) % 3))
    assert caught.value.code == "MODEL_NOT_SUPPORTED"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-5, 4), "-1.25"),
        (Fraction(1, 3), "0." + "3" * 30),
        (Fraction(-1, 10**31), "0"),
        (Fraction(0.1), "0.100000000000000005551115123126"),
        (Fraction(120), "120"),
    ],
)
def test_decimal_text_is_plain_and_rounded_once(value: Fraction, text: str) -> None:
    assert decimal_text(value) == text


def test_coefficient_beyond_any_study_is_refused() -> None:
    with pytest.raises(UsageError, match="too large"):
        decimal_text(Fraction(10**20))
