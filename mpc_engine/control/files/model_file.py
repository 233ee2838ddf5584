"""The model a modeler hands in: named decimal coefficients, and their exact integers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import UsageError
from mpc_engine.ring.decimal_encoding import encode_decimal, parse_decimal

FORMAT = "bj1 model"
MAX_MODEL_BYTES = 1 << 18
_EXPORTED_DIGITS = 40
_FIELDS = {"format", "configuration", "intercept", "coefficients"}


def parse_model(text: str, configuration: Configuration) -> list[int]:
    """Return the encoded coefficients, intercept first, then features in configuration order.

    Each is ``floor(coefficient * unit * 2^theta_frac_bits + 1/2)`` and fits ``theta_bits`` signed
    bits. ``text`` is JSON (not necessarily canonical) with decimal strings or numbers. Raises
    UsageError with one of MODEL_NOT_READABLE, MODEL_OTHER_CONFIGURATION,
    MODEL_COEFFICIENT_MISSING, MODEL_COEFFICIENT_UNKNOWN, MODEL_COEFFICIENT_NOT_A_NUMBER,
    MODEL_COEFFICIENT_OUT_OF_RANGE; the sentence names the coefficient and never states its value.
    """
    model = _load(text)
    stated = model.get("configuration")
    if stated != configuration.digest.hex():
        raise UsageError(
            "The model was made for another study or another version of its configuration.",
            code="MODEL_OTHER_CONFIGURATION",
        )
    coefficients = model.get("coefficients")
    if not isinstance(coefficients, dict):
        raise UsageError(
            'The model file lacks the object "coefficients".', code="MODEL_NOT_READABLE"
        )
    names = [feature.name for feature in configuration.features]
    for name in names:
        if name not in coefficients:
            raise UsageError(
                f'The model has no coefficient for "{name}".', code="MODEL_COEFFICIENT_MISSING"
            )
    for name in coefficients:
        if name not in names:
            raise UsageError(
                f'The model has a coefficient for "{name[:60]}", which the study does not have.',
                code="MODEL_COEFFICIENT_UNKNOWN",
            )
    if "intercept" not in model:
        raise UsageError("The model has no intercept.", code="MODEL_COEFFICIENT_MISSING")
    theta = [_encode("intercept", model["intercept"], "1", configuration)]
    for feature in configuration.features:
        theta.append(_encode(feature.name, coefficients[feature.name], feature.unit, configuration))
    return theta


def takes_models_of(study: Configuration, source: Configuration) -> bool:
    """Return whether a model means the same in both: features, units, categories, and outcomes."""
    features = [
        [(feature.name, feature.unit, feature.category) for feature in each.features]
        for each in (study, source)
    ]
    outcomes = [(each.label.favourable, each.label.unfavourable) for each in (study, source)]
    return features[0] == features[1] and outcomes[0] == outcomes[1]


def model_text(
    theta: Sequence[int], configuration: Configuration, target: Configuration | None = None
) -> str:
    """Return the model file of encoded coefficients, for its own study or for ``target``.

    Read back in its own study it gives the same integers. UsageError (``MODEL_OTHER_FEATURES``)
    where the other study has other features, units of them, or outcomes.
    """
    other = target or configuration
    features = [(feature.name, feature.unit) for feature in configuration.features]
    if not takes_models_of(other, configuration):
        raise UsageError(
            "The other study has other features, other units or categories of them, or its "
            "decision means something else.",
            code="MODEL_OTHER_FEATURES",
        )
    step = Fraction(1, 1 << configuration.theta_frac_bits)
    units = [Fraction(1), *(parse_decimal(unit) for _, unit in features)]
    intercept, *coefficients = (
        _decimal(value * step / unit) for value, unit in zip(theta, units, strict=True)
    )
    model = {
        "format": FORMAT,
        "configuration": other.digest.hex(),
        "intercept": intercept,
        "coefficients": {
            name: text for (name, _), text in zip(features, coefficients, strict=True)
        },
    }
    return json.dumps(model, indent=2) + "\n"


def decide_case(theta: Sequence[int], x: Sequence[int], x_frac_bits: int) -> int:
    """Return the decision in exact integers: 1 if ``theta_0 2^x_frac_bits + sum theta_k x_k >= 0``.

    ``theta`` is the encoded model, intercept first; ``x`` the encoded features of one person.
    """
    if len(theta) != len(x) + 1:
        raise UsageError("The model and the case have different numbers of features.")
    total = theta[0] << x_frac_bits
    for coefficient, value in zip(theta[1:], x, strict=True):
        total += coefficient * value
    return 1 if total >= 0 else 0


def _load(text: str) -> dict[str, object]:
    def refuse_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
        values: dict[str, object] = {}
        for name, value in pairs:
            if name in values:
                raise UsageError(
                    f'The model file states "{name[:60]}" twice.', code="MODEL_NOT_READABLE"
                )
            values[name] = value
        return values

    if len(text) > MAX_MODEL_BYTES:
        raise UsageError("The model file is too large.", code="MODEL_NOT_READABLE")
    try:
        model = json.loads(
            text.removeprefix("\ufeff"), parse_float=str, object_pairs_hook=refuse_doubles
        )
    except (ValueError, RecursionError):
        raise UsageError("The model file is not JSON.", code="MODEL_NOT_READABLE") from None
    if not isinstance(model, dict) or model.get("format") != FORMAT:
        raise UsageError(
            f'The model file does not state the format "{FORMAT}".', code="MODEL_NOT_READABLE"
        )
    for name in model:
        if name not in _FIELDS:
            raise UsageError(
                f'The model file has a field "{name[:60]}" that is not known.',
                code="MODEL_NOT_READABLE",
            )
    return model


def _encode(name: str, value: object, unit: str, configuration: Configuration) -> int:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _not_a_number(name)
    try:
        scaled = encode_decimal(value, 1 / parse_decimal(unit), configuration.theta_frac_bits)
    except UsageError:
        raise _not_a_number(name) from None
    bound = 1 << (configuration.theta_bits - 1)
    if not -bound <= scaled < bound:
        limit = Fraction(bound, 1 << configuration.theta_frac_bits)
        raise UsageError(
            f'The coefficient "{name}" is out of range: times the unit {unit} it must lie '
            f"between -{limit} and {limit}.",
            code="MODEL_COEFFICIENT_OUT_OF_RANGE",
        )
    return scaled


def _decimal(value: Fraction) -> str:
    """Return a decimal so close that it is encoded as ``value`` is."""
    with localcontext(prec=_EXPORTED_DIGITS):
        return str(Decimal(value.numerator) / Decimal(value.denominator))


def _not_a_number(name: str) -> UsageError:
    return UsageError(
        f'The coefficient "{name}" is not a finite decimal number.',
        code="MODEL_COEFFICIENT_NOT_A_NUMBER",
    )
