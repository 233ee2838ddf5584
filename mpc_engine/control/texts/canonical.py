"""Canonical JSON: the one byte form of every text that is signed or hashed.

UTF-8, keys sorted by code point, no white space, strings in Unicode NFC, integers below 2^53; no
floats, no null, no booleans. Two people who agree on the values agree on every byte.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import NoReturn, TypeAlias

from mpc_engine.errors import DecodeError, UsageError

JsonValue: TypeAlias = "str | int | list[JsonValue] | dict[str, JsonValue]"
JsonObject: TypeAlias = "dict[str, JsonValue]"

MAX_INTEGER = (1 << 53) - 1
MAX_DEPTH = 12
MAX_BYTES = 64 << 20


def canonical_text(value: JsonValue) -> str:
    """Return the canonical JSON text of ``value``.

    Strings are brought to NFC. Raises UsageError (``NOT_CANONICAL``) for a float, null, boolean,
    an integer of 2^53 or more, a key that is no string, or nesting deeper than MAX_DEPTH.
    """
    return json.dumps(
        _normalised(value, 0), ensure_ascii=False, separators=(",", ":"), sort_keys=True
    )


def canonical_bytes(value: JsonValue) -> bytes:
    """Return the canonical JSON of ``value`` as UTF-8 bytes; errors as ``canonical_text``."""
    try:
        return canonical_text(value).encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("A string is not valid Unicode.", code="NOT_CANONICAL") from None


def parse_canonical(data: bytes | str, *, limit: int = MAX_BYTES) -> JsonValue:
    """Return the value of canonical JSON, refusing every other way to write it.

    Raises DecodeError for anything that is longer than ``limit`` bytes, nested too deeply, or not
    identical, byte by byte, to its own canonical form (doubled keys, white space, floats, ...).
    """
    try:
        raw = data.encode("utf-8") if isinstance(data, str) else bytes(data)
        if len(raw) > limit:
            raise DecodeError("This text is too long.", code="TEXT_TOO_LONG")
        value = json.loads(raw.decode("utf-8"), parse_float=_refuse, parse_constant=_refuse)
        same = canonical_bytes(value) == raw
    except (ValueError, RecursionError, UsageError):
        raise DecodeError("This is not canonical JSON.", code="NOT_CANONICAL") from None
    if not same:
        raise DecodeError("This is not canonical JSON.", code="NOT_CANONICAL")
    result: JsonValue = value
    return result


def digest_text(label: bytes, text: str | bytes) -> bytes:
    """Return SHA-256 over a domain label, a zero byte and the text: 32 bytes."""
    raw = text.encode("utf-8") if isinstance(text, str) else text
    return hashlib.sha256(label + b"\0" + raw).digest()


def _refuse(_: str) -> NoReturn:
    raise ValueError("no floats")


def _normalised(value: object, depth: int) -> object:
    if depth > MAX_DEPTH:
        raise UsageError("This value is nested too deeply.", code="NOT_CANONICAL")
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, int) and not isinstance(value, bool):
        if abs(value) > MAX_INTEGER:
            raise UsageError("An integer is too large.", code="NOT_CANONICAL")
        return value
    if isinstance(value, (list, tuple)):
        return [_normalised(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return _normalised_object(value, depth)
    raise UsageError("Only strings, integers, lists and objects are allowed.", code="NOT_CANONICAL")


def _normalised_object(value: dict[object, object], depth: int) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise UsageError("Only strings may be names.", code="NOT_CANONICAL")
        name = unicodedata.normalize("NFC", key)
        if name in result:
            raise UsageError("A name occurs twice.", code="NOT_CANONICAL")
        result[name] = _normalised(item, depth + 1)
    return result
