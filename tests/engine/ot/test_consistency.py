"""A receiver whose columns contradict each other is caught, and the session dies with it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.errors import ChannelClosedError, OTConsistencyError, ProtocolViolationError
from mpc_engine.ot import extension
from mpc_engine.ot.consistency import answer_challenge, check_response, column_hash
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.twins import gf128 as twin
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.tags import MessageTag

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

HASH = TweakedHash(bytes(range(16)))
SENDER_SEED = 1
M = 300
N_WORDS = 8
ONE = np.uint64(1)


class FlippingReceiver(RandomOTReceiver):
    """Uses other choice bits in some columns: flips one row's bit of what it sends there."""

    cheated_columns: tuple[int, ...] = ()
    cheated_word = 0

    def _columns(self, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        columns, corrections = super()._columns(packed)
        for column in self.cheated_columns:
            corrections[column, self.cheated_word] ^= ONE
        return columns, corrections


def delta_bits() -> np.ndarray:
    """Return the bits of the delta that a sender of the test seed draws first."""
    delta = seeded_randomness(SENDER_SEED).words(2)
    return np.unpackbits(delta.view(np.uint8), bitorder="little")


def run_against(columns: tuple[int, ...], word: int = 0) -> tuple[np.ndarray, np.ndarray]:
    class Cheat(FlippingReceiver):
        cheated_columns = columns
        cheated_word = word

    def receiver(channel: Channel) -> np.ndarray:
        cheat = Cheat(channel, b"session", seeded_randomness(2), HASH)
        return cheat.extend(np.zeros(M, np.uint8))

    return run_two_parties(lambda channel: new_sender(channel).extend(M), receiver)


def new_sender(channel: Channel) -> RandomOTSender:
    return RandomOTSender(channel, b"session", seeded_randomness(SENDER_SEED), HASH)


@pytest.mark.parametrize("word", [0, 3, N_WORDS - 1])
@pytest.mark.parametrize("which", [0, -1])
def test_one_flipped_column_where_delta_is_one_is_caught(which: int, word: int) -> None:
    column = int(np.flatnonzero(delta_bits())[which])
    with pytest.raises(OTConsistencyError):
        run_against((column,), word)


def test_one_flipped_column_where_delta_is_zero_is_the_guess_that_theory_grants() -> None:
    column = int(np.flatnonzero(delta_bits() == 0)[0])
    both, chosen = run_against((column,))
    assert np.array_equal(both[:, 0], chosen)


def test_flipping_forty_columns_is_caught_but_for_one_time_in_two_to_the_forty() -> None:
    with pytest.raises(OTConsistencyError):
        run_against(tuple(range(40)))


def test_the_sacrificed_block_is_checked_too() -> None:
    with pytest.raises(OTConsistencyError):
        run_against(tuple(range(128)[::2]), N_WORDS - 2)


def test_after_a_failed_check_the_line_is_closed_and_delta_is_gone() -> None:
    def sender(channel: Channel) -> None:
        ot = new_sender(channel)
        finish = ot.begin(M)
        with pytest.raises(OTConsistencyError):
            finish()
        with pytest.raises(ValueError, match="finished once"):
            finish()
        assert not ot._delta.any()
        assert ot._streams._schedules is None
        assert not ot._streams._streams
        with pytest.raises(ChannelClosedError):
            channel.recv(MessageTag.OT_COLUMNS)
        with pytest.raises(OTConsistencyError):
            ot.extend(M)

    def receiver(channel: Channel) -> None:
        class Cheat(FlippingReceiver):
            cheated_columns = tuple(range(128))

        Cheat(channel, b"session", seeded_randomness(2), HASH).extend(np.zeros(M, np.uint8))
        with pytest.raises(ChannelClosedError):
            channel.recv(MessageTag.OT_CHALLENGE)

    run_two_parties(sender, receiver)


def test_a_later_call_is_checked_like_the_first() -> None:
    def sender(channel: Channel) -> None:
        ot = new_sender(channel)
        ot.extend(M)
        with pytest.raises(OTConsistencyError):
            ot.extend(M)

    def receiver(channel: Channel) -> None:
        ot = FlippingReceiver(channel, b"session", seeded_randomness(2), HASH)
        ot.extend(np.zeros(M, np.uint8))
        ot.cheated_columns = tuple(range(60))
        ot.extend(np.zeros(M, np.uint8))

    run_two_parties(sender, receiver)


def test_no_challenge_is_sent_before_all_columns_arrived() -> None:
    def receiver(channel: Channel) -> None:
        RandomOTReceiver(channel, b"session", seeded_randomness(2), HASH)
        channel.send(MessageTag.OT_COLUMNS, bytes(128 * N_WORDS * 8 - 8))
        with pytest.raises(ChannelClosedError):
            channel.recv(MessageTag.OT_CHALLENGE)

    def sender(channel: Channel) -> None:
        with pytest.raises(ProtocolViolationError):
            new_sender(channel).extend(M)

    run_two_parties(sender, receiver)


PART, N_PARTS = 256, 9


@pytest.mark.parametrize("cheated_part", range(N_PARTS))
def test_a_cheat_in_any_part_of_a_call_is_caught(
    cheated_part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension, "PART_TRANSFERS", PART)
    assert N_PARTS > extension.PARTS_AHEAD + 1

    class Cheat(FlippingReceiver):
        parts = 0

        def _columns(self, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            self.cheated_columns = tuple(range(60)) if self.parts == cheated_part else ()
            self.parts += 1
            return super()._columns(packed)

    def receiver(channel: Channel) -> None:
        Cheat(channel, b"session", seeded_randomness(2), HASH).extend(
            np.zeros(PART * N_PARTS, np.uint8)
        )

    with pytest.raises(OTConsistencyError):
        run_two_parties(lambda channel: new_sender(channel).extend(PART * N_PARTS), receiver)


def test_every_part_has_a_challenge_of_its_own_drawn_after_its_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Frames in the order in which the sender handled them: sent ones, and received ones."""
    monkeypatch.setattr(extension, "PART_TRANSFERS", PART)
    events: list[tuple[str, bytes]] = []

    def sender(channel: Channel) -> None:
        ot = new_sender(channel)
        send, recv = channel.send_array, channel.recv_array

        def sending(tag: int, array: np.ndarray) -> None:
            events.append((MessageTag(tag).name, array.tobytes()))
            send(tag, array)

        def receiving(tag: int, *given: object) -> np.ndarray:
            array = recv(tag, *given)  # type: ignore[arg-type]
            events.append((MessageTag(tag).name, b""))
            return array

        monkeypatch.setattr(channel, "send_array", sending)
        monkeypatch.setattr(channel, "recv_array", receiving)
        ot.extend(PART * N_PARTS)

    def receiver(channel: Channel) -> None:
        ot = RandomOTReceiver(channel, b"session", seeded_randomness(2), HASH)
        ot.extend(np.ones(PART * N_PARTS, np.uint8))

    run_two_parties(sender, receiver)
    names = [name for name, _ in events]
    assert Counter(names) == dict.fromkeys(("OT_COLUMNS", "OT_CHALLENGE", "OT_CHECK"), N_PARTS)
    assert len({data for name, data in events if name == "OT_CHALLENGE"}) == N_PARTS
    for at, name in enumerate(names):
        before = Counter(names[:at])
        if name == "OT_CHALLENGE":
            assert before["OT_COLUMNS"] == before["OT_CHALLENGE"] + 1
        if name == "OT_CHECK":
            assert before["OT_CHALLENGE"] > before["OT_CHECK"]


def made_up_session(seed: int) -> tuple[np.ndarray, ...]:
    rng = seeded_randomness(seed)
    choices, columns = rng.words(N_WORDS), rng.words(128, N_WORDS)
    mask = np.where(rng.bits(128), ~np.uint64(0), np.uint64(0))
    return rng.words(2), choices, columns, mask, columns ^ (choices & mask[:, None])


def test_the_column_hash_equals_its_formula() -> None:
    challenge, _, columns, _, _ = made_up_session(3)
    powers = twin.powers(challenge, N_WORDS // 2 - 1)
    coefficients = np.concatenate([powers, np.array([[1, 0]], np.uint64)])
    expected = twin.inner_products(columns.reshape(128, -1, 2), coefficients)
    assert np.array_equal(column_hash(challenge, N_WORDS)(columns), expected)


@pytest.mark.parametrize("seed", range(5))
def test_an_honest_answer_fits(seed: int) -> None:
    challenge, choices, columns, mask, sender_columns = made_up_session(seed)
    response = answer_challenge(challenge, choices, columns)
    check_response(mask, column_hash(challenge, N_WORDS)(sender_columns), response)


@pytest.mark.parametrize("row", [0, 1, 64, 128])
@pytest.mark.parametrize("bit", [0, 63])
@pytest.mark.parametrize("word", [0, 1])
def test_one_changed_bit_of_an_answer_does_not_fit(row: int, word: int, bit: int) -> None:
    challenge, choices, columns, mask, sender_columns = made_up_session(1)
    response = answer_challenge(challenge, choices, columns)
    response[row, word] ^= ONE << np.uint64(bit)
    with pytest.raises(OTConsistencyError):
        check_response(mask, column_hash(challenge, N_WORDS)(sender_columns), response)


def test_the_answer_to_another_challenge_does_not_fit() -> None:
    challenge, choices, columns, mask, sender_columns = made_up_session(1)
    response = answer_challenge(challenge ^ ONE, choices, columns)
    with pytest.raises(OTConsistencyError):
        check_response(mask, column_hash(challenge, N_WORDS)(sender_columns), response)
