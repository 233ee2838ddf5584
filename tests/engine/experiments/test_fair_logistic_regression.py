"""The estimator: scikit-learn's conventions, the oracle's model, and every unusable input named."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any, Self

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from mpc_engine.client.linear import read_linear_score
from mpc_engine.experiments import FairLogisticRegression, InputError, NotFittedError
from mpc_engine.experiments.tables import read_answers
from tests.engine.experiments.small_problem import Frame, make_people

pytestmark = pytest.mark.slow

EXPECTED_FAILURES = {
    "check_estimators_unfitted": "raises its own NotFittedError: scikit-learn is not needed",
    "check_supervised_y_2d": "a y of one column is taken without scikit-learn's warning class",
}


class WithAttributes(FairLogisticRegression):
    """Scikit-learn's checks pass no sensitive features: these give every second row the other."""

    def fit(self, X: Any, y: Any, sensitive_features: Any = None) -> Self:
        if sensitive_features is None:
            n_rows = X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))
            sensitive_features = np.arange(n_rows) % 2
        return super().fit(X, y, sensitive_features=sensitive_features)


def test_scikit_learns_checks_pass() -> None:
    model = WithAttributes(10.0, secure=False, random_state=1, n_steps=200, batch_size=16)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            model, expected_failed_checks=EXPECTED_FAILURES, on_fail=None, on_skip=None
        )
    found = {each["check_name"]: each["status"] for each in results}
    assert [name for name, status in found.items() if status == "failed"] == []
    assert {name for name, status in found.items() if status == "xfail"} == set(EXPECTED_FAILURES)
    assert sum(status == "passed" for status in found.values()) >= 40


@pytest.mark.parametrize("secure", [True, False])
def test_a_path_gives_the_models_of_single_fits(secure: bool) -> None:
    people = make_people()
    stages: list[tuple[str, int, int]] = []
    model = FairLogisticRegression(
        n_steps=24,
        batch_size=8,
        random_state=3,
        secure=secure,
        progress=lambda *now: stages.append(now),
    )
    bounds: list[Any] = [0.5, 0.001, [0.01, 0.2]]
    found = model.path(
        people.features,
        people.outcomes,
        sensitive_features=people.attributes,
        bounds=bounds,
    )
    assert not hasattr(model, "coef_")
    assert [each.bound for each in found] == bounds
    plain = FairLogisticRegression(n_steps=24, batch_size=8, random_state=3, secure=False)
    for each in found:
        plain.set_params(bound=each.bound)
        plain.fit(people.features, people.outcomes, sensitive_features=people.attributes)
        assert each.theta_.tolist() == plain.theta_.tolist()
        assert each.predict(people.features).tolist() == plain.predict(people.features).tolist()
    assert found[0].theta_.tolist() != found[1].theta_.tolist()
    assert {each.training_report_.bytes for each in found} == {found[0].training_report_.bytes}
    if secure:
        assert stages[-1] == ("training", 72, 72)


def test_a_path_in_a_drawn_order_is_one_order() -> None:
    people = make_people()
    model = FairLogisticRegression(n_steps=24, batch_size=8, secure=False)
    first, second = model.path(
        people.features,
        people.outcomes,
        sensitive_features=people.attributes[:, 0],
        bounds=(0.01, 0.01),
    )
    assert first.theta_.tolist() == second.theta_.tolist()


@pytest.mark.parametrize("bounds", [[], 0.1, "0.1", [0.1, -1.0]])
def test_a_path_needs_bounds(bounds: Any) -> None:
    people = make_people()
    with pytest.raises(InputError):
        FairLogisticRegression(secure=False).path(
            people.features,
            people.outcomes,
            sensitive_features=people.attributes,
            bounds=bounds,
        )


def test_secure_fit_gives_the_oracles_model() -> None:
    people = make_people()
    frame = Frame(people.features, ["age", "income", "rate"])
    attributes = Frame(people.attributes, ["sex", "region"])
    model = FairLogisticRegression(
        {"region": 0.5, "sex": 0.001}, n_steps=24, batch_size=8, random_state=3
    )
    model.fit(frame, people.outcomes, sensitive_features=attributes)
    plain = clone(model).set_params(secure=False)
    plain.fit(frame, people.outcomes, sensitive_features=attributes)
    assert model.theta_.tolist() == plain.theta_.tolist()
    assert model.coef_.tolist() == plain.coef_.tolist()
    assert (model.coef_.shape, model.intercept_.shape) == ((1, 3), (1,))
    assert list(model.feature_names_in_) == ["age", "income", "rate"]
    assert list(model.classes_) == ["no", "yes"]
    report = model.training_report_
    assert (report.secure, report.steps, report.constraints) == (True, 24, 4)
    assert min(report.bytes, report.rounds, report.peak_rss_bytes) > 0
    assert 0 < report.largest_difference < 1e-3
    assert plain.training_report_.largest_difference == report.largest_difference
    assert (plain.training_report_.secure, plain.training_report_.bytes) == (False, 0)


@pytest.mark.parametrize(
    ("constraint", "scope"),
    [
        ("true_positive_rate", "whole_set"),
        ("equalised_odds", "whole_set"),
        ("acceptance_rate", "minibatch"),
        ("equalised_odds", "minibatch"),
    ],
)
def test_a_secure_fit_under_another_constraint_gives_the_oracles_model(
    constraint: str, scope: str
) -> None:
    people = make_people()
    model = FairLogisticRegression(
        0.001,
        constraint=constraint,
        constraint_scope=scope,
        n_steps=24,
        batch_size=8,
        random_state=3,
    )
    model.fit(people.features, people.outcomes, sensitive_features=people.attributes)
    plain = clone(model).set_params(secure=False)
    plain.fit(people.features, people.outcomes, sensitive_features=people.attributes)
    assert model.theta_.tolist() == plain.theta_.tolist()
    ordinary = clone(plain).set_params(constraint="acceptance_rate", constraint_scope="whole_set")
    ordinary.fit(people.features, people.outcomes, sensitive_features=people.attributes)
    assert model.theta_.tolist() != ordinary.theta_.tolist()
    assert model.training_report_.constraints == 4 * (1 + (constraint == "equalised_odds"))
    assert 0 < model.training_report_.largest_difference < 1e-3


@pytest.mark.parametrize(
    ("constraint", "outcome"), [("true_positive_rate", "yes"), ("true_negative_rate", "no")]
)
def test_a_smaller_bound_narrows_the_gap_among_those_of_an_outcome(
    constraint: str, outcome: str
) -> None:
    people = make_people(600)
    men = people.attributes[:, 0] == "m"
    of_outcome = people.outcomes == outcome
    gaps = []
    for bound in (5.0, 0.05, 0.0):
        model = FairLogisticRegression(
            bound, constraint=constraint, secure=False, random_state=1, n_steps=2000
        )
        model.fit(people.features, people.outcomes, sensitive_features=people.attributes[:, 0])
        assert model.training_report_.largest_excess < 0.01
        right = model.predict(people.features) == people.outcomes
        rates = [right[of_outcome & group].mean() for group in (men, ~men)]
        gaps.append(abs(rates[0] - rates[1]))
    assert gaps[0] > 0.2
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < gaps[0] / 3


def fitted(**parameters: Any) -> FairLogisticRegression:
    people = make_people(200)
    model = FairLogisticRegression(secure=False, random_state=1, **parameters)
    return model.fit(people.features, people.outcomes, sensitive_features=people.attributes[:, 0])


def test_a_smaller_bound_narrows_the_gap_between_groups() -> None:
    people = make_people(200)
    men = people.attributes[:, 0] == "m"
    gaps, excesses = [], []
    for bound in (5.0, 0.0):
        model = fitted(bound=bound, n_epochs=200)
        scores = model.decision_function(people.features)
        gaps.append(scores[men].mean() - scores[~men].mean())
        excesses.append(model.training_report_.largest_excess)
    assert gaps[0] > 0.3
    assert abs(gaps[1]) < gaps[0] / 5
    # The attribute of all but one person: A theta is nearly the covariance, a quarter of the gap.
    assert excesses[0] == pytest.approx(gaps[0] / 4 - 5.0, abs=0.02)
    assert excesses[1] == pytest.approx(abs(gaps[1]) / 4, abs=0.02)


def test_score_probability_and_decision_agree() -> None:
    people = make_people(200)
    model = fitted(bound=5.0, n_epochs=50)
    scores = model.decision_function(people.features)
    probabilities = model.predict_proba(people.features)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert probabilities[:, 1].tolist() == np.clip(scores + 0.5, 0, 1).tolist()
    assert ((scores >= 0) == (model.predict(people.features) == "yes")).all()
    assert model.score(people.features, people.outcomes) > 0.8


def test_paper_preset_gives_another_model() -> None:
    usual, paper = fitted(n_epochs=4), fitted(n_epochs=4, preset="paper")
    assert usual.n_iter_ == paper.n_iter_ == 13
    assert usual.theta_.tolist() != paper.theta_.tolist()


@pytest.mark.parametrize("n_steps", [4, 7, 50, 97])
def test_number_of_steps_is_exact(n_steps: int) -> None:
    assert fitted(n_steps=n_steps, batch_size=16).n_iter_ == n_steps


def test_order_is_fixed_by_the_random_state_only() -> None:
    people = make_people(200)

    def theta(random_state: int | None) -> list[int]:
        model = FairLogisticRegression(secure=False, n_epochs=1, random_state=random_state)
        model.fit(people.features, people.outcomes, sensitive_features=people.attributes[:, 1])
        return model.theta_.tolist()

    assert theta(1) == theta(1)
    assert theta(1) != theta(2)
    assert theta(None) != theta(None)


def test_model_can_be_handed_in_for_certification() -> None:
    model = fitted()
    score = read_linear_score(model, favourable="yes")
    assert score.intercept == Fraction(float(model.intercept_[0]))
    assert [float(each) for each in score.coefficients] == model.coef_[0].tolist()


def test_column_names_are_compared() -> None:
    people = make_people()
    model = FairLogisticRegression(secure=False, n_steps=4, batch_size=8)
    frame = Frame(people.features, ["a", "b", "c"])
    model.fit(frame, people.outcomes, sensitive_features=people.attributes)
    assert len(model.predict(people.features)) == len(people.features)
    with pytest.raises(InputError, match="feature names should match"):
        model.predict(Frame(people.features, ["a", "c", "b"]))


def test_a_missing_answer_that_became_text_is_no_group() -> None:
    """`np.array(["a", nan])` holds the text "nan"."""
    people = make_people()
    texts = people.attributes.astype(str)
    texts[3, 0] = "NaN"
    found = read_answers(texts, len(texts))
    expected = read_answers(people.attributes, len(texts))
    assert found.categories == expected.categories == (("f", "m"), ("east", "north", "south"))
    assert found.entries.tolist() == expected.entries.tolist()


def test_model_that_is_not_fitted_says_so() -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        FairLogisticRegression().predict(np.zeros((1, 2)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sensitive_features": None}, "Pass sensitive_features"),
        ({"sensitive_features": ["a", "b"]}, r"shape \(2, 1\); there are 40 rows"),
        ({"sensitive_features": ["a"] * 40}, "fewer than two categories"),
        ({"sensitive_features": [None] * 20 + ["a"] * 20}, "fewer than two categories"),
        ({"y": np.zeros(40)}, "one class"),
        ({"y": np.arange(40)}, "Only binary classification"),
        ({"y": [None] + ["a"] * 39}, "every row needs an outcome"),
        ({"y": np.array(["nan"] + ["a"] * 39)}, "every row needs an outcome"),
        ({"sensitive_features": ["nan", "NaN"] + ["a"] * 38}, "fewer than two categories"),
        ({"y": np.linspace(0, 1, 40)}, "Unknown label type"),
        ({"y": np.zeros(39)}, "1d array of 40 outcomes"),
        ({"X": np.full((40, 2), np.nan)}, "X contains NaN"),
        ({"X": np.full((40, 2), np.inf)}, "X contains infinity"),
        ({"X": np.full((40, 2), "a")}, "not a number"),
        ({"X": np.zeros(40)}, "Reshape your data"),
        ({"bound": -1}, "not negative"),
        ({"bound": float("nan")}, "not negative"),
        ({"constraint": "much"}, "constraint is one of"),
        ({"constraint_scope": "some"}, "constraint_scope is one of"),
        ({"bound": "much"}, "bound is a number"),
        ({"bound": [0.1]}, "1 values for 2 attributes"),
        ({"bound": {"sex": 1}}, "bound and sensitive_features differ"),
        ({"bound": 1e9}, "bound of 0 or more"),
        ({"preset": "best"}, "recommended, paper"),
        ({"batch_size": 48}, "power of two"),
        ({"n_epochs": 0}, "n_epochs is a positive"),
        ({"n_steps": 0}, "n_steps is a positive"),
        ({"random_state": -1}, "random_state is None or"),
    ],
)
def test_unusable_input_is_named(change: dict[str, Any], message: str) -> None:
    people = make_people()
    data = {
        "X": people.features,
        "y": people.outcomes,
        "sensitive_features": people.attributes,
    }
    parameters = {name: value for name, value in change.items() if name not in data}
    data.update({name: value for name, value in change.items() if name in data})
    model = FairLogisticRegression(**parameters)
    with pytest.raises(InputError, match=message):
        model.fit(data["X"], data["y"], sensitive_features=data["sensitive_features"])
    assert not hasattr(model, "coef_")


def test_unknown_parameter_is_refused() -> None:
    with pytest.raises(InputError, match="Invalid parameter 'penalty'"):
        FairLogisticRegression().set_params(penalty="l2")
