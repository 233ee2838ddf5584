"""Shapes of fields: how each is read from canonical JSON, strictly, and written back.

A field of an order or a message is annotated with one of the types below (``study_id: Id``). The
annotation says what Python sees and holds the `Shape` that reads and writes it.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Protocol, Self, TypeVar, get_args, get_type_hints

from mpc_engine.control.texts.approvals import Approval, read_approval
from mpc_engine.control.texts.canonical import JsonObject, JsonValue
from mpc_engine.control.texts.fields import Fields, format_time
from mpc_engine.crypto.hpke import PUBLIC_KEY_BYTES

E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True)
class Shape:
    """Reads a field by its name, raising UsageError that names it; ``write`` is the inverse."""

    read: Callable[[Fields, str], Any]
    write: Callable[[Any], JsonValue]


class Record:
    """What crosses between zones as one JSON object: a dataclass whose fields all have a shape."""

    _shapes: ClassVar[dict[str, Shape]]

    @classmethod
    def shapes(cls) -> dict[str, Shape]:
        """Return the shape of each field, in order; TypeError for a field without one."""
        if "_shapes" not in cls.__dict__:
            cls._shapes = _find_shapes(cls)
        return cls._shapes

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Return a record from exactly its fields; UsageError names what is wrong."""
        values = {name: shape.read(fields, name) for name, shape in cls.shapes().items()}
        fields.end()
        return cls(**values)

    def write(self) -> JsonObject:
        """Return the JSON object that ``read`` reads."""
        return {name: shape.write(getattr(self, name)) for name, shape in self.shapes().items()}


def _find_shapes(record: type[Record]) -> dict[str, Shape]:
    hints = get_type_hints(record, include_extras=True)
    shapes = {}
    for field in dataclasses.fields(record):  # type: ignore[arg-type]
        found = [part for part in get_args(hints[field.name])[1:] if isinstance(part, Shape)]
        if len(found) != 1:
            raise TypeError(f"{record.__name__}.{field.name} has no shape")
        shapes[field.name] = found[0]
    return shapes


def hex_of(n_bytes: int) -> Shape:
    """Return the shape of so many bytes, written in lower-case hex."""
    return Shape(lambda fields, name: fields.hex(name, n_bytes), bytes.hex)


def base64_of(n_bytes: int | None = None, *, limit: int = 1 << 27) -> Shape:
    """Return the shape of bytes written in base64 of at most ``limit`` characters."""
    return Shape(
        lambda fields, name: fields.base64(name, n_bytes, limit=limit),
        lambda value: base64.b64encode(value).decode("ascii"),
    )


def text_up_to(maximum: int) -> Shape:
    """Return the shape of a text that is read elsewhere: at most so many characters of any kind."""
    return Shape(lambda fields, name: fields.raw_text(name, maximum=maximum), str)


def whole_number(low: int, high: int) -> Shape:
    """Return the shape of an integer between ``low`` and ``high``, both included."""
    return Shape(lambda fields, name: fields.integer(name, low, high), int)


def one_of(options: type[E]) -> Shape:
    """Return the shape of a member of an enumeration, written as its value."""
    names = [option.value for option in options]
    return Shape(lambda fields, name: options(fields.choice(name, names)), str)


def list_of(
    read: Callable[[Fields], Any],
    write: Callable[[Any], JsonObject],
    minimum: int = 0,
    maximum: int = 1 << 24,
) -> Shape:
    """Return the shape of a tuple of objects, each read by ``read``."""

    def written(items: Sequence[Any]) -> JsonValue:
        return [write(item) for item in items]

    return Shape(
        lambda fields, name: tuple(read(row) for row in fields.objects(name, minimum, maximum)),
        written,
    )


class _Writable(Protocol):
    def to_json(self) -> JsonObject: ...


def object_by(read: Callable[[Fields], _Writable]) -> Shape:
    """Return the shape of an object that ``read`` reads whole and ``to_json`` writes."""
    return Shape(lambda fields, name: read(fields.inner(name)), lambda value: value.to_json())


def object_or_nothing(read: Callable[[Fields], Any], write: Callable[[Any], JsonObject]) -> Shape:
    """Return the shape of an object that may be missing: None is written as an empty object."""

    def read_one(fields: Fields, name: str) -> Any:
        inner = fields.inner(name)
        if inner.is_empty:
            return None
        return read(inner)

    return Shape(read_one, lambda value: {} if value is None else write(value))


Id = Annotated[bytes, hex_of(16)]
Digest = Annotated[bytes, hex_of(32)]
SEALING_KEY_BYTES = PUBLIC_KEY_BYTES
SealingKey = Annotated[bytes, hex_of(SEALING_KEY_BYTES)]
Signature = Annotated[bytes, hex_of(64)]
Natural = Annotated[int, Shape(lambda fields, name: fields.integer(name), int)]
Plain = Annotated[str, Shape(lambda fields, name: fields.text(name, maximum=1000), str)]
Moment = Annotated[datetime, Shape(lambda fields, name: fields.time(name), format_time)]
Anything = Annotated[dict[str, Any], Shape(lambda fields, name: fields.object(name), dict)]
OneApproval = Annotated[
    Approval, Shape(lambda fields, name: read_approval(fields.inner(name)), Approval.to_json)
]
Approvals = Annotated[tuple[Approval, ...], list_of(read_approval, Approval.to_json, 0, 16)]
