"""A line between the parties that is cut at a message of an end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mpc_engine.errors import ChannelClosedError
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.transport.channel import StreamChannel
from tests.engine.party.world import World


@contextmanager
def cut_line(
    tag: ProtocolTag, sent: list[tuple[int, bytes]] | None = None, nth: int = 1
) -> Iterator[None]:
    """Cut the line in place of a message, the ``nth`` of its tag; note the end's, this one too."""
    honest = StreamChannel.send
    left = nth

    def send(self: StreamChannel, number: int, payload: bytes) -> None:
        if sent is not None and number >= ProtocolTag.OUTPUT_PROMISES:
            sent.append((number, bytes(payload)))
        nonlocal left
        left -= number == tag
        if number == tag and left <= 0:
            self.close()
            raise ChannelClosedError("cut")
        honest(self, number, payload)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StreamChannel, "send", send)
        yield


def end_states(world: World, role: Role) -> list[str]:
    """Return how the ends stand that a party keeps."""
    return [row["state"] for row in world.rows(role, "SELECT state FROM ends")]
