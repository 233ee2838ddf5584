"""The parts of a configuration that a modeler drafts, each with its strict reader."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mpc_engine.control.fields import Fields
from mpc_engine.errors import UsageError
from mpc_engine.ring.decimal_encoding import parse_decimal

CODE = "CONFIGURATION_INVALID"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)
_PLAIN_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?", re.ASCII)


@dataclass(frozen=True)
class Feature:
    """A feature: its value is a decimal in ``[minimum, maximum]``, encoded in steps of ``unit``."""

    name: str
    title: str
    unit: str
    minimum: str
    maximum: str


@dataclass(frozen=True)
class Label:
    """The decision: ``favourable`` is what a decision of 1 means."""

    name: str
    title: str
    favourable: str
    unfavourable: str


@dataclass(frozen=True)
class Category:
    """One possible answer to an attribute."""

    name: str
    title: str


@dataclass(frozen=True)
class Attribute:
    """A sensitive attribute; "prefer not to say" follows its categories unwritten."""

    name: str
    title: str
    categories: tuple[Category, ...]


def read_features(rows: list[Fields]) -> tuple[Feature, ...]:
    """Read the features; UsageError names the first fault."""
    features = []
    for fields in rows:
        feature = Feature(
            name=read_name(fields),
            title=fields.text("title", maximum=200),
            unit=_read_decimal(fields, "unit"),
            minimum=_read_decimal(fields, "minimum"),
            maximum=_read_decimal(fields, "maximum"),
        )
        fields.end()
        if parse_decimal(feature.unit) <= 0:
            raise UsageError(f'The unit of feature "{feature.name}" must be above 0.', code=CODE)
        if parse_decimal(feature.minimum) >= parse_decimal(feature.maximum):
            raise UsageError(
                f'The minimum of feature "{feature.name}" must be below its maximum.', code=CODE
            )
        features.append(feature)
    return tuple(features)


def read_label(fields: Fields) -> Label:
    """Read the label; UsageError names the first fault."""
    label = Label(
        name=read_name(fields),
        title=fields.text("title", maximum=200),
        favourable=fields.text("favourable", maximum=200),
        unfavourable=fields.text("unfavourable", maximum=200),
    )
    fields.end()
    return label


def read_attributes(rows: list[Fields]) -> tuple[Attribute, ...]:
    """Read the sensitive attributes; UsageError names the first fault."""
    attributes = []
    for fields in rows:
        attribute = Attribute(
            name=read_name(fields),
            title=fields.text("title", maximum=200),
            categories=tuple(_read_category(row) for row in fields.objects("categories", 2, 16)),
        )
        fields.end()
        if len({category.name for category in attribute.categories}) < len(attribute.categories):
            raise UsageError(
                f'Attribute "{attribute.name}" has two categories of one name.', code=CODE
            )
        attributes.append(attribute)
    return tuple(attributes)


def read_name(fields: Fields) -> str:
    """Read a machine name: lower-case letters, digits and underscores, a letter first."""
    name = fields.text("name", maximum=60)
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"{fields.where}.name must be lower-case letters, digits and underscores, "
            "a letter first.",
            code=CODE,
        )
    return name


def check_decimal(value: object, where: str, *, code: str = CODE) -> str:
    """Return text that is a plain decimal number; UsageError (``code``) names ``where``."""
    if not isinstance(value, str) or _PLAIN_DECIMAL.fullmatch(value) is None:
        raise UsageError(f"{where} must be a plain decimal number such as 0.05.", code=code)
    return value


def _read_category(fields: Fields) -> Category:
    category = Category(name=read_name(fields), title=fields.text("title", maximum=200))
    fields.end()
    return category


def _read_decimal(fields: Fields, name: str) -> str:
    return check_decimal(fields.text(name, maximum=40), f"{fields.where}.{name}")
