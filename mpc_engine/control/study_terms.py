"""The parts of a configuration that a modeler drafts, each with its strict reader."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mpc_engine.control.canonical import JsonObject
from mpc_engine.control.fields import Fields
from mpc_engine.errors import UsageError
from mpc_engine.ring.decimal_encoding import parse_decimal

CODE = "CONFIGURATION_INVALID"
MAX_NOUN = 60
"""Characters of an attribute's title, which stands inside sentences."""
_QUESTION_MARKS = frozenset("?\N{FULLWIDTH QUESTION MARK}\N{ARABIC QUESTION MARK}")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)
_PLAIN_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?", re.ASCII)


@dataclass(frozen=True)
class CategoryOf:
    """What a 0/1 feature stands for: ``column`` of a table holds the words ``value``."""

    column: str
    value: str


@dataclass(frozen=True)
class Feature:
    """A feature: its value is a decimal in ``[minimum, maximum]``, encoded in steps of ``unit``.

    ``category`` is set where the feature is one entry of a one-hot column: 1 for the one value.
    """

    name: str
    title: str
    unit: str
    minimum: str
    maximum: str
    category: CategoryOf | None = None


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
    """A sensitive attribute; "prefer not to say" follows its categories unwritten.

    ``title`` is a noun as sentences and tables have it ("race or ethnicity"), ``question`` what
    people are asked.
    """

    name: str
    title: str
    question: str
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
            category=_read_category_of(fields.inner("category"))
            if fields.has("category")
            else None,
        )
        fields.end()
        if parse_decimal(feature.unit) <= 0:
            raise UsageError(f'The unit of feature "{feature.name}" must be above 0.', code=CODE)
        if parse_decimal(feature.minimum) >= parse_decimal(feature.maximum):
            raise UsageError(
                f'The minimum of feature "{feature.name}" must be below its maximum.', code=CODE
            )
        features.append(feature)
    _check_categories(features)
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
    if label.favourable == label.unfavourable:
        raise UsageError(
            f"{fields.where}.favourable and .unfavourable must differ.",
            code=fields.code,
            where=f"{fields.where}.unfavourable",
        )
    return label


def read_attributes(rows: list[Fields]) -> tuple[Attribute, ...]:
    """Read the sensitive attributes; UsageError names the first fault."""
    attributes = []
    for fields in rows:
        attribute = Attribute(
            name=read_name(fields),
            title=_read_noun(fields, "title"),
            question=fields.text("question", maximum=200),
            categories=tuple(_read_category(row) for row in fields.objects("categories", 2, 16)),
        )
        fields.end()
        if len({category.name for category in attribute.categories}) < len(attribute.categories):
            raise UsageError(
                f'Attribute "{attribute.name}" has two categories of one name.',
                code=CODE,
                where=f"{fields.where}.categories",
            )
        attributes.append(attribute)
    return tuple(attributes)


def label_json(label: Label) -> JsonObject:
    """Return the JSON form of a label."""
    return {
        "name": label.name,
        "title": label.title,
        "favourable": label.favourable,
        "unfavourable": label.unfavourable,
    }


def attribute_json(attribute: Attribute) -> JsonObject:
    """Return the JSON form of an attribute."""
    return {
        "name": attribute.name,
        "title": attribute.title,
        "question": attribute.question,
        "categories": [
            {"name": category.name, "title": category.title} for category in attribute.categories
        ],
    }


def read_name(fields: Fields, field: str = "name") -> str:
    """Read a machine name: lower-case letters, digits and underscores, a letter first."""
    name = fields.text(field, maximum=60)
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"{fields.where}.{field} must be lower-case letters, digits and underscores, "
            "a letter first.",
            code=CODE,
            where=f"{fields.where}.{field}",
        )
    return name


def check_decimal(value: object, where: str, *, code: str = CODE) -> str:
    """Return text that is a plain decimal number; UsageError (``code``) names ``where``."""
    if not isinstance(value, str) or _PLAIN_DECIMAL.fullmatch(value) is None:
        raise UsageError(
            f"{where} must be a plain decimal number such as 0.05.", code=code, where=where
        )
    return value


def _check_categories(features: list[Feature]) -> None:
    values: dict[str, list[str]] = {}
    for feature in features:
        if feature.category is None:
            continue
        if (feature.unit, feature.minimum, feature.maximum) != ("1", "0", "1"):
            raise UsageError(
                f'Feature "{feature.name}" stands for a category: it goes from 0 to 1, unit 1.',
                code=CODE,
            )
        values.setdefault(feature.category.column, []).append(feature.category.value)
    for column, listed in values.items():
        if len(listed) < 2 or len(set(listed)) < len(listed):
            raise UsageError(
                f'Column "{column}" needs two categories or more, each once.', code=CODE
            )


def _read_category_of(fields: Fields) -> CategoryOf:
    category = CategoryOf(
        column=read_name(fields, "column"), value=fields.text("value", maximum=200)
    )
    fields.end()
    if category.value != category.value.strip():
        raise UsageError(f"{fields.where}.value must not begin or end with a blank.", code=CODE)
    return category


def _read_noun(fields: Fields, field: str) -> str:
    """Read what stands inside sentences ("every two groups by ..."): short, and no question."""
    noun = fields.text(field, maximum=MAX_NOUN)
    if not _QUESTION_MARKS.isdisjoint(noun):
        raise UsageError(
            f"{fields.where}.{field} must be a noun; the question has a field of its own.",
            code=fields.code,
            where=f"{fields.where}.{field}",
        )
    return noun


def _read_category(fields: Fields) -> Category:
    category = Category(name=read_name(fields), title=fields.text("title", maximum=200))
    fields.end()
    return category


def _read_decimal(fields: Fields, name: str) -> str:
    return check_decimal(fields.text(name, maximum=40), f"{fields.where}.{name}")
