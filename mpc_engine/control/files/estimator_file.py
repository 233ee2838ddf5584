"""A linear model that predicts, as a file: canonical JSON, exact decimals, nothing to execute.

The score of a row is ``intercept + sum coefficient_k * r(value_k / unit_k)``, and from 0 on the
second class is decided. With ``rounding`` None ``r`` does nothing: the decimals are floats written
out exactly. Otherwise ``r`` rounds half up to ``feature_bits`` binary digits and coefficients are
whole multiples of ``2^-coefficient_bits``: the integers that a study's party decides with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.canonical import (
    JsonObject,
    JsonValue,
    canonical_text,
    parse_canonical,
)
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError
from mpc_engine.ring.decimal_encoding import parse_decimal

FORMAT = "bj1 estimator"
VERSION = 1
CODE = "ESTIMATOR_INVALID"
MAX_ESTIMATOR_BYTES = 1 << 21
MAX_FEATURES = 4096
COLUMNS = ("named", "by_position")
LARGEST_EXPONENT = 1100
MAX_COEFFICIENT_BITS = 32
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,400})(?:\.\d{1,1100})?", re.ASCII)
_CLASS_KINDS: dict[str, type[object]] = {"text": str, "integer": int, "boolean": str}

ClassLabel = str | int | bool


@dataclass(frozen=True)
class Rounding:
    """How many binary digits values (over their unit) and coefficients have after the point."""

    feature_bits: int
    coefficient_bits: int


@dataclass(frozen=True, repr=False)
class EstimatorFeature:
    """A column: ``coefficient`` is for its value over ``unit``."""

    name: str
    unit: str
    coefficient: Fraction


@dataclass(frozen=True, repr=False)
class EstimatorFile:
    """What a file says. ``columns``: "named", or "by_position" where names are made up.

    ``classes``: the label of the unfavourable and of the favourable decision. ``provenance``:
    texts and whole numbers for people, by name; nothing is computed from them.
    """

    columns: str
    features: tuple[EstimatorFeature, ...]
    intercept: Fraction
    rounding: Rounding | None
    classes: tuple[ClassLabel, ClassLabel]
    provenance: Mapping[str, str | int]

    def scaled(self) -> list[int]:
        """Return intercept and coefficients times ``2^coefficient_bits``, which are integers.

        UsageError (``ESTIMATOR_INVALID``) where the file does not round.
        """
        if self.rounding is None:
            raise UsageError("This estimator has no integers.", code=CODE)
        factor = 1 << self.rounding.coefficient_bits
        values = [self.intercept, *(feature.coefficient for feature in self.features)]
        return [int(value * factor) for value in values]


def study_estimator(
    theta: Sequence[int], configuration: Configuration, provenance: Mapping[str, str | int]
) -> EstimatorFile:
    """Return the estimator of a study's encoded model, intercept first; its classes are 0 and 1."""
    step = Fraction(1, 1 << configuration.theta_frac_bits)
    label = configuration.label
    return EstimatorFile(
        columns="named",
        features=tuple(
            EstimatorFeature(feature.name, feature.unit, value * step)
            for feature, value in zip(configuration.features, theta[1:], strict=True)
        ),
        intercept=theta[0] * step,
        rounding=Rounding(configuration.x_frac_bits, configuration.theta_frac_bits),
        classes=(0, 1),
        provenance={
            "source": "study",
            "study_id": configuration.study_id.hex(),
            "configuration": configuration.digest.hex(),
            "decision": label.name,
            "class_0": label.unfavourable,
            "class_1": label.favourable,
            **provenance,
        },
    )


def estimator_text(estimator: EstimatorFile) -> str:
    """Return the canonical text of an estimator; UsageError (``ESTIMATOR_INVALID``) as reading."""
    rounding: JsonValue = "none"
    if estimator.rounding is not None:
        rounding = {
            "feature_bits": estimator.rounding.feature_bits,
            "coefficient_bits": estimator.rounding.coefficient_bits,
        }
    text = canonical_text(
        {
            "format": FORMAT,
            "version": VERSION,
            "columns": estimator.columns,
            "rounding": rounding,
            "intercept": exact_decimal(estimator.intercept),
            "features": [
                {
                    "name": feature.name,
                    "unit": feature.unit,
                    "coefficient": exact_decimal(feature.coefficient),
                }
                for feature in estimator.features
            ],
            "classes": _classes_json(estimator.classes),
            "provenance": dict(estimator.provenance),
        }
    )
    parse_estimator(text)
    return text


def parse_estimator(data: bytes | str) -> EstimatorFile:
    """Return what an estimator file says; one line end after it is allowed.

    UsageError: ``ESTIMATOR_INVALID``, ``ESTIMATOR_VERSION_UNKNOWN``; DecodeError where the file is
    no canonical JSON. The sentence names what is wrong; nothing in the file is ever executed.
    """
    if len(data) > MAX_ESTIMATOR_BYTES:
        raise UsageError("The estimator file is too large.", code=CODE)
    body = data.removesuffix("\n") if isinstance(data, str) else data.removesuffix(b"\n")
    fields = Fields(parse_canonical(body, limit=MAX_ESTIMATOR_BYTES), "estimator", code=CODE)
    fields.choice("format", (FORMAT,))
    if fields.integer("version", 1) != VERSION:
        raise UsageError(
            f"This estimator file has a version other than {VERSION}; a newer release reads it.",
            code="ESTIMATOR_VERSION_UNKNOWN",
        )
    rounding = _read_rounding(fields)
    estimator = EstimatorFile(
        columns=fields.choice("columns", COLUMNS),
        features=tuple(
            _read_feature(row, rounding) for row in fields.objects("features", 1, MAX_FEATURES)
        ),
        intercept=_read_exact(fields, "intercept", rounding),
        rounding=rounding,
        classes=_read_classes(fields.inner("classes")),
        provenance=_read_provenance(fields.object("provenance")),
    )
    fields.end()
    names = [feature.name for feature in estimator.features]
    if len(set(names)) < len(names):
        raise UsageError("estimator.features names a column twice.", code=CODE)
    return estimator


def exact_decimal(value: Fraction) -> str:
    """Return a plain decimal that is exactly ``value``; UsageError where there is none."""
    twos = (value.denominator & -value.denominator).bit_length() - 1
    fives, rest = 0, value.denominator >> twos
    while rest % 5 == 0 and rest > 1:
        fives, rest = fives + 1, rest // 5
    places = max(twos, fives)
    if rest != 1 or places > LARGEST_EXPONENT:
        raise UsageError("A coefficient has no exact decimal.", code=CODE)
    whole, fraction = divmod(abs(value.numerator) * 10**places // value.denominator, 10**places)
    digits = f"{fraction:0{places}d}".rstrip("0") if places else ""
    return f"{'-' if value < 0 else ''}{whole}{'.' if digits else ''}{digits}"


def _read_rounding(fields: Fields) -> Rounding | None:
    if fields.has_text("rounding"):
        fields.choice("rounding", ("none",))
        return None
    inner = fields.inner("rounding")
    rounding = Rounding(
        inner.integer("feature_bits", 0, 16),
        inner.integer("coefficient_bits", 0, MAX_COEFFICIENT_BITS - 1),
    )
    inner.end()
    return rounding


def _read_feature(fields: Fields, rounding: Rounding | None) -> EstimatorFeature:
    feature = EstimatorFeature(
        fields.text("name", maximum=200),
        fields.text("unit", maximum=40),
        _read_exact(fields, "coefficient", rounding),
    )
    fields.end()
    try:
        unit = parse_decimal(feature.unit)
    except UsageError:
        unit = Fraction(0)
    if unit <= 0 or (rounding is None and feature.unit != "1"):
        raise UsageError(f"{fields.where}.unit is no unit of this estimator.", code=CODE)
    return feature


def _read_exact(fields: Fields, name: str, rounding: Rounding | None) -> Fraction:
    text = fields.raw_text(name, maximum=2000)
    if _DECIMAL.fullmatch(text) is None:
        raise UsageError(f"{fields.where}.{name} is not a plain decimal.", code=CODE)
    value = Fraction(text)
    if rounding is None:
        try:
            exact = Fraction(float(value)) == value
        except OverflowError:
            exact = False
        if not exact:
            raise UsageError(f"{fields.where}.{name} is not exactly a float.", code=CODE)
        return value
    scaled = value * (1 << rounding.coefficient_bits)
    if scaled.denominator != 1 or abs(scaled) >= 1 << (MAX_COEFFICIENT_BITS - 1):
        raise UsageError(
            f"{fields.where}.{name} has more digits than the estimator states.", code=CODE
        )
    return value


def _classes_json(classes: Iterable[ClassLabel]) -> JsonObject:
    labels = list(classes)
    for kind, of in (("boolean", bool), ("integer", int), ("text", str)):
        if all(isinstance(label, of) for label in labels):
            values: list[JsonValue] = [
                str(label).lower() if isinstance(label, bool) else label for label in labels
            ]
            return {"kind": kind, "values": values}
    raise UsageError("Both classes are text, whole numbers or booleans.", code=CODE)


def _read_classes(fields: Fields) -> tuple[ClassLabel, ClassLabel]:
    kind = fields.choice("kind", _CLASS_KINDS)
    labels: list[ClassLabel] = []
    for value in fields.items("values", 2, 2):
        if not isinstance(value, str | int) or not isinstance(value, _CLASS_KINDS[kind]):
            raise UsageError(f"{fields.where}.values are not of their kind.", code=CODE)
        if kind == "boolean" and value not in ("false", "true"):
            raise UsageError(f"{fields.where}.values are not of their kind.", code=CODE)
        labels.append(value == "true" if kind == "boolean" else value)
    fields.end()
    if labels[0] == labels[1]:
        raise UsageError(f"{fields.where}.values are one class.", code=CODE)
    return labels[0], labels[1]


def _read_provenance(value: JsonObject) -> dict[str, str | int]:
    result: dict[str, str | int] = {}
    for name, item in value.items():
        if not isinstance(item, str | int) or len(name) > 60 or len(result) >= 64:
            raise UsageError("estimator.provenance holds texts and whole numbers.", code=CODE)
        if isinstance(item, str) and len(item) > 2000:
            raise UsageError("estimator.provenance has a text that is too long.", code=CODE)
        result[name] = item
    return result
