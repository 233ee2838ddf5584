"""Export a fitted scikit-learn model as the model file of a study, and as a ``decide.py``.

The one-liner::

    from mpc_engine.client.export import export_model
    export_model(fitted, "configuration.json", "model.json", "decide.py")
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from mpc_engine.client import decide_template
from mpc_engine.client.linear import decimal_text, read_linear_score
from mpc_engine.control.files.model_file import parse_model
from mpc_engine.control.policies.study_terms import Feature
from mpc_engine.control.studies.configuration import Configuration, parse_configuration
from mpc_engine.errors import UsageError
from mpc_engine.sharing import data_table

MODEL_MARKS = ("# <model>\n", "# </model>\n")
READER_MARKS = ("# <reader>\n", "# </reader>\n")
_FEATURE = data_table.TableFeature.__name__


def export_model(
    fitted: Any,
    configuration_path: str | Path,
    model_path: str | Path,
    decide_path: str | Path | None = None,
    *,
    favourable: object = None,
) -> None:
    """Write the model file of ``fitted`` and, where a path is given, a dependency-free decide.py.

    ``fitted`` is a ``LogisticRegression`` or a ``Pipeline`` of ``StandardScaler`` and one;
    ``configuration_path`` names the configuration text as downloaded from the study's page. Columns
    are matched by name where the model was fitted on a data frame, else by position.

    Raises:
        UsageError: see :func:`fitted_model_text` and
            :func:`mpc_engine.client.linear.read_linear_score`.
    """
    configuration = parse_configuration(Path(configuration_path).read_text(encoding="utf-8"))
    text = fitted_model_text(fitted, configuration, favourable=favourable)
    Path(model_path).write_text(text + "\n", encoding="utf-8")
    if decide_path is not None:
        Path(decide_path).write_text(decide_source(text, configuration), encoding="utf-8")


def fitted_model_text(
    fitted: Any, configuration: Configuration, *, favourable: object = None
) -> str:
    """Return the model JSON, coefficients per original unit as exact decimal text.

    Raises:
        UsageError: the model's columns are not the study's features (MODEL_FEATURES_DIFFER), or a
            coefficient doesn't fit the study's integers (MODEL_COEFFICIENT_OUT_OF_RANGE).
    """
    score = read_linear_score(fitted, favourable=favourable)
    names = [feature.name for feature in configuration.features]
    columns = score.names or tuple(names)
    if sorted(columns) != sorted(names) or len(score.coefficients) != len(names):
        raise UsageError(
            f"The model has the columns {_listed(columns)}; the study asks for {_listed(names)}.",
            code="MODEL_FEATURES_DIFFER",
        )
    by_name: dict[str, Fraction] = dict(zip(columns, score.coefficients, strict=True))
    text = json.dumps(
        {
            "format": "bj1 model",
            "configuration": configuration.digest.hex(),
            "intercept": decimal_text(score.intercept),
            "coefficients": {name: decimal_text(by_name[name]) for name in names},
        },
        indent=1,
    )
    parse_model(text, configuration)
    return text


def decide_source(model: str, configuration: Configuration) -> str:
    """Return the source of a single-file ``decide.py`` with the integers of a model JSON.

    Raises:
        UsageError: the model is not one of this configuration.
    """
    theta = parse_model(model, configuration)
    head, _, tail = _cut(inspect.getsource(decide_template), MODEL_MARKS)
    before, _, after = _cut(head, READER_MARKS)
    _, reader, _ = _cut(inspect.getsource(data_table), READER_MARKS)
    lines = [
        f'CONFIGURATION = "{configuration.digest.hex()}"',
        f"X_FRAC_BITS = {configuration.x_frac_bits}",
        f"FEATURES: tuple[{_FEATURE}, ...] = (",
        *(f"    {_as_source(feature)}," for feature in configuration.features),
        ")",
        "THETA: tuple[int, ...] = (",
        *(f"    {value}," for value in theta),
        ")",
    ]
    return before + reader + after + "\n".join(lines) + "\n" + tail


def _as_source(feature: Feature) -> str:
    """Return what makes a feature of the exported reader."""
    category = (feature.category.column, feature.category.value) if feature.category else ()
    texts = (feature.name, feature.unit, feature.minimum, feature.maximum, *category)
    return f"{_FEATURE}({', '.join(map(repr, texts))})"


def _cut(source: str, marks: tuple[str, str]) -> tuple[str, str, str]:
    """Return what stands before, between and after two marks."""
    head, rest = source.split(marks[0])
    inside, tail = rest.split(marks[1])
    return head, inside, tail


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
