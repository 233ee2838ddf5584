"""The parts of a configuration that a modeler drafts, each with its strict reader."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import Fields
from mpc_engine.control.texts.names import doublet, likeness
from mpc_engine.errors import UsageError
from mpc_engine.ring.decimal_encoding import parse_decimal

CODE = "CONFIGURATION_INVALID"
DECLINES = "prefer_not_to_say", "Prefer not to say"
"""Name and title of the answer that follows every attribute's categories."""
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
    features = tuple(_read_feature(fields) for fields in rows)
    _check_categories(features, rows)
    return features


def read_label(fields: Fields) -> Label:
    """Read the label; UsageError names the first fault."""
    label = Label(
        name=read_name(fields),
        title=fields.text("title", maximum=200),
        favourable=fields.text("favourable", maximum=200),
        unfavourable=fields.text("unfavourable", maximum=200),
    )
    fields.end()
    if fields.is_sound and likeness(label.favourable) == likeness(label.unfavourable):
        fields.refuse("unfavourable", "must differ from the favourable outcome", None)
    return label


def read_attributes(rows: list[Fields]) -> tuple[Attribute, ...]:
    """Read the sensitive attributes; UsageError names the first fault."""
    attributes = tuple(_read_attribute(fields) for fields in rows)
    _check_different(rows, "title", [attribute.title for attribute in attributes])
    _check_different(rows, "question", [attribute.question for attribute in attributes])
    return attributes


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
        words = "must be lower-case letters, digits and underscores, a letter first"
        return fields.refuse(field, words, "")
    return name


def check_decimal(value: object, where: str, *, code: str = CODE) -> str:
    """Return text that is a plain decimal number; UsageError (``code``) names ``where``."""
    if not isinstance(value, str) or _PLAIN_DECIMAL.fullmatch(value) is None:
        raise UsageError(
            f"{where} must be a plain decimal number such as 0.05.", code=code, where=where
        )
    return value


def _read_feature(fields: Fields) -> Feature:
    feature = Feature(
        name=read_name(fields),
        title=fields.text("title", maximum=200),
        unit=_read_decimal(fields, "unit", "1"),
        minimum=_read_decimal(fields, "minimum", "0"),
        maximum=_read_decimal(fields, "maximum", "1"),
        category=_read_category_of(fields.inner("category")) if fields.has("category") else None,
    )
    fields.end()
    if parse_decimal(feature.unit) <= 0:
        fields.refuse("unit", "must be above 0", None)
    if fields.is_sound and parse_decimal(feature.minimum) >= parse_decimal(feature.maximum):
        fields.refuse("minimum", "must be below the end of the range", None)
    return feature


def _read_attribute(fields: Fields) -> Attribute:
    attribute = Attribute(
        name=read_name(fields),
        title=_read_noun(fields, "title"),
        question=fields.text("question", maximum=200),
        categories=tuple(_read_category(row) for row in fields.objects("categories", 2, 16)),
    )
    fields.end()
    if fields.is_sound:
        _check_answers(fields, attribute.categories)
    return attribute


def _check_answers(fields: Fields, categories: tuple[Category, ...]) -> None:
    """Refuse two answers that look the same, "prefer not to say" among them."""
    names = [DECLINES[0], *(category.name for category in categories)]
    titles = [DECLINES[1], *(category.title for category in categories)]
    for words in (titles, names):
        position = doublet(words)
        if position is not None:
            fields.refuse("categories", f'has two answers that look like "{words[position]}"', None)


def _check_different(rows: list[Fields], field: str, texts: list[str]) -> None:
    """Refuse two rows whose words look the same."""
    position = doublet(texts)
    if position is not None and all(row.is_sound for row in rows):
        other = next(n for n in range(position) if likeness(texts[n]) == likeness(texts[position]))
        rows[position].refuse(field, f"looks like that of number {other + 1}", None)


def _check_categories(features: tuple[Feature, ...], rows: list[Fields]) -> None:
    """Refuse a value that its column has twice; one alone in its column once all rows are sound."""
    values: dict[str, list[str]] = {}
    for feature, fields in zip(features, rows, strict=True):
        if feature.category is None or not fields.is_sound:
            continue
        if (feature.unit, feature.minimum, feature.maximum) != ("1", "0", "1"):
            fields.refuse("category", "stands for a category: it goes from 0 to 1, unit 1", None)
        listed = values.setdefault(feature.category.column, [])
        if doublet([*listed, feature.category.value]) is not None:
            fields.refuse(
                "category", f'names a value of column "{feature.category.column}" again', None
            )
        else:
            listed.append(feature.category.value)
    if not all(fields.is_sound for fields in rows):
        return
    for feature, fields in zip(features, rows, strict=True):
        if feature.category is not None and len(values.get(feature.category.column, "")) == 1:
            fields.refuse(
                "category", f'is the only one of column "{feature.category.column}"', None
            )


def _read_category_of(fields: Fields) -> CategoryOf:
    category = CategoryOf(
        column=read_name(fields, "column"), value=fields.text("value", maximum=200)
    )
    fields.end()
    if category.value != category.value.strip():
        fields.refuse("value", "must not begin or end with a blank", None)
    return category


def _read_noun(fields: Fields, field: str) -> str:
    """Read what stands inside sentences ("every two groups by ..."): short, and no question."""
    noun = fields.text(field, maximum=MAX_NOUN)
    if not _QUESTION_MARKS.isdisjoint(noun):
        return fields.refuse(field, "must be a noun; the question has a field of its own", noun)
    return noun


def _read_category(fields: Fields) -> Category:
    category = Category(name=read_name(fields), title=fields.text("title", maximum=200))
    fields.end()
    return category


def _read_decimal(fields: Fields, name: str, stand_in: str) -> str:
    text = fields.text(name, maximum=40)
    if _PLAIN_DECIMAL.fullmatch(text) is None:
        return fields.refuse(name, "must be a plain decimal number such as 0.05", stand_in)
    return text
