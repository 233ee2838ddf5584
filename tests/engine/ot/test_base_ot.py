"""Base OTs: keys agree where they should, differ where they must, and bad points end the line."""

from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.errors import ChannelClosedError, ProtocolViolationError, UsageError
from mpc_engine.ot import base_ot, group
from mpc_engine.ot.base_ot import recv_base_ots, send_base_ots
from mpc_engine.testing.channel import MemoryStream, memory_channel_pair, memory_stream_pair
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel, StreamChannel
from mpc_engine.transport.tags import MessageTag
from tests.engine.ot.bad_points import BAD_POINTS

SESSION = b"session"


def run(
    choices: np.ndarray, session_s: bytes = SESSION, session_r: bytes = SESSION, seed: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    return run_two_parties(
        lambda channel: send_base_ots(channel, len(choices), session_s, seeded_randomness(seed)),
        lambda channel: recv_base_ots(channel, choices, session_r, seeded_randomness(seed + 1)),
    )


def some_choices(n: int) -> np.ndarray:
    return seeded_randomness(n).bits(n)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_the_receiver_gets_the_key_it_chose_and_no_other(n: int) -> None:
    choices = some_choices(n)
    both, chosen = run(choices)
    assert both.shape == (n, 2, 2)
    assert np.array_equal(both[np.arange(n), choices], chosen)
    assert not np.any(np.all(both[np.arange(n), 1 - choices] == chosen, axis=1))


def test_all_keys_of_a_batch_differ() -> None:
    both, _ = run(some_choices(9))
    assert len({key.tobytes() for key in both.reshape(-1, 2)}) == 18


def test_another_session_gives_other_keys_from_the_same_randomness() -> None:
    choices = some_choices(4)
    first, _ = run(choices, b"one", b"one")
    second, _ = run(choices, b"two", b"two")
    assert not np.any(np.all(first == second, axis=2))


def test_parties_of_different_sessions_share_no_key() -> None:
    choices = some_choices(4)
    both, chosen = run(choices, b"one", b"two")
    assert not np.any(np.all(both == chosen[:, None], axis=2))


def test_a_changed_point_anywhere_in_the_batch_changes_every_key() -> None:
    choices = some_choices(3)
    other_point = group.hash_to_point(b"another")

    class Meddling(MemoryStream):
        def write(self, parts: tuple[memoryview, ...], deadline: float) -> None:
            header, points = parts
            super().write((header, memoryview(other_point + points[32:])), deadline)

    stream_s, stream_r = memory_stream_pair()
    meddling = Meddling(stream_r._incoming, stream_r._outgoing)
    both, chosen = run_two_parties(
        lambda channel: send_base_ots(channel, 3, SESSION, seeded_randomness(1)),
        lambda channel: recv_base_ots(channel, choices, SESSION, seeded_randomness(2)),
        channels=(StreamChannel(stream_s), StreamChannel(meddling)),
    )
    assert not np.any(np.all(both == chosen[:, None], axis=2))


@pytest.mark.parametrize("position", [0, 1, 5])
@pytest.mark.parametrize("point", BAD_POINTS[::3], ids=bytes.hex)
def test_the_sender_refuses_a_bad_point_and_closes_the_line(point: bytes, position: int) -> None:
    near, far = memory_channel_pair()
    points = [group.hash_to_point(bytes([i])) for i in range(6)]
    points[position] = point
    far.send(MessageTag.BASE_OT_POINTS, b"".join(points))
    with pytest.raises(ProtocolViolationError):
        send_base_ots(near, 3, SESSION, seeded_randomness(1))
    with pytest.raises(ChannelClosedError):
        far.recv(MessageTag.BASE_OT_ANSWERS)


@pytest.mark.parametrize("point", BAD_POINTS[::3], ids=bytes.hex)
def test_the_receiver_refuses_a_bad_point_and_closes_the_line(point: bytes) -> None:
    near, far = memory_channel_pair()
    far.send(MessageTag.BASE_OT_ANSWERS, group.hash_to_point(b"") + point)
    with pytest.raises(ProtocolViolationError):
        recv_base_ots(near, some_choices(2), SESSION, seeded_randomness(1))
    with pytest.raises(ChannelClosedError):
        near.recv(MessageTag.BASE_OT_ANSWERS)


def test_an_offer_that_makes_a_public_key_neutral_is_refused() -> None:
    near, far = memory_channel_pair()
    other = group.hash_to_point(b"other")
    neutral = group.subtract_points(other, other)
    chosen = group.subtract_points(neutral, base_ot._oracle(SESSION, 0, 0, other))
    far.send(MessageTag.BASE_OT_POINTS, chosen + other)
    with pytest.raises(ProtocolViolationError, match="not usable"):
        send_base_ots(near, 1, SESSION, seeded_randomness(1))


@pytest.mark.parametrize("n_points", [0, 1, 3])
def test_a_batch_of_another_size_is_refused(n_points: int) -> None:
    near, far = memory_channel_pair()
    far.send(MessageTag.BASE_OT_POINTS, group.hash_to_point(b"") * n_points)
    with pytest.raises(ProtocolViolationError):
        send_base_ots(near, 1, SESSION, seeded_randomness(1))


def test_a_choice_that_is_no_bit_is_refused() -> None:
    near, _ = memory_channel_pair()
    with pytest.raises(UsageError):
        recv_base_ots(near, np.array([0, 2], np.uint8), SESSION, seeded_randomness(1))


def test_costs_are_those_of_the_docstring() -> None:
    n = 5

    def sender(channel: Channel) -> tuple[int, int]:
        send_base_ots(channel, n, SESSION, seeded_randomness(1))
        return channel.meter.bytes_sent, channel.meter.rounds

    def receiver(channel: Channel) -> tuple[int, int]:
        recv_base_ots(channel, some_choices(n), SESSION, seeded_randomness(2))
        return channel.meter.bytes_sent, channel.meter.rounds

    assert run_two_parties(sender, receiver) == ((32 * n + 11, 1), (64 * n + 11, 1))
