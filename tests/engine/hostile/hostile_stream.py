"""A stream whose frames are replaced as they leave, and what may stand in their place."""

from __future__ import annotations

from collections.abc import Callable

from mpc_engine.errors import ChannelClosedError
from mpc_engine.roles import Role
from mpc_engine.testing.channel import MemoryStream
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.transport.frame import HEADER_BYTES, decode_header, encode_header
from mpc_engine.transport.tags import MessageTag

Replace = Callable[[int, list[bytes]], bytes]
"""Gives what to send in place of frame k; gets k and the true frames up to and with k."""


class HostileStream(MemoryStream):
    """A stream on which some frames are replaced as they leave."""

    def __init__(self, stream: MemoryStream, replace: Replace) -> None:
        self._stream = stream
        self._replace = replace
        self.frames: list[bytes] = []

    def write(self, parts: tuple[memoryview, ...], deadline: float) -> None:
        """Send the frame, or what stands in its place."""
        self.frames.append(b"".join(parts))
        sent = self._replace(len(self.frames) - 1, self.frames)
        self._stream.write((memoryview(sent),), deadline)

    def read_into(self, target: memoryview, deadline: float) -> int:
        """Read what arrives."""
        return self._stream.read_into(target, deadline)

    def close(self) -> None:
        """Close both directions."""
        self._stream.close()

    def abort(self) -> None:
        """Close both directions."""
        self._stream.close()


def honest(_: int, frames: list[bytes]) -> bytes:
    """Replace nothing."""
    return frames[-1]


def random_frame(frame: bytes) -> bytes:
    """Return as many bytes, header and all, drawn from a seed that the frame gives."""
    return seeded_randomness(int.from_bytes(frame[-8:], "little")).bytes(len(frame))


def random_payload(frame: bytes) -> bytes:
    """Return the frame with other contents."""
    return frame[:HEADER_BYTES] + random_frame(frame)[HEADER_BYTES:]


def longer(frame: bytes) -> bytes:
    """Return the frame with eight bytes more, told in its header."""
    header = decode_header(frame[:HEADER_BYTES])
    return encode_header(header.tag, header.length + 8) + frame[HEADER_BYTES:] + bytes(8)


def shorter(frame: bytes) -> bytes:
    """Return the frame without its last byte, told in its header."""
    header = decode_header(frame[:HEADER_BYTES])
    return encode_header(header.tag, header.length - 1) + frame[HEADER_BYTES:-1]


def zeros(frame: bytes) -> bytes:
    """Return the frame with zeros for contents."""
    return frame[:HEADER_BYTES] + bytes(len(frame) - HEADER_BYTES)


def at(position: int, change: Callable[[bytes], bytes]) -> Replace:
    """Change the frame of one position."""
    return lambda k, frames: change(frames[k]) if k == position else frames[k]


def swapped(position: int, source: int, recorded: list[bytes]) -> Replace:
    """Send the recorded frame ``source`` in the place of frame ``position``."""
    return lambda k, frames: recorded[source] if k == position else frames[k]


def broken(_: bytes) -> bytes:
    """Break the line in place of a frame."""
    raise ChannelClosedError("The line broke.")


CHANGES = (random_frame, random_payload, longer, shorter, zeros, broken)
_BASE_OTS = {
    Role.MODELER: MessageTag.BASE_OT_ANSWERS,
    Role.REGULATOR: MessageTag.BASE_OT_OFFERS,
}
"""What each side sends in base OTs: in both protocols the modeler is the extension's receiver."""


def base_ots_at(hostile: Role, frames: dict[Role, list[bytes]]) -> int:
    """Return the number of a side's only frame of base OTs."""
    tags = [decode_header(frame[:HEADER_BYTES]).tag for frame in frames[hostile]]
    assert tags.count(_BASE_OTS[hostile]) == 1
    return tags.index(_BASE_OTS[hostile])
