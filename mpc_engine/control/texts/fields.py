"""Strict reading of JSON objects: every field named, typed and bounded, no field left over."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TypeVar

from mpc_engine.control.texts.canonical import MAX_INTEGER, JsonObject, JsonValue
from mpc_engine.control.texts.names import text_fault
from mpc_engine.errors import UsageError

T = TypeVar("T")

_TIMESTAMP = "%Y-%m-%dT%H:%M:%SZ"
_HEX = re.compile(r"[0-9a-f]*", re.ASCII)


class Fields:
    """One JSON object being read; every fault is a UsageError that names the field.

    ``code`` is the stable code of the faults found in this object and in the objects inside it.
    ``found``: where a list is given, faults are put into it instead of being raised, one for each
    field, and reading goes on with a value of the field's type that means nothing.
    """

    def __init__(
        self, value: object, where: str, *, code: str, found: list[UsageError] | None = None
    ) -> None:
        self.where = where
        self.code = code
        self._found = found
        self._read: set[str] = set()
        self._values: JsonObject = (
            value if isinstance(value, dict) else self.refuse("", "must be an object", {})
        )

    @property
    def is_sound(self) -> bool:
        """Return whether nothing was found so far in this object or in one inside it."""
        return not any(fault.where.startswith(self.where) for fault in self._found or ())

    @property
    def is_empty(self) -> bool:
        """Return whether the object has no field at all."""
        return not self._values

    def refuse(self, name: str, what: str, stand_in: T) -> T:
        """Raise what is wrong with a field, or note it and return ``stand_in``."""
        where = self._label(name)
        fault = UsageError(f"{where} {what}.", code=self.code, where=where)
        if self._found is None:
            raise fault
        if all(other.where != where for other in self._found):
            self._found.append(fault)
        return stand_in

    def text(self, name: str, *, minimum: int = 1, maximum: int = 500) -> str:
        """Return a string of ``minimum`` to ``maximum`` characters by the rule of `names`."""
        value = self._take(name)
        if value == "" and minimum > 0:
            return self.refuse(name, "is empty", "")
        if not isinstance(value, str) or not minimum <= len(value) <= maximum:
            return self.refuse(name, f"must be text of {minimum} to {maximum} characters", "")
        fault = text_fault(value) if value else ""
        return self.refuse(name, fault, "") if fault else value

    def raw_text(self, name: str, *, maximum: int) -> str:
        """Return a string of at most ``maximum`` characters, whatever it holds."""
        value = self._take(name)
        if not isinstance(value, str) or len(value) > maximum:
            return self.refuse(name, f"must be text of at most {maximum} characters", "")
        return value

    def choice(self, name: str, options: Iterable[str]) -> str:
        """Return a string that is one of ``options``."""
        allowed = tuple(options)
        value = self._take(name)
        if not isinstance(value, str) or value not in allowed:
            return self.refuse(
                name, f"must be one of {', '.join(allowed)}", allowed[0] if allowed else ""
            )
        return value

    def truth(self, name: str) -> bool:
        """Return true or false."""
        value = self._take(name)
        return (
            value if isinstance(value, bool) else self.refuse(name, "must be true or false", False)
        )

    def integer(self, name: str, low: int = 0, high: int = MAX_INTEGER) -> int:
        """Return an integer between ``low`` and ``high``, both included."""
        value = self._take(name)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            return self.refuse(name, f"must be a whole number from {low} to {high}", low)
        return value

    def integers(self, name: str, length: int | None = None) -> list[int]:
        """Return a list of integers, of ``length`` where given."""
        values = self.items(name)
        if length is not None and len(values) != length:
            return self.refuse(name, f"must have {length} entries", [0] * length)
        result: list[int] = []
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_INTEGER:
                return self.refuse(name, "must hold whole numbers only", result)
            result.append(value)
        return result

    def hex(self, name: str, n_bytes: int | None = None, *, limit: int = 4096) -> bytes:
        """Return bytes written as lower-case hex, of ``n_bytes`` where given."""
        return parse_hex(self._take(name), n_bytes, self._label(name), code=self.code, limit=limit)

    def base64(self, name: str, n_bytes: int | None = None, *, limit: int = 1 << 27) -> bytes:
        """Return bytes written as standard base64, of ``n_bytes`` where given."""
        value = self._take(name)
        if not isinstance(value, str) or len(value) > limit:
            return self.refuse(name, "must be base64", b"")
        try:
            data = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            return self.refuse(name, "must be base64", b"")
        if base64.b64encode(data).decode("ascii") != value:
            return self.refuse(name, "must be base64", b"")
        if n_bytes is not None and len(data) != n_bytes:
            return self.refuse(name, f"must have {n_bytes} bytes", b"")
        return data

    def time(self, name: str) -> datetime:
        """Return a moment written as ``2026-01-31T12:00:00Z``."""
        return parse_time(self._take(name), self._label(name), code=self.code)

    def items(self, name: str, minimum: int = 0, maximum: int = 1 << 24) -> list[JsonValue]:
        """Return a list of ``minimum`` to ``maximum`` entries."""
        value = self._take(name)
        if not isinstance(value, list) or not minimum <= len(value) <= maximum:
            return self.refuse(name, f"must be a list of {minimum} to {maximum} entries", [])
        return value

    def objects(self, name: str, minimum: int = 0, maximum: int = 1 << 24) -> list[Fields]:
        """Return a list of objects, each ready to be read."""
        return [
            Fields(value, f"{self._label(name)}[{position}]", code=self.code, found=self._found)
            for position, value in enumerate(self.items(name, minimum, maximum))
        ]

    def inner(self, name: str) -> Fields:
        """Return the object inside ``name``, ready to be read."""
        return Fields(self._take(name), self._label(name), code=self.code, found=self._found)

    def object(self, name: str) -> JsonObject:
        """Return the object inside ``name`` as it is."""
        value = self._take(name)
        if not isinstance(value, dict):
            return self.refuse(name, "must be an object", {})
        return value

    def has(self, name: str) -> bool:
        """Return whether a field of this name is present."""
        return name in self._values

    def is_null(self, name: str) -> bool:
        """Return whether a field of this name is present and is null, which counts as read."""
        if self._values.get(name, "") is not None:
            return False
        self._read.add(name)
        return True

    def has_text(self, name: str) -> bool:
        """Return whether a field of this name is present and is text."""
        return isinstance(self._values.get(name), str)

    def end(self) -> None:
        """Refuse fields that nobody read."""
        extra = sorted(str(name) for name in self._values if name not in self._read)
        if extra:
            self.refuse(extra[0][:60], "is not known here", None)

    def _take(self, name: str) -> JsonValue:
        self._read.add(name)
        if name not in self._values:
            return self.refuse(name, "is missing", {})
        return self._values[name]

    def _label(self, name: str) -> str:
        return ".".join(part for part in (self.where, name) if part)


def parse_hex(
    value: object,
    n_bytes: int | None = None,
    where: str = "value",
    *,
    code: str = "NOT_HEX",
    limit: int = 4096,
) -> bytes:
    """Return the bytes of lower-case hex; UsageError (``code``) names ``where``."""
    if not isinstance(value, str) or len(value) > 2 * limit or _HEX.fullmatch(value) is None:
        raise UsageError(f"{where} must be lower-case hex.", code=code, where=where)
    if len(value) % 2 or (n_bytes is not None and len(value) != 2 * n_bytes):
        size = "an even number of digits" if n_bytes is None else f"{2 * n_bytes} digits"
        raise UsageError(f"{where} must be hex of {size}.", code=code, where=where)
    return bytes.fromhex(value)


def parse_time(value: object, where: str = "value", *, code: str = "NOT_A_TIME") -> datetime:
    """Return a UTC moment written as ``2026-01-31T12:00:00Z``; UsageError names ``where``."""
    try:
        if isinstance(value, str):
            moment = datetime.strptime(value, _TIMESTAMP).replace(tzinfo=UTC)
            if format_time(moment) == value:
                return moment
    except ValueError:
        pass
    raise UsageError(f"{where} must be a time like 2026-01-31T12:00:00Z.", code=code)


def format_time(moment: datetime) -> str:
    """Return a UTC moment as ``2026-01-31T12:00:00Z``, seconds truncated."""
    return moment.astimezone(UTC).strftime(_TIMESTAMP)
