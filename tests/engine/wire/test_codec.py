"""Fixed-width fields: exact encodings, strict reading."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.errors import DecodeError, UsageError
from mpc_engine.wire.codec import ByteReader, fixed, i32, length_prefixed, u8, u16, u32, u64

ENCODERS = [(u8, "<B", 8), (u16, "<H", 16), (u32, "<I", 32), (u64, "<Q", 64)]


@pytest.mark.parametrize(("encode", "layout", "bits"), ENCODERS)
def test_unsigned_fields_are_little_endian(encode, layout, bits) -> None:  # type: ignore[no-untyped-def]
    for value in (0, 1, 1 << (bits - 1), (1 << bits) - 1):
        assert encode(value) == struct.pack(layout, value)
    for value in (-1, 1 << bits):
        with pytest.raises(UsageError):
            encode(value)


def test_signed_fields_are_twos_complement() -> None:
    for value in (0, -1, -(1 << 31), (1 << 31) - 1):
        assert i32(value) == struct.pack("<i", value)
        assert ByteReader(i32(value), "number").i32() == value
    for value in (1 << 31, -(1 << 31) - 1):
        with pytest.raises(UsageError):
            i32(value)


@given(st.integers(0, 255), st.integers(0, 65535), st.integers(0, 2**32 - 1), st.binary())
def test_a_reader_returns_what_was_written(a: int, b: int, c: int, rest: bytes) -> None:
    reader = ByteReader(u8(a) + u16(b) + u32(c) + u64(c) + rest, "text")
    assert (reader.u8(), reader.u16(), reader.u32(), reader.u64()) == (a, b, c, c)
    assert reader.take(len(rest)) == rest
    reader.finish()


@given(st.lists(st.binary(max_size=5), max_size=5), st.lists(st.binary(max_size=5), max_size=5))
def test_no_two_lists_encode_alike(one: list[bytes], other: list[bytes]) -> None:
    assert (length_prefixed(*one) == length_prefixed(*other)) == (one == other)


def test_a_reader_refuses_to_read_past_the_end_and_to_leave_bytes() -> None:
    reader = ByteReader(b"abc", "short text")
    for length in (4, -1):
        with pytest.raises(DecodeError, match="short text ends too early"):
            reader.take(length)
    assert reader.take(2) == b"ab"
    with pytest.raises(DecodeError, match="1 bytes too many"):
        reader.finish()
    assert reader.remaining == 1
    assert "c" not in repr(reader).split("short text")[1]


def test_arrays_come_back_native_and_writable() -> None:
    reader = ByteReader(struct.pack("<6Q", *range(6)) + struct.pack("<2q", -1, 1) + b"\1", "rows")
    words = reader.array("<u8", (3, 2))
    assert words.dtype == np.uint64
    assert words.tolist() == [[0, 1], [2, 3], [4, 5]]
    words[0, 0] = 9
    signed = reader.array("<i8", (2,))
    assert signed.dtype == np.int64
    assert signed.tolist() == [-1, 1]
    assert reader.array("u1", (1,)).dtype == np.uint8
    assert reader.array("<u8", (0, 2)).shape == (0, 2)
    with pytest.raises(DecodeError):
        reader.array("<u8", (1,))
    with pytest.raises(DecodeError):
        reader.array("<u8", (1 << 40, 1 << 40))


def test_a_fixed_field_has_its_length() -> None:
    assert fixed(b"abcd", 4, "id") == b"abcd"
    with pytest.raises(UsageError, match="id has 3 bytes instead of 4"):
        fixed(b"abc", 4, "id")
