"""Fitted models as estimator files (`mpc_engine.control.files.estimator_file`), and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.control.files.estimator_file import (
    MAX_ESTIMATOR_BYTES,
    ClassLabel,
    EstimatorFeature,
    EstimatorFile,
    estimator_text,
    parse_estimator,
)
from mpc_engine.errors import EngineError, ResourceError
from mpc_engine.experiments.failures import InputError
from mpc_engine.ring.decimal_encoding import encode_decimal, parse_decimal

Reals = NDArray[np.float64]
LARGEST_ENCODED = 1 << 23
_DOUBTFUL = 1e-6


def write_estimator(
    path: str | os.PathLike[str],
    *,
    coefficients: Reals,
    intercept: float,
    names: NDArray[np.object_] | None,
    classes: NDArray[Any],
    provenance: Mapping[str, str | int],
) -> None:
    """Write a model of float64 coefficients (k,) as exact decimals; an existing file is replaced.

    InputError where the classes or names do not fit such a file.
    """
    columns = [f"x{k}" for k in range(len(coefficients))] if names is None else list(names)
    estimator = EstimatorFile(
        columns="by_position" if names is None else "named",
        features=tuple(
            EstimatorFeature(name, "1", Fraction(float(value)))
            for name, value in zip(columns, coefficients, strict=True)
        ),
        intercept=Fraction(float(intercept)),
        rounding=None,
        classes=(_label(classes[0]), _label(classes[1])),
        provenance=provenance,
    )
    try:
        text = estimator_text(estimator)
    except EngineError as error:
        raise InputError(error.sentence, code=error.code) from None
    Path(path).write_text(text + "\n", encoding="utf-8")


def read_estimator(path: str | os.PathLike[str]) -> EstimatorFile:
    """Return the estimator of a file; InputError names what is wrong, whatever the file holds.

    ResourceError (``FILE_MISSING``) if it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_ESTIMATOR_BYTES + 1)
    except OSError:
        raise ResourceError(f"{path} cannot be read.", code="FILE_MISSING") from None
    try:
        return parse_estimator(data)
    except EngineError as error:
        raise InputError(error.sentence, code=error.code) from None


class IntegerScores:
    """The scores of a study's model, from the integers that its party decides with."""

    def __init__(self, estimator: EstimatorFile) -> None:
        rounding = estimator.rounding
        if rounding is None:
            raise InputError("This estimator has no integers.")
        self._theta = estimator.scaled()
        self._units = [parse_decimal(feature.unit) for feature in estimator.features]
        self._feature_bits = rounding.feature_bits
        self._bits = rounding.feature_bits + rounding.coefficient_bits

    def __call__(self, features: Reals) -> Reals:
        """Return float64 (n,), of the sign of the exact score; InputError for values too large."""
        total = np.full(len(features), self._theta[0] << self._feature_bits, dtype=object)
        for column, unit, weight in zip(features.T, self._units, self._theta[1:], strict=True):
            total += self._encoded(column, unit).astype(object) * weight
        return np.array([score / (1 << self._bits) for score in total], dtype=np.float64)

    def _encoded(self, column: Reals, unit: Fraction) -> NDArray[np.int64]:
        """Return a column as integers: in floats, and exactly wherever those are in doubt."""
        steps = column * (float(1 << self._feature_bits) / float(unit)) + 0.5
        if not (np.abs(steps) < LARGEST_ENCODED).all():
            raise InputError("X has a value that is far outside of what the study encodes.")
        encoded = np.floor(steps).astype(np.int64)
        for row in np.flatnonzero(np.abs(steps - np.round(steps)) < _DOUBTFUL):
            encoded[row] = encode_decimal(float(column[row]), unit, self._feature_bits)
        return encoded


def _label(value: Any) -> ClassLabel:
    """Return a class label as a Python value; whole floats become integers."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float) and plain.is_integer():
        return int(plain)
    if isinstance(plain, str | int):
        return plain
    raise InputError("A class that is neither text, a whole number nor a boolean cannot be saved.")
