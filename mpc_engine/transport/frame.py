"""Frame header: ``version u8 | tag u16 | length u64``, little-endian, then ``length`` bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from mpc_engine.errors import DecodeError, UsageError

FRAME_VERSION = 1
_HEADER = struct.Struct("<BHQ")
HEADER_BYTES = _HEADER.size
MAX_TAG = 0xFFFF


@dataclass(frozen=True)
class FrameHeader:
    """What a frame announces: its tag and the length of its payload in bytes."""

    tag: int
    length: int


def encode_header(tag: int, length: int) -> bytes:
    """Encode the header of a payload of ``length`` bytes."""
    if not 0 <= tag <= MAX_TAG:
        raise UsageError(f"A message tag lies between 0 and {MAX_TAG}, not {tag}.")
    return _HEADER.pack(FRAME_VERSION, tag, length)


def decode_header(header: bytes | bytearray) -> FrameHeader:
    """Decode a header; a wrong size or version is a :class:`DecodeError`, the peer's fault."""
    if len(header) != HEADER_BYTES:
        raise DecodeError(f"A frame header has {HEADER_BYTES} bytes, not {len(header)}.")
    version, tag, length = _HEADER.unpack(header)
    if version != FRAME_VERSION:
        raise DecodeError(f"The frame has version {version}, expected {FRAME_VERSION}.")
    return FrameHeader(tag, length)
