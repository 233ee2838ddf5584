"""Fixed-width little-endian fields, written and read strictly.

A reader names what it reads, refuses to read past the end, and refuses left-over bytes, so that a
text has exactly one encoding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import DecodeError, UsageError


def _unsigned(value: int, n_bytes: int) -> bytes:
    if not 0 <= value < 1 << (8 * n_bytes):
        raise UsageError(f"{value} does not fit {8 * n_bytes} unsigned bits.")
    return value.to_bytes(n_bytes, "little")


def u8(value: int) -> bytes:
    """Encode an integer in [0, 2^8) as 1 byte; UsageError if it does not fit."""
    return _unsigned(value, 1)


def u16(value: int) -> bytes:
    """Encode an integer in [0, 2^16) as 2 bytes; UsageError if it does not fit."""
    return _unsigned(value, 2)


def u32(value: int) -> bytes:
    """Encode an integer in [0, 2^32) as 4 bytes; UsageError if it does not fit."""
    return _unsigned(value, 4)


def u64(value: int) -> bytes:
    """Encode an integer in [0, 2^64) as 8 bytes; UsageError if it does not fit."""
    return _unsigned(value, 8)


def i32(value: int) -> bytes:
    """Encode an integer in [-2^31, 2^31) as 4 bytes, two's complement; UsageError if outside."""
    if not -(1 << 31) <= value < 1 << 31:
        raise UsageError(f"{value} does not fit 32 signed bits.")
    return value.to_bytes(4, "little", signed=True)


def length_prefixed(*parts: bytes) -> bytes:
    """Concatenate parts, each behind its length as u32, so that no two lists encode alike."""
    return b"".join(u32(len(part)) + part for part in parts)


def fixed(value: bytes, n_bytes: int, what: str) -> bytes:
    """Return ``value`` if it has exactly ``n_bytes`` bytes; UsageError naming it otherwise."""
    if len(value) != n_bytes:
        raise UsageError(f"The {what} has {len(value)} bytes instead of {n_bytes}.")
    return value


class ByteReader:
    """Reads fields from the front of a text; each failure is a DecodeError (the sender's fault)."""

    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._what = what
        self._position = 0

    def __repr__(self) -> str:
        return f"<ByteReader of a {self._what}, {self.remaining} bytes left>"

    @property
    def remaining(self) -> int:
        """Return how many bytes are unread."""
        return len(self._data) - self._position

    def error(self, complaint: str) -> DecodeError:
        """Return the error "The <text> <complaint>."; it never quotes the bytes."""
        return DecodeError(f"The {self._what} {complaint}.")

    def take(self, n_bytes: int) -> bytes:
        """Read the next ``n_bytes`` bytes."""
        if not 0 <= n_bytes <= self.remaining:
            raise self.error("ends too early")
        start = self._position
        self._position += n_bytes
        return self._data[start : self._position]

    def u8(self) -> int:
        """Read an unsigned 8-bit integer."""
        return self.take(1)[0]

    def u16(self) -> int:
        """Read an unsigned 16-bit integer."""
        return int.from_bytes(self.take(2), "little")

    def u32(self) -> int:
        """Read an unsigned 32-bit integer."""
        return int.from_bytes(self.take(4), "little")

    def u64(self) -> int:
        """Read an unsigned 64-bit integer."""
        return int.from_bytes(self.take(8), "little")

    def i32(self) -> int:
        """Read a signed 32-bit integer, two's complement."""
        return int.from_bytes(self.take(4), "little", signed=True)

    def array(self, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """Read an array of explicit little-endian ``dtype`` ("<u8", "u1", ...); a writable copy."""
        count = 1
        for length in shape:
            count *= length
        item = np.dtype(dtype)
        data = self.take(count * item.itemsize)
        return np.frombuffer(data, dtype=item).reshape(shape).astype(item.newbyteorder("="))

    def finish(self) -> None:
        """Refuse left-over bytes."""
        if self.remaining:
            raise self.error(f"has {self.remaining} bytes too many")
