"""Read what scikit-learn's users pass: arrays, lists and pandas objects, none of them imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.experiments.failures import InputError
from mpc_engine.sharing.dealing import one_hot

Reals = NDArray[np.float64]

_MISSING_TEXTS = frozenset(("nan", "nat", "<na>"))
"""Missing values of NumPy and pandas as texts, which an array of strings turns them into."""


def read_matrix(features: Any, model: str) -> Reals:
    """Return a feature matrix as float64 (n, k); InputError names what is wrong with it."""
    if hasattr(features, "tocsr"):
        raise InputError(
            "Sparse data was passed for X, but dense data is required: use X.toarray()."
        )
    matrix = np.asarray(features)
    if matrix.dtype.kind == "c":
        raise InputError("Complex data not supported.")
    if matrix.ndim != 2:
        raise InputError(
            f"Expected a 2D array X, got {matrix.ndim}D. Reshape your data with "
            "X.reshape(-1, 1) if it has a single feature, X.reshape(1, -1) if a single row."
        )
    for size, what in zip(matrix.shape, ("sample", "feature"), strict=True):
        if size == 0:
            raise InputError(
                f"Found array with 0 {what}(s) (shape={matrix.shape}) while a minimum of 1 is "
                f"required by {model}."
            )
    try:
        matrix = matrix.astype(np.float64)
    except TypeError as error:
        # An object that numpy cannot turn into a number; scikit-learn raises the same type.
        raise TypeError(str(error)) from None
    except ValueError:
        raise InputError("X has a value that is not a number.") from None
    if not np.isfinite(matrix).all():
        what = "NaN" if np.isnan(matrix).any() else "infinity or a value too large"
        raise InputError(f"Input X contains {what}. {model} needs a number in every cell.")
    return matrix


def column_names(features: Any) -> NDArray[np.object_] | None:
    """Return the column names of a data frame, None where there are none or not all are text."""
    columns = getattr(features, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(list(columns), dtype=object)


def read_outcomes(outcomes: Any, n_rows: int, model: str) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Return the two classes, sorted, and uint8 (n,), 1 for the second one."""
    if outcomes is None:
        raise InputError(f"{model} requires y to be passed, but the target y is None.")
    values = np.asarray(outcomes)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) != n_rows:
        raise InputError(f"y should be a 1d array of {n_rows} outcomes, got shape {values.shape}.")
    if values.dtype.kind in "fc" and not np.isfinite(values).all():
        raise InputError("Input y contains NaN or infinity.")
    if values.dtype.kind in "OU" and any(map(_is_missing, values)):
        raise InputError("Input y contains NaN: every row needs an outcome.")
    if values.dtype.kind == "f" and (values != np.round(values)).any():
        raise InputError("Unknown label type: continuous. y has two classes.")
    classes, numbers = np.unique(values, return_inverse=True)
    if len(classes) > 2:
        raise InputError(
            "Only binary classification is supported. The type of the target is multiclass."
        )
    if len(classes) < 2:
        raise InputError(f"{model} needs two classes in y, and there is one class: {classes[0]!r}.")
    return classes, numbers.astype(np.uint8)


@dataclass(frozen=True)
class Answers:
    """Sensitive attributes as chosen entries.

    ``names`` and ``categories`` of each attribute (``categories`` sorted, as found in the data);
    ``entries`` uint8 (n, e), one-hot; the last entry of an attribute is "prefer not to say".
    """

    names: tuple[str, ...]
    categories: tuple[tuple[Any, ...], ...]
    entries: NDArray[np.uint8]

    @property
    def entry_counts(self) -> tuple[int, ...]:
        """Return the entries of each attribute."""
        return tuple(len(found) + 1 for found in self.categories)

    @property
    def constraints(self) -> tuple[int, ...]:
        """Return how many constraints each attribute takes: one for two categories, else each."""
        return tuple(1 if len(found) == 2 else len(found) for found in self.categories)


def read_answers(sensitive: Any, n_rows: int) -> Answers:
    """Return the answers of one attribute (n values) or several (n rows); missing: not said.

    Missing are None, NaN, and the texts that arrays and tables make of them ("nan").
    """
    if sensitive is None:
        raise InputError(
            "Pass sensitive_features: a column for each attribute that the model is to be fair to."
        )
    names = getattr(sensitive, "columns", None)
    if names is None and getattr(sensitive, "name", None) is not None:
        names = [sensitive.name]
    values = np.asarray(sensitive, dtype=object)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or len(values) != n_rows or not values.shape[1]:
        raise InputError(
            f"sensitive_features has shape {values.shape}; there are {n_rows} rows in X."
        )
    titles = [f"attribute {i}" for i in range(values.shape[1])] if names is None else names
    chosen, categories = [], []
    for title, column in zip(titles, values.T, strict=True):
        found, numbers = _categories(column, str(title))
        categories.append(found)
        chosen.append(numbers)
    counts = tuple(len(found) + 1 for found in categories)
    entries = one_hot(np.stack(chosen, axis=1), counts)
    return Answers(tuple(map(str, titles)), tuple(categories), entries)


def _categories(column: NDArray[Any], title: str) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    said = [None if _is_missing(value) else value for value in column.tolist()]
    found = sorted({value for value in said if value is not None}, key=lambda v: (str(type(v)), v))
    if len(found) < 2:
        raise InputError(f"sensitive_features: {title} has fewer than two categories.")
    numbers = {value: number for number, value in enumerate(found)}
    return tuple(found), np.array([numbers.get(value, len(found)) for value in said])


def read_bounds(bound: Any, answers: Answers) -> tuple[float, ...]:
    """Return c for every constraint: one for all, or one for each attribute (by order or name)."""
    if isinstance(bound, dict):
        unknown = set(bound) ^ set(answers.names)
        if unknown:
            named = ", ".join(sorted(map(str, unknown)))
            raise InputError(f"bound and sensitive_features differ in: {named}.")
        each: Sequence[Any] = [bound[name] for name in answers.names]
    elif np.ndim(bound) == 0:
        each = [bound] * len(answers.names)
    else:
        each = list(bound)
    if len(each) != len(answers.names):
        raise InputError(f"bound has {len(each)} values for {len(answers.names)} attributes.")
    try:
        values = [float(value) for value in each]
    except (TypeError, ValueError):
        raise InputError("bound is a number, or one for each attribute.") from None
    if any(not np.isfinite(value) or value < 0 for value in values):
        raise InputError("bound is a number that is not negative.")
    return tuple(
        value
        for value, count in zip(values, answers.constraints, strict=True)
        for _ in range(count)
    )


def _is_missing(value: Any) -> bool:
    return value is None or str(value).strip().lower() in _MISSING_TEXTS
