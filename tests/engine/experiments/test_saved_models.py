"""Saved and loaded models decide as the model they come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mpc_engine.control.files.estimator_file import estimator_text, study_estimator
from mpc_engine.control.files.model_file import decide_case
from mpc_engine.errors import ResourceError
from mpc_engine.experiments import FairLogisticRegression, InputError, NotFittedError
from mpc_engine.ring.decimal_encoding import encode_decimal
from tests.builders.study_drafts import make_configuration
from tests.engine.experiments.small_problem import Frame, make_people


def _fitted(**names: list[str]) -> tuple[FairLogisticRegression, np.ndarray]:
    people = make_people()
    model = FairLogisticRegression(0.5, secure=False, n_steps=30, batch_size=8, random_state=1)
    features = Frame(people.features, names["columns"]) if names else people.features
    model.fit(features, people.outcomes, sensitive_features=people.attributes)
    return model, people.features


@pytest.mark.parametrize("names", [{}, {"columns": ["age", "income", "rate"]}])
def test_a_saved_model_loads_to_equal_scores(tmp_path: Path, names: dict[str, list[str]]) -> None:
    model, features = _fitted(**names)
    model.save(tmp_path / "model.json")
    loaded = FairLogisticRegression.load(tmp_path / "model.json")
    assert (
        loaded.decision_function(features).tolist()
        == ((features * model.coef_[0]).sum(axis=1) + model.intercept_[0]).tolist()
    )
    given = Frame(features, names["columns"]) if names else features
    assert loaded.predict(given).tolist() == model.predict(given).tolist()
    assert loaded.classes_.tolist() == ["no", "yes"]
    assert loaded.provenance_["source"] == "experiment"
    assert loaded.provenance_["constraint"] == "acceptance_rate"
    assert hasattr(loaded, "feature_names_in_") is bool(names)
    if names:
        with pytest.raises(InputError):
            loaded.predict(Frame(features, ["income", "age", "rate"]))


def test_a_studys_model_decides_in_the_partys_integers(tmp_path: Path) -> None:
    study = make_configuration()
    dice = np.random.default_rng(3)
    for _ in range(20):
        theta = [int(value) for value in dice.integers(-(1 << 22), 1 << 22, 3)]
        path = tmp_path / "estimator.json"
        path.write_text(estimator_text(study_estimator(theta, study, {})) + "\n", "utf-8")
        model = FairLogisticRegression.load(path)
        rows = dice.integers(0, 4000, (60, 2)) / dice.choice([1.0, 8.0, 100.0, 512.0])
        expected = []
        for row in rows:
            x = [
                encode_decimal(float(value), feature.unit, study.x_frac_bits)
                for value, feature in zip(row, study.features, strict=True)
            ]
            expected.append(decide_case(theta, x, study.x_frac_bits))
        assert model.predict(rows).tolist() == expected


def test_a_score_of_zero_is_favourable_and_one_step_below_is_not(tmp_path: Path) -> None:
    study = make_configuration()
    for intercept, decision in ((-(1 << 16), 1), (-(1 << 16) - 1, 0)):
        theta = [intercept, 1 << 16, 0]
        path = tmp_path / f"{decision}.json"
        path.write_text(estimator_text(study_estimator(theta, study, {})), "utf-8")
        one_unit = float(study.features[0].unit)
        model = FairLogisticRegression.load(path)
        assert model.predict([[one_unit, 0.0]]).tolist() == [decision]


def test_hostile_and_missing_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "pickle"
    path.write_bytes(b"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x01a\x94.")
    with pytest.raises(InputError) as caught:
        FairLogisticRegression.load(path)
    assert caught.value.code == "NOT_CANONICAL"
    with pytest.raises(ResourceError):
        FairLogisticRegression.load(tmp_path / "nothing")


def test_what_cannot_be_saved_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        FairLogisticRegression().save(tmp_path / "no.json")
    path = tmp_path / "study.json"
    path.write_text(estimator_text(study_estimator([1, 2, 3], make_configuration(), {})), "utf-8")
    loaded = FairLogisticRegression.load(path)
    with pytest.raises(InputError, match="copy the file"):
        loaded.save(tmp_path / "no.json")
    with pytest.raises(InputError, match="far outside"):
        loaded.predict([[1e9, 0.0]])
