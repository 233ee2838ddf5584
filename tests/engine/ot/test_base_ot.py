"""Base OTs: keys agree where they should, differ where they must, bad offers end the line."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count

import numpy as np
import pytest

from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.errors import (
    ChannelClosedError,
    OTConsistencyError,
    ProtocolViolationError,
    UsageError,
)
from mpc_engine.ot import base_ot, group, lattice
from mpc_engine.ot.base_ot import recv_base_ots, send_base_ots
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.testing.channel import MemoryStream, memory_channel_pair, memory_stream_pair
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel, StreamChannel
from mpc_engine.transport.tags import MessageTag
from tests.engine.ot.bad_points import BAD_POINTS
from tests.engine.ot.fixed_kem import use_fixed_kem

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


def test_a_batch_is_hashed_with_its_session() -> None:
    digests = {base_ot._batch_digest(session, 1, b"o", b"a") for session in (b"one", b"two")}
    assert len(digests) == 2


def test_offers_of_one_session_give_other_points_in_another() -> None:
    scalars, offers = base_ot._point_offers(np.zeros(3, np.uint8), SESSION, seeded_randomness(1))

    def public(session: bytes, index: int, at: int) -> bytes:
        chosen, other = offers[at, :32].tobytes(), offers[at, 32:].tobytes()
        return group.add_points(chosen, base_ot._oracle(session, index, 0, other))

    own = [group.multiply_base(scalar) for scalar in scalars]
    assert [public(SESSION, i, i) for i in range(3)] == own
    assert all(public(b"other", i, i) != own[i] for i in range(3))
    assert all(public(SESSION, i + 1, i) != own[i] for i in range(3))


def test_all_keys_of_a_batch_differ() -> None:
    both, _ = run(some_choices(9))
    assert len({key.tobytes() for key in both.reshape(-1, 2)}) == 18


def test_another_session_gives_other_keys_from_the_same_randomness(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_fixed_kem(monkeypatch)
    choices = some_choices(4)
    first, _ = run(choices, b"one", b"one")
    second, _ = run(choices, b"two", b"two")
    assert not np.any(np.all(first == second, axis=2))


def test_parties_of_different_sessions_share_no_key() -> None:
    choices = some_choices(4)
    both, chosen = run(choices, b"one", b"two")
    assert not np.any(np.all(both == chosen[:, None], axis=2))


# What a transfer's part of a message holds, and where, in a batch of three: every part of both.
_OFFERS = {
    "point 0": 64,
    "point 1": 96,
    "vector 0": 192 + 2336,
    "vector 1": 192 + 2336 + 1152,
    "rho": 192 + 2336 + 2304,
}
_ANSWERS = {"point": 32, "ciphertext 0": 96 + 2176, "ciphertext 1": 96 + 2176 + 1088}


class _Meddling(MemoryStream):
    """Puts a part of another batch into the second of three transfers of what it writes."""

    part = slice(0)
    other = b""

    def write(self, parts: tuple[memoryview, ...], deadline: float) -> None:
        header, sent = parts
        changed = bytearray(sent)
        changed[self.part] = self.other[self.part]
        assert changed != sent
        super().write((header, memoryview(changed)), deadline)


def _messages(n: int, session: bytes, seed: int) -> dict[str, bytes]:
    """Return both messages of an honest batch."""
    sent: dict[str, bytes] = {}

    class Noting(MemoryStream):
        def write(self, parts: tuple[memoryview, ...], deadline: float) -> None:
            sent[threading.current_thread().name] = bytes(parts[1])
            super().write(parts, deadline)

    def named(name: str, run: Callable[[], object]) -> None:
        threading.current_thread().name = name
        run()

    stream_s, stream_r = (
        Noting(stream._incoming, stream._outgoing) for stream in memory_stream_pair()
    )
    run_two_parties(
        lambda channel: named(
            "answers", lambda: send_base_ots(channel, n, session, seeded_randomness(seed))
        ),
        lambda channel: named(
            "offers",
            lambda: recv_base_ots(channel, some_choices(n), session, seeded_randomness(seed + 1)),
        ),
        channels=(StreamChannel(stream_s), StreamChannel(stream_r)),
    )
    return sent


def _with_meddled(
    message: str, part: slice, other: bytes, choices: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys of both sides of a batch in one of whose messages a part is another's."""
    streams = dict(zip(("answers", "offers"), memory_stream_pair(), strict=True))
    meddling = _Meddling(streams[message]._incoming, streams[message]._outgoing)
    meddling.part, meddling.other = part, other
    streams[message] = meddling
    return run_two_parties(
        lambda channel: send_base_ots(channel, 3, SESSION, seeded_randomness(1)),
        lambda channel: recv_base_ots(channel, choices, SESSION, seeded_randomness(2)),
        channels=(StreamChannel(streams["answers"]), StreamChannel(streams["offers"])),
    )


@pytest.mark.parametrize(
    ("message", "start"),
    [
        *(pytest.param("offers", start, id=f"offer, {name}") for name, start in _OFFERS.items()),
        *(pytest.param("answers", start, id=f"answer, {name}") for name, start in _ANSWERS.items()),
    ],
)
def test_a_change_of_any_part_of_the_batch_changes_every_key(message: str, start: int) -> None:
    """Each part is replaced by the same part of another session's batch, which is well-formed."""
    other = _messages(3, b"another", 9)[message]
    for choices in (np.zeros(3, np.uint8), np.ones(3, np.uint8)):
        both, chosen = _with_meddled(message, slice(start, start + 32), other, choices)
        assert not np.any(np.all(both == chosen[:, None], axis=2))


@pytest.mark.parametrize("message", ["offers", "answers"])
def test_messages_of_another_session_give_no_key(message: str) -> None:
    other = _messages(3, b"another", 9)[message]
    both, chosen = _with_meddled(message, slice(None), other, some_choices(3))
    assert not np.any(np.all(both == chosen[:, None], axis=2))


def test_transfers_in_another_order_give_no_key() -> None:
    """The first two transfers change places in the offers, points and vectors alike."""
    offers = _messages(3, SESSION, 1)["offers"]
    points, vectors = offers[:192], offers[192:]
    swapped = points[64:128] + points[:64] + points[128:]
    swapped += vectors[2336:4672] + vectors[:2336] + vectors[4672:]
    both, chosen = _with_meddled("offers", slice(None), swapped, some_choices(3))
    assert not np.any(np.all(both[:, None] == chosen[:, None], axis=-1))


def _spoil(monkeypatch: pytest.MonkeyPatch, transfer: int, branch: int) -> None:
    """Let a sender put zeros in place of one ciphertext, and know what it encapsulated."""
    encapsulate, numbers = lattice.encapsulate, count()

    def spoiling(public_key: bytes) -> tuple[bytes, bytes]:
        secret, ciphertext = encapsulate(public_key)
        return secret, bytes(1088) if next(numbers) == 2 * transfer + branch else ciphertext

    monkeypatch.setattr(lattice, "encapsulate", spoiling)


@pytest.mark.parametrize("choice", [0, 1])
@pytest.mark.parametrize("spoilt", [0, 1])
def test_a_spoilt_ciphertext_is_a_guess_of_one_choice_and_no_error(
    spoilt: int, choice: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spoil(monkeypatch, 1, spoilt)
    choices = np.array([0, choice, 1], np.uint8)
    both, chosen = run(choices)
    agree = np.all(both[np.arange(3), choices] == chosen, axis=1)
    assert agree.tolist() == [True, choice != spoilt, True]


@pytest.mark.parametrize("guess_is_right", [True, False])
def test_the_extensions_check_sees_a_spoilt_ciphertext_unless_delta_was_guessed(
    guess_is_right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    delta = seeded_randomness(1).words(2)
    bit = int(delta[0]) >> 9 & 1
    _spoil(monkeypatch, 9, 1 - bit if guess_is_right else bit)
    hash_ = TweakedHash(bytes(16))

    def both() -> tuple[np.ndarray, np.ndarray]:
        return run_two_parties(
            lambda channel: RandomOTSender(channel, SESSION, seeded_randomness(1), hash_).extend(
                200
            ),
            lambda channel: RandomOTReceiver(channel, SESSION, seeded_randomness(2), hash_).extend(
                some_choices(200)
            ),
        )

    if guess_is_right:
        keys, chosen = both()
        assert np.array_equal(keys[np.arange(200), some_choices(200)], chosen)
        return
    with pytest.raises(OTConsistencyError):
        both()


@pytest.mark.parametrize("half", ["curve", "lattice"])
def test_a_key_takes_the_secrets_of_both_halves(half: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A receiver that has one half's secret and not the other's gets no key."""
    multiply, decapsulate = group.multiply_point, lattice.decapsulate
    receivers: list[int] = []

    def receive(channel: Channel) -> np.ndarray:
        receivers.append(threading.get_ident())
        return recv_base_ots(channel, choices, SESSION, seeded_randomness(2))

    def other_point(scalar: bytes, point: bytes) -> bytes:
        shared = multiply(scalar, point)
        return group.add_points(shared, shared) if threading.get_ident() in receivers else shared

    if half == "curve":
        monkeypatch.setattr(group, "multiply_point", other_point)
    else:
        monkeypatch.setattr(lattice, "decapsulate", lambda *given: decapsulate(*given)[::-1])
    choices = some_choices(3)
    both, chosen = run_two_parties(
        lambda channel: send_base_ots(channel, 3, SESSION, seeded_randomness(1)), receive
    )
    assert not np.any(np.all(both == chosen[:, None], axis=2))


def test_offers_look_alike_for_either_choice() -> None:
    """Means of coefficients, of 64 transfers each: within 6 of their deviations. Seeded."""
    means = []
    for choice in range(2):
        choices = np.full(64, choice, np.uint8)
        _, rows = base_ot._lattice_offers(choices, SESSION, seeded_randomness(3 + choice))
        vectors = [lattice.read_vectors(rows[:, at : at + 1152]) for at in (0, 1152)]
        means += [float(vector.mean()) for vector in vectors]
    deviation = 3329 / 12**0.5 / (64 * 768) ** 0.5
    assert all(abs(mean - 1664) < 6 * deviation for mean in means)


def _some_offers(n: int) -> tuple[list[bytes], np.ndarray]:
    """Return well-formed points and vectors (with rho) of n offers."""
    points = [group.hash_to_point(bytes([i])) for i in range(2 * n)]
    rows = base_ot._lattice_offers(some_choices(n), SESSION, seeded_randomness(4))[1]
    return points, rows.copy()


def _refused(payload: bytes, n: int, match: str | None = None) -> None:
    """See the sender refuse offers before it answers, and close the line."""
    near, far = memory_channel_pair()
    far.send(MessageTag.BASE_OT_OFFERS, payload)
    with pytest.raises(ProtocolViolationError, match=match):
        send_base_ots(near, n, SESSION, seeded_randomness(1))
    with pytest.raises(ChannelClosedError):
        far.recv(MessageTag.BASE_OT_ANSWERS)


@pytest.mark.parametrize("position", [0, 1, 5])
@pytest.mark.parametrize("point", BAD_POINTS[::3], ids=bytes.hex)
def test_the_sender_refuses_a_bad_point_and_closes_the_line(point: bytes, position: int) -> None:
    points, rows = _some_offers(3)
    points[position] = point
    _refused(b"".join(points) + rows.tobytes(), 3, "curve point")


@pytest.mark.parametrize("at", [0, 766, 1151, 1152, 2303], ids=lambda at: f"byte {at}")
def test_the_sender_refuses_a_coefficient_that_is_not_reduced(at: int) -> None:
    """The value of twelve bits that ends at or around a byte becomes 4095, or q itself."""
    points, rows = _some_offers(3)
    pair = at - at % 3
    for value in (3329, 4095):
        bits = value << (12 if at % 3 else 0)
        rows[1, pair : pair + 3] = np.frombuffer(bits.to_bytes(3, "little"), np.uint8)
        _refused(b"".join(points) + rows.tobytes(), 3, "not reduced")


@pytest.mark.parametrize("point", BAD_POINTS[::3], ids=bytes.hex)
def test_the_receiver_refuses_a_bad_point_and_closes_the_line(point: bytes) -> None:
    near, far = memory_channel_pair()
    far.send(MessageTag.BASE_OT_ANSWERS, group.hash_to_point(b"") + point + bytes(4 * 1088))
    with pytest.raises(ProtocolViolationError):
        recv_base_ots(near, some_choices(2), SESSION, seeded_randomness(1))
    with pytest.raises(ChannelClosedError):
        near.recv(MessageTag.BASE_OT_ANSWERS)


def test_an_offer_that_makes_a_public_key_neutral_is_refused() -> None:
    near, far = memory_channel_pair()
    _, rows = _some_offers(1)
    other = group.hash_to_point(b"other")
    neutral = group.subtract_points(other, other)
    chosen = group.subtract_points(neutral, base_ot._oracle(SESSION, 0, 0, other))
    far.send(MessageTag.BASE_OT_OFFERS, chosen + other + rows.tobytes())
    with pytest.raises(ProtocolViolationError, match="not usable"):
        send_base_ots(near, 1, SESSION, seeded_randomness(1))


@pytest.mark.parametrize("change", [-2400, -1, 1, 2400])
def test_offers_of_another_size_are_refused(change: int) -> None:
    points, rows = _some_offers(2)
    payload = b"".join(points) + rows.tobytes()
    _refused((payload + bytes(2400))[: len(payload) + change], 2)


@pytest.mark.parametrize("size", [0, 2207, 2209])
def test_answers_of_another_size_are_refused(size: int) -> None:
    near, far = memory_channel_pair()
    answer = group.hash_to_point(b"") + bytes(2177)
    far.send(MessageTag.BASE_OT_ANSWERS, answer[:size])
    with pytest.raises(ProtocolViolationError):
        recv_base_ots(near, some_choices(1), SESSION, seeded_randomness(1))


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

    assert run_two_parties(sender, receiver) == ((2208 * n + 11, 1), (2400 * n + 11, 1))
