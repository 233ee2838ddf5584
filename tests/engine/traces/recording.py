"""What goes over the lines of one run: for each sender and line, its frames in their order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from mpc_engine.roles import Role
from mpc_engine.testing.channel import Tap
from mpc_engine.transport.frame import HEADER_BYTES, decode_header

Digest = dict[str, int | str]
"""Of one direction of one line: ``frames`` and ``bytes`` (numbers), ``sha256`` (hex)."""


class Recorder:
    """Notes every frame of a run, before TLS, headers included."""

    def __init__(self) -> None:
        self._frames: dict[str, list[bytes]] = {}

    def tap(self, sender: Role, line: str = "") -> Tap:
        """Return what notes the frames that a party sends on a line; "" is the first one."""
        way = f"{sender.value} to {sender.peer.value}" + (f", {line}" if line else "")
        frames = self._frames.setdefault(way, [])
        return lambda frame: frames.append(bytes(frame))

    def digests(self) -> dict[str, Digest]:
        """Return the digest of every direction in which anything went."""
        return {
            way: {
                "frames": len(frames),
                "bytes": sum(map(len, frames)),
                "sha256": hashlib.sha256(b"".join(frames)).hexdigest(),
            }
            for way, frames in sorted(self._frames.items())
            if frames
        }

    def listed(self) -> Iterator[str]:
        """Yield a line of text for every frame: direction, place, tag, bytes, start of SHA-256."""
        for way, frames in sorted(self._frames.items()):
            for place, frame in enumerate(frames):
                tag = decode_header(frame[:HEADER_BYTES]).tag
                digest = hashlib.sha256(frame).hexdigest()[:16]
                yield f"{way}\t{place}\t{tag:#06x}\t{len(frame)}\t{digest}"

    def tags(self) -> set[int]:
        """Return the tags that occur."""
        return {
            decode_header(frame[:HEADER_BYTES]).tag
            for frames in self._frames.values()
            for frame in frames
        }
