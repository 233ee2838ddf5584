from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.texts.canonical import (
    MAX_DEPTH,
    MAX_INTEGER,
    JsonValue,
    canonical_bytes,
    canonical_text,
    parse_canonical,
)
from mpc_engine.errors import DecodeError, UsageError

_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
_VALUES = st.recursive(
    _TEXT | st.integers(-MAX_INTEGER, MAX_INTEGER),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


def test_keys_are_sorted_by_code_point_and_nothing_is_escaped_without_need() -> None:
    value: JsonValue = {"b": 1, "a": ["é", "\n", "\u2028"], "\U0001f600": 2, "\uffff": 3}
    assert canonical_text(value) == '{"a":["é","\\n","\u2028"],"b":1,"\uffff":3,"\U0001f600":2}'


def test_strings_are_brought_to_one_unicode_form() -> None:
    assert canonical_bytes("e\u0301") == canonical_bytes("é")


def test_two_names_that_become_one_are_refused() -> None:
    with pytest.raises(UsageError):
        canonical_bytes({"e\u0301": 1, "é": 2})


@given(_VALUES)
def test_what_is_written_reads_back_to_the_same_bytes(value: object) -> None:
    try:
        data = canonical_bytes(value)  # type: ignore[arg-type]
    except UsageError:
        return
    assert canonical_bytes(parse_canonical(data)) == data


@pytest.mark.parametrize("value", [1.0, None, True, {1: 2}, MAX_INTEGER + 1, b"x", "\ud800"])
def test_values_without_one_form_are_refused(value: object) -> None:
    with pytest.raises(UsageError) as caught:
        canonical_bytes({"a": value} if not isinstance(value, dict) else value)  # type: ignore[dict-item]
    assert caught.value.code == "NOT_CANONICAL"


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1}',
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b'{"a":1.0}',
        b'{"a":1e3}',
        b'{"a":NaN}',
        b'{"a":null}',
        b'{"a":true}',
        b'{"a":01}',
        b'{"a":-0}',
        b'{"a":9007199254740992}',
        b'{"a":"\\u0041"}',
        b'{"a":"\\/"}',
        b'{"a":1}\n',
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":"\xff"}',
        b'{"a":"\\ud800"}',
        '{"a":"e\u0301"}'.encode(),
        b"",
        b"{",
        b"[" * 100_000,
        b"1" * 10_000,
    ],
)
def test_every_other_way_to_write_a_value_is_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        parse_canonical(data)


def test_long_and_deep_texts_are_refused() -> None:
    deep = b"[" * (MAX_DEPTH + 2) + b"]" * (MAX_DEPTH + 2)
    with pytest.raises(DecodeError):
        parse_canonical(deep)
    with pytest.raises(DecodeError) as caught:
        parse_canonical(b'"aaaa"', limit=5)
    assert caught.value.code == "TEXT_TOO_LONG"


@given(st.binary(max_size=60))
def test_garbage_never_raises_anything_else(data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        parse_canonical(data)


VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "canonical.json").read_text("utf-8"))


@pytest.mark.parametrize("case", VECTORS["values"])
def test_values_have_the_texts_of_the_shared_vectors(case: dict[str, Any]) -> None:
    assert canonical_text(case["value"]) == case["text"]


@pytest.mark.parametrize("value", VECTORS["refused_values"])
def test_values_the_shared_vectors_refuse_are_refused(value: Any) -> None:
    with pytest.raises(UsageError):
        canonical_bytes(value)


@pytest.mark.parametrize("text", VECTORS["refused_texts"])
def test_texts_the_shared_vectors_refuse_are_refused(text: str) -> None:
    with pytest.raises(DecodeError):
        parse_canonical(text)
