"""Read a fitted linear classifier and fold its standardisation into its coefficients.

Nothing of scikit-learn is imported: an object with the attributes that scikit-learn documents for
``LogisticRegression``, ``StandardScaler`` and ``Pipeline`` will do. All arithmetic is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mpc_engine.errors import UsageError

DECIMAL_PLACES = 30
LARGEST_COEFFICIENT = 10**20
USUAL_LABELS = ((0, 1), (-1, 1))
"""Label pairs of which the second is favourable unless the caller says otherwise."""


@dataclass(frozen=True)
class LinearScore:
    """``intercept + sum coefficients[k] * x[k] >= 0`` is the favourable decision.

    ``x`` is raw, in the order the classifier was fitted on; ``names`` are its column names, empty
    if it was fitted on an array without names.
    """

    intercept: Fraction
    coefficients: tuple[Fraction, ...]
    names: tuple[str, ...]


def read_linear_score(fitted: Any, *, favourable: object = None) -> LinearScore:
    """Return the score of a fitted classifier, or of a pipeline of standard scalers and one.

    ``favourable`` is the class label of the favourable decision; it may be left out where the
    labels are 0 and 1, or -1 and 1.

    Raises:
        UsageError: not fitted, not linear, not binary, a step that is no standard scaler, or
            labels that don't say which one is favourable (codes MODEL_NOT_FITTED,
            MODEL_NOT_SUPPORTED, MODEL_FAVOURABLE_UNKNOWN).
    """
    steps = [step for _, step in getattr(fitted, "steps", [("", fitted)])]
    *scalers, classifier = [step for step in steps if step is not None and step != "passthrough"]
    if not hasattr(classifier, "coef_") or not hasattr(classifier, "intercept_"):
        raise UsageError("The model is not fitted, or not linear.", code="MODEL_NOT_FITTED")
    labels = list(getattr(classifier, "classes_", ()))
    if len(labels) != 2 or len(classifier.coef_) != 1:
        raise UsageError("Only a model of two classes is supported.", code="MODEL_NOT_SUPPORTED")
    sign = _sign_of_favourable(labels, favourable)
    weights = [sign * Fraction(float(weight)) for weight in classifier.coef_[0]]
    intercept = sign * Fraction(float(classifier.intercept_[0]))
    for scaler in reversed(scalers):
        intercept, weights = _fold(scaler, intercept, weights)
    names = getattr(fitted, "feature_names_in_", ())
    return LinearScore(intercept, tuple(weights), tuple(str(name) for name in names))


def decimal_text(value: Fraction) -> str:
    """Return ``value`` as a plain decimal, rounded to DECIMAL_PLACES places (half to even).

    Raises:
        UsageError: ``value`` is 10^20 or more (MODEL_COEFFICIENT_OUT_OF_RANGE).
    """
    if abs(value) >= LARGEST_COEFFICIENT:
        raise UsageError("A coefficient is too large.", code="MODEL_COEFFICIENT_OUT_OF_RANGE")
    scaled = round(value * 10**DECIMAL_PLACES)
    whole, fraction = divmod(abs(scaled), 10**DECIMAL_PLACES)
    places = f"{fraction:0{DECIMAL_PLACES}d}".rstrip("0")
    return f"{'-' if scaled < 0 else ''}{whole}{'.' if places else ''}{places}"


def _sign_of_favourable(labels: Sequence[Any], favourable: object) -> int:
    """Return 1 if a positive score speaks for the favourable label (the second one), else -1."""
    if favourable is None:
        if not any(labels[0] == low and labels[1] == high for low, high in USUAL_LABELS):
            raise UsageError(
                f"Say which of {labels[0]!s} and {labels[1]!s} is favourable.",
                code="MODEL_FAVOURABLE_UNKNOWN",
            )
        return 1
    if favourable == labels[1]:
        return 1
    if favourable == labels[0]:
        return -1
    raise UsageError(
        f"{favourable!s} is not one of the model's labels.", code="MODEL_FAVOURABLE_UNKNOWN"
    )


def _fold(
    scaler: Any, intercept: Fraction, weights: Sequence[Fraction]
) -> tuple[Fraction, list[Fraction]]:
    """Replace weights of ``(x - mean) / scale`` by weights of ``x``."""
    if not hasattr(scaler, "mean_") or not hasattr(scaler, "scale_"):
        kind = type(scaler).__name__
        raise UsageError(
            f"The step {kind} is not a fitted StandardScaler.", code="MODEL_NOT_SUPPORTED"
        )
    scales = _fractions(scaler.scale_, default=1, count=len(weights))
    means = _fractions(scaler.mean_, default=0, count=len(weights))
    raw = [weight / scale for weight, scale in zip(weights, scales, strict=True)]
    return intercept - sum((w * m for w, m in zip(raw, means, strict=True)), Fraction()), raw


def _fractions(values: Iterable[Any] | None, *, default: int, count: int) -> list[Fraction]:
    if values is None:
        return [Fraction(default)] * count
    return [Fraction(float(value)) for value in values]
