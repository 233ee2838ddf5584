"""The modeler's commitment to its data: a salted digest of every row, under one root.

The root goes into the configuration that both parties sign, so it is fixed before anybody can be
asked. Row ``i`` belongs to one record, whose id follows from the root and ``i``. A digest hides its
row (32 random bytes) and binds it (SHA-256); the tree is that of RFC 6962 with labels of its own.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mpc_engine.control.policies.study_terms import Feature, Label
from mpc_engine.control.texts.canonical import (
    JsonObject,
    JsonValue,
    canonical_text,
    parse_canonical,
)
from mpc_engine.control.texts.fields import Fields
from mpc_engine.crypto.digests import DIGEST_BYTES, sha256
from mpc_engine.errors import CheckFailedError, UsageError
from mpc_engine.vocabulary.rates import UNKNOWN_LABEL
from mpc_engine.wire.codec import u8, u16, u32

ROW_SALT_BYTES = 32
RECORD_ID_BYTES = 16
MAX_ROWS = 1 << 20
FORMAT = "bj1 opened rows"
CODE = "OPENING_INVALID"
MAX_OPENING_BYTES = 64 << 20
_LABEL = b"blindjustice/v1/data commitment\0"
_ROW, _NODE, _ROOT, _RECORD = (_LABEL + bytes([kind]) for kind in range(4))


@dataclass(frozen=True)
class DataCommitment:
    """What a configuration says of the modeler's data: 32-byte root, number of rows."""

    root: bytes
    n_rows: int

    def record_id(self, position: int) -> bytes:
        """Return the record that a row belongs to: whoever knows the root knows all ids."""
        if not 0 <= position < self.n_rows:
            raise UsageError("The commitment has no such row.", code="ROW_NOT_COMMITTED")
        return sha256(_RECORD, self.root, u32(position))[:RECORD_ID_BYTES]

    def positions(self) -> dict[bytes, int]:
        """Return the row of every record id."""
        return {self.record_id(position): position for position in range(self.n_rows)}

    def to_json(self) -> JsonObject:
        """Return the form that configurations have."""
        return {"root": self.root.hex(), "rows": self.n_rows}


@dataclass(frozen=True, repr=False)
class CommittedRow:
    """A row as it was committed to: encoded features, outcome (2: unknown), 32 secret bytes."""

    position: int
    x: tuple[int, ...]
    y: int
    salt: bytes

    def digest(self) -> bytes:
        """Return the 32-byte digest that stands in the tree."""
        values = b"".join(value.to_bytes(4, "little", signed=True) for value in self.x)
        return sha256(_ROW, self.salt, u32(self.position), u16(len(self.x)), values, u8(self.y))


@dataclass(frozen=True, repr=False)
class OpenedRow:
    """A row shown to an auditor, with the digests that lead to the root."""

    row: CommittedRow
    path: tuple[bytes, ...]


def read_data_commitment(fields: Fields) -> DataCommitment:
    """Read a commitment; UsageError names the first fault."""
    commitment = DataCommitment(
        fields.hex("root", DIGEST_BYTES), fields.integer("rows", 1, MAX_ROWS)
    )
    fields.end()
    return commitment


def encoding_digest(features: Iterable[Feature], x_frac_bits: int, label: Label) -> bytes:
    """Return 32 bytes that name how integers of a row are to be read."""
    text = canonical_text(
        {
            "features": [[feature.name, feature.unit] for feature in features],
            "x_frac_bits": x_frac_bits,
            "label": [label.name, label.unfavourable, label.favourable],
        }
    )
    return sha256(text.encode("utf-8"))


def commit(rows: Sequence[CommittedRow], encoding: bytes) -> DataCommitment:
    """Return the commitment to rows 0, 1, ..; UsageError (``ROW_NOT_COMMITTED``) if unordered."""
    if not 1 <= len(rows) <= MAX_ROWS or any(row.position != k for k, row in enumerate(rows)):
        raise UsageError("Rows are numbered from 0, at most 2^20.", code="ROW_NOT_COMMITTED")
    *_, (top,) = _levels([row.digest() for row in rows])
    return DataCommitment(_root(top, len(rows), encoding), len(rows))


def open_rows(rows: Sequence[CommittedRow], positions: Iterable[int]) -> list[OpenedRow]:
    """Return chosen rows with their paths; UsageError (``ROW_NOT_COMMITTED``) for unknown ones."""
    levels = _levels([row.digest() for row in rows])
    opened = []
    for position in positions:
        if not 0 <= position < len(rows):
            raise UsageError(f"There is no row {position}.", code="ROW_NOT_COMMITTED")
        path, index = [], position
        for level in levels[:-1]:
            if index ^ 1 < len(level):
                path.append(level[index ^ 1])
            index //= 2
        opened.append(OpenedRow(rows[position], tuple(path)))
    return opened


def check_opened(commitment: DataCommitment, encoding: bytes, opened: OpenedRow) -> None:
    """Return if a row is one that was committed to.

    CheckFailedError (``ROW_NOT_COMMITTED``) names the row otherwise.
    """
    index, size = opened.row.position, commitment.n_rows
    digest, path = opened.row.digest(), list(opened.path)
    while index < size and size > 1:
        if index ^ 1 < size and path:
            other = path.pop(0)
            digest = _node(other, digest) if index % 2 else _node(digest, other)
        elif index ^ 1 < size:
            break
        index, size = index // 2, (size + 1) // 2
    root = _root(digest, commitment.n_rows, encoding)
    if path or (index, size) != (0, 1) or not hmac.compare_digest(root, commitment.root):
        raise CheckFailedError(
            f"Row {opened.row.position} is not one that was committed to.", code="ROW_NOT_COMMITTED"
        )


def opening_text(configuration: bytes, opened: Iterable[OpenedRow]) -> str:
    """Return the file that shows rows of a study to an auditor."""
    return canonical_text(
        {
            "format": FORMAT,
            "configuration": configuration.hex(),
            "rows": [
                {
                    "position": each.row.position,
                    "x": list(each.row.x),
                    "y": each.row.y,
                    "salt": each.row.salt.hex(),
                    "path": [digest.hex() for digest in each.path],
                }
                for each in opened
            ],
        }
    )


def parse_opening(data: bytes | str, configuration: bytes) -> list[OpenedRow]:
    """Return the rows of a file, not checked yet (`check_opened`).

    UsageError (``OPENING_INVALID``, ``OPENING_OTHER_STUDY``) or DecodeError name the fault.
    """
    body = data.removesuffix("\n") if isinstance(data, str) else data.removesuffix(b"\n")
    fields = Fields(parse_canonical(body, limit=MAX_OPENING_BYTES), "opening", code=CODE)
    fields.choice("format", (FORMAT,))
    if fields.hex("configuration", DIGEST_BYTES) != configuration:
        raise UsageError("These rows are of another study.", code="OPENING_OTHER_STUDY")
    opened = [_read_opened(row) for row in fields.objects("rows", 1, MAX_ROWS)]
    fields.end()
    return opened


def _read_opened(fields: Fields) -> OpenedRow:
    x = fields.integers("x")
    if any(abs(value) >= 1 << 31 for value in x):
        raise UsageError(f"{fields.where}.x holds a value that is too large.", code=CODE)
    row = CommittedRow(
        position=fields.integer("position", 0, MAX_ROWS - 1),
        x=tuple(x),
        y=fields.integer("y", 0, UNKNOWN_LABEL),
        salt=fields.hex("salt", ROW_SALT_BYTES),
    )
    path: list[JsonValue] = fields.items("path", 0, 20)
    opened = OpenedRow(row, tuple(_digest(value, fields.where) for value in path))
    fields.end()
    return opened


def _digest(value: JsonValue, where: str) -> bytes:
    return Fields({"path": value}, where, code=CODE).hex("path", DIGEST_BYTES)


def _levels(digests: list[bytes]) -> list[list[bytes]]:
    """Return the levels of the tree, leaves first; an odd last node moves up as it is."""
    levels = [digests]
    while len(digests) > 1:
        pairs = [_node(*digests[k : k + 2]) for k in range(0, len(digests) - 1, 2)]
        digests = pairs + digests[2 * len(pairs) :]
        levels.append(digests)
    return levels


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE, left, right)


def _root(top: bytes, n_rows: int, encoding: bytes) -> bytes:
    return sha256(_ROOT, top, u32(n_rows), encoding)
