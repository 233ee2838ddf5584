"""The exported decide.py: the engine's integers, from one file that imports nothing of ours."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mpc_engine.client.export import decide_source, export_model, fitted_model_text
from mpc_engine.control.files.model_file import parse_model
from mpc_engine.control.policies.study_terms import CategoryOf, Feature
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import UsageError
from mpc_engine.sharing.encoding import encode_feature


def linear(intercept: float, months: float, income: float, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(
        coef_=[[months, income]], intercept_=[intercept], classes_=[0, 1], **more
    )


def loaded(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "decide"}
    exec(compile(source, "decide.py", "exec"), names)
    return names


def decide_of(model: str, configuration: Configuration) -> Callable[[Mapping[str, object]], int]:
    return loaded(decide_source(model, configuration))["decide"]


def engine_decision(model: str, configuration: Configuration, x: Mapping[str, Any]) -> int:
    theta = parse_model(model, configuration)
    total = theta[0] << configuration.x_frac_bits
    for weight, feature in zip(theta[1:], configuration.features, strict=True):
        total += weight * encode_feature(
            x[feature.name],
            name=feature.name,
            unit=feature.unit,
            minimum=feature.minimum,
            maximum=feature.maximum,
            frac_bits=configuration.x_frac_bits,
        )
    return 1 if total >= 0 else 0


def test_decide_agrees_with_scikit_learn_on_its_training_data(configuration: Configuration) -> None:
    rng = np.random.default_rng(7)
    x = np.column_stack([rng.integers(0, 121, 300), rng.integers(-10, 41, 300)])
    y = (x @ [0.03, 0.2] + rng.normal(size=300) > 5).astype(int)
    fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y)
    decide = decide_of(fitted_model_text(fitted, configuration), configuration)
    clear = np.abs(fitted.decision_function(x)) > 0.01
    decided = np.array([decide({"months": int(m), "income": int(i)}) for m, i in x])
    assert clear.sum() > 290
    np.testing.assert_array_equal(decided[clear], fitted.predict(x)[clear])


numbers = st.decimals(min_value="-10.5", max_value="40", places=4).map(str)


@settings(max_examples=150, deadline=None)
@given(
    months=st.integers(0, 120) | st.floats(0, 120),
    income=numbers,
    weights=st.tuples(*[st.floats(-8, 8, allow_subnormal=False)] * 3),
)
def test_decide_equals_the_engine_on_any_case(
    configuration: Configuration, months: float, income: str, weights: tuple[float, float, float]
) -> None:
    model = fitted_model_text(linear(*weights), configuration)
    x = {"months": months, "income": income}
    decision = decide_of(model, configuration)(x)
    assert decision == engine_decision(model, configuration, x)


def test_tie_is_decided_favourably(configuration: Configuration) -> None:
    model = fitted_model_text(linear(-2.0, 1 / 12, 0.5), configuration)
    tie = {"months": "12", "income": "2"}
    names = loaded(decide_source(model, configuration))
    theta = parse_model(model, configuration)
    offset = names["score"](tie) - (theta[0] << 8)
    assert names["decide"](tie) == engine_decision(model, configuration, tie)
    assert offset % 256 == 0
    exact = linear((-offset >> 8) / 2**16, 1 / 12, 0.5)
    balanced = loaded(decide_source(fitted_model_text(exact, configuration), configuration))
    assert balanced["score"](tie) == 0
    assert balanced["decide"](tie) == 1
    assert balanced["decide"]({"months": "12", "income": "1.99"}) == 0


def test_range_ends_are_allowed_and_anything_beyond_is_named(configuration: Configuration) -> None:
    decide = decide_of(fitted_model_text(linear(0, 1, 1), configuration), configuration)
    for months in ("0", "120"):
        for income in ("-10.5", "40"):
            decide({"months": months, "income": income})
    for bad in ("120.0001", "-0.0001", "nan", "inf", "", " ", "1_0", "1/2", "1e999", True, None):
        with pytest.raises(ValueError, match="months"):
            decide({"months": bad, "income": "0"})
    with pytest.raises(ValueError, match=r"missing features: \['income'\].*\['height'\]"):
        decide({"months": 1, "height": 2})


def test_columns_are_matched_by_name(configuration: Configuration) -> None:
    fitted = LogisticRegression().fit([[1, 3], [9, 4], [2, 30], [8, 40]], [0, 1, 0, 1])
    fitted.feature_names_in_ = np.array(["income", "months"], dtype=object)
    coefficients = json.loads(fitted_model_text(fitted, configuration))["coefficients"]
    assert float(coefficients["income"]) == fitted.coef_[0][0]
    assert float(coefficients["months"]) == fitted.coef_[0][1]


def test_model_of_other_columns_is_refused(configuration: Configuration) -> None:
    with pytest.raises(UsageError, match="height") as caught:
        fitted_model_text(linear(0, 1, 1, feature_names_in_=["months", "height"]), configuration)
    assert caught.value.code == "MODEL_FEATURES_DIFFER"


def test_coefficient_that_does_not_fit_is_named(configuration: Configuration) -> None:
    with pytest.raises(UsageError, match="months") as caught:
        fitted_model_text(linear(0, 11, 0), configuration)
    assert caught.value.code == "MODEL_COEFFICIENT_OUT_OF_RANGE"


def test_exported_file_runs_alone(configuration: Configuration, tmp_path: Path) -> None:
    (tmp_path / "configuration.json").write_text(configuration.text, encoding="utf-8")
    cases = "\ufeffname,months,income\nUma,12,4\nUmar,1,-10\n"
    (tmp_path / "cases.csv").write_text(cases, encoding="utf-8")
    export_model(
        linear(-1.0, 0.05, 0.25),
        tmp_path / "configuration.json",
        tmp_path / "model.json",
        tmp_path / "decide.py",
    )
    done = subprocess.run(
        [sys.executable, "-I", "decide.py", "cases.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n0\n"
    assert parse_model((tmp_path / "model.json").read_text(), configuration)


def test_exported_file_reads_what_an_upload_takes(
    configuration: Configuration, tmp_path: Path
) -> None:
    yes_no: dict[str, Any] = {"unit": "1", "minimum": "0", "maximum": "1"}
    build = [
        Feature(f"build_{n}", word, **yes_no, category=CategoryOf("build", word))
        for n, word in enumerate(("slim", 'so-called "medium"'))
    ]
    study = replace(configuration, features=(*build, Feature("known", "Known", **yes_no)))
    model = {
        "format": "bj1 model",
        "configuration": study.digest.hex(),
        "intercept": "-1.5",
        "coefficients": {"build_0": "0", "build_1": "1", "known": "1"},
    }
    (tmp_path / "decide.py").write_text(decide_source(json.dumps(model), study), encoding="utf-8")
    head = "Officer;Build;Known\n"
    good = head + '7;"so-called ""medium""";Y\n8;slim;no\n'
    for table, code, said in (
        (good, 0, "1\n0\n"),
        (f"{head}7;huge;Y\n", 1, 'Nothing was decided. Row 2, column "Build": "huge" is none of'),
        (f"{head}7;slim;maybe\n", 1, "Nothing was decided. Row 2, known: 'maybe' is not a number"),
    ):
        (tmp_path / "cases.csv").write_text(table, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-I", "decide.py", "cases.csv"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, said in (done.stderr or done.stdout)) == (code, True)
        assert done.stdout == (said if code == 0 else "")


def test_exported_file_imports_the_standard_library_only(configuration: Configuration) -> None:
    tree = ast.parse(
        decide_source(fitted_model_text(linear(0, 1, 1), configuration), configuration)
    )
    imported = {
        str(node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert imported <= set(sys.stdlib_module_names)
