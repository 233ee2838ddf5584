"""OT extension: every transfer is right, no key repeats, and costs are as stated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash
from mpc_engine.errors import UsageError
from mpc_engine.ot import extension
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.tls import tls_channel_pair
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel, StreamChannel

HASH = TweakedHash(bytes(range(16)))
HEADER = 11
_OTHER = 0xF001
"""Tag of a message that is none of a call's."""
Pair = tuple[StreamChannel, StreamChannel]


@pytest.fixture(params=["memory", "tls"])
def channels(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pair]:
    pair = memory_channel_pair() if request.param == "memory" else tls_channel_pair(tmp_path)
    yield pair
    for channel in pair:
        channel.close()


def sender_on(channel: Channel, seed: int = 1) -> RandomOTSender:
    return RandomOTSender(channel, b"session", seeded_randomness(seed), HASH)


def receiver_on(channel: Channel, seed: int = 2) -> RandomOTReceiver:
    return RandomOTReceiver(channel, b"session", seeded_randomness(seed), HASH)


def extend_by(sizes: list[int], choices: list[np.ndarray]) -> tuple[Callable, Callable]:
    def sender(channel: Channel) -> list[np.ndarray]:
        ot = sender_on(channel)
        return [ot.extend(m) for m in sizes]

    def receiver(channel: Channel) -> list[np.ndarray]:
        ot = receiver_on(channel)
        return [ot.extend(bits) for bits in choices]

    return sender, receiver


def assert_right(both: np.ndarray, choices: np.ndarray, chosen: np.ndarray) -> None:
    rows = np.arange(len(choices))
    assert np.array_equal(both[rows, choices], chosen)
    assert not np.any(np.all(both[rows, 1 - choices] == chosen, axis=1))


def test_every_transfer_gives_the_chosen_key_in_calls_of_all_sizes(channels: Pair) -> None:
    sizes = [1, 7, 128, 1000, 20000, 129]
    choices = [seeded_randomness(m).bits(m) for m in sizes]
    results = run_two_parties(*extend_by(sizes, choices), channels=channels)
    for m, bits, both, chosen in zip(sizes, choices, *results, strict=True):
        assert both.shape == (m, 2, 2)
        assert_right(both, bits, chosen)


def test_a_call_in_parts_is_right_and_costs_what_its_function_says(
    channels: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension, "PART_TRANSFERS", 300)
    sizes = [299, 300, 301, 2000]
    choices = [seeded_randomness(m).bits(m) for m in sizes]
    sent: dict[str, list[int]] = {"sender": [], "receiver": []}

    def counted(channel: Channel, who: str, call: Callable[[], np.ndarray]) -> np.ndarray:
        before = channel.meter.bytes_sent
        result = call()
        sent[who].append(channel.meter.bytes_sent - before)
        return result

    def sender(channel: Channel) -> list[np.ndarray]:
        ot = sender_on(channel)
        return [counted(channel, "sender", partial(ot.extend, m)) for m in sizes]

    def receiver(channel: Channel) -> list[np.ndarray]:
        ot = receiver_on(channel)
        return [counted(channel, "receiver", partial(ot.extend, bits)) for bits in choices]

    both, chosen = run_two_parties(sender, receiver, channels=channels)
    for number, (m, bits) in enumerate(zip(sizes, choices, strict=True)):
        assert_right(both[number], bits, chosen[number])
        assert extension.call_bytes(m) == (sent["receiver"][number], sent["sender"][number])
    keys = np.concatenate(both).reshape(-1, 2)
    assert len(np.unique(keys, axis=0)) == len(keys)


@pytest.mark.parametrize("bit", [0, 1])
def test_constant_choices_are_like_any_others(bit: int) -> None:
    choices = np.full(300, bit, np.uint8)
    (both,), (chosen,) = run_two_parties(*extend_by([300], [choices]))
    assert_right(both, choices, chosen)


def test_no_key_ever_repeats_even_with_the_same_choices_again() -> None:
    sizes = [200, 200, 1]
    both, _ = run_two_parties(*extend_by(sizes, [np.ones(m, np.uint8) for m in sizes]))
    keys = np.concatenate(both).reshape(-1, 2)
    assert len(np.unique(keys, axis=0)) == len(keys)


def test_keys_are_hashes_under_the_tweak_of_call_and_row() -> None:
    seen: list[tuple[HashDomain, int, list[int]]] = []

    class Spy(TweakedHash):
        def __call__(self, blocks, domain, instance, index):  # type: ignore[no-untyped-def]
            seen.append((domain, instance, list(index)))
            return super().__call__(blocks, domain, instance, index)

    def receiver(channel: Channel) -> None:
        ot = RandomOTReceiver(channel, b"session", seeded_randomness(2), Spy(bytes(16)))
        ot.extend(np.zeros(2, np.uint8))
        ot.extend(np.zeros(3, np.uint8))

    def sender(channel: Channel) -> None:
        ot = sender_on(channel)
        ot.extend(2)
        ot.extend(3)

    run_two_parties(sender, receiver)
    domain = HashDomain.RANDOM_OT
    assert seen == [(domain, 0, [0, 1]), (domain, 1, [0, 1, 2])]


def test_an_extension_can_be_seeded_from_one_of_the_other_direction() -> None:
    choices = seeded_randomness(9).bits(500)

    def party_a(channel: Channel) -> np.ndarray:
        first = sender_on(channel)
        second = RandomOTReceiver(channel, b"second", seeded_randomness(3), HASH, bootstrap=first)
        return second.extend(choices)

    def party_b(channel: Channel) -> np.ndarray:
        first = receiver_on(channel)
        second = RandomOTSender(channel, b"second", seeded_randomness(4), HASH, bootstrap=first)
        return second.extend(len(choices))

    chosen, both = run_two_parties(party_a, party_b)
    assert_right(both, choices, chosen)


def test_neither_delta_nor_a_stream_is_ever_printed() -> None:
    shown: list[str] = []

    def sender(channel: Channel) -> None:
        ot = sender_on(channel)
        ot.extend(1)
        words = [int(word) for word in ot._delta]
        shown.extend([repr(ot), str(ot), f"{ot}"])
        assert not any(str(word) in text or f"{word:x}" in text for word in words for text in shown)

    def receiver(channel: Channel) -> None:
        ot = receiver_on(channel)
        ot.extend(np.zeros(1, np.uint8))
        shown.append(repr(ot))

    run_two_parties(sender, receiver)
    assert set(shown) == {
        "RandomOTSender(calls=1, <secret>)",
        "RandomOTReceiver(calls=1, <secret>)",
    }


def test_delta_is_fresh_in_every_session() -> None:
    def two_deltas(channel: Channel) -> list[bytes]:
        rng = seeded_randomness(1)
        return [RandomOTSender(channel, b"session", rng, HASH)._delta.tobytes() for _ in range(2)]

    first, second = run_two_parties(
        two_deltas, lambda channel: [receiver_on(channel), receiver_on(channel)]
    )[0]
    assert first != second


def test_other_messages_travel_while_a_call_is_open() -> None:
    choices = seeded_randomness(9).bits(300)

    def sender(channel: Channel) -> np.ndarray:
        finish = sender_on(channel).begin(len(choices))
        channel.send(_OTHER, b"after the challenge")
        return finish()

    def receiver(channel: Channel) -> np.ndarray:
        keys = receiver_on(channel).begin(choices)()
        assert channel.recv(_OTHER) == b"after the challenge"
        return keys

    both, chosen = run_two_parties(sender, receiver)
    assert_right(both, choices, chosen)


def test_one_call_is_open_at_a_time() -> None:
    def sender(channel: Channel) -> np.ndarray:
        ot = sender_on(channel)
        finish = ot.begin(3)
        with pytest.raises(ValueError, match="not finished"):
            ot.begin(1)
        with pytest.raises(ValueError, match="not finished"):
            ot.move(channel, seeded_randomness(0))
        finish()
        with pytest.raises(ValueError, match="finished once"):
            finish()
        return ot.extend(2)

    def receiver(channel: Channel) -> np.ndarray:
        ot = receiver_on(channel)
        finish = ot.begin(np.ones(3, np.uint8))
        with pytest.raises(ValueError, match="not finished"):
            ot.begin(np.ones(1, np.uint8))
        finish()
        with pytest.raises(ValueError, match="finished once"):
            finish()
        return ot.extend(np.ones(2, np.uint8))

    both, chosen = run_two_parties(sender, receiver)
    assert_right(both, np.ones(2, np.uint8), chosen)


def test_no_call_begins_whose_columns_are_not_all_sent_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extension, "PART_TRANSFERS", 128)
    most = 128 * (extension.PARTS_AHEAD + 1)

    def sender(channel: Channel) -> None:
        ot = sender_on(channel)
        with pytest.raises(ValueError, match="sent ahead"):
            ot.begin(most + 1)
        ot.begin(most)()

    def receiver(channel: Channel) -> None:
        ot = receiver_on(channel)
        with pytest.raises(ValueError, match="sent ahead"):
            ot.begin(np.zeros(most + 1, np.uint8))
        ot.begin(np.zeros(most, np.uint8))()

    run_two_parties(sender, receiver)


@pytest.mark.parametrize("m", [1, 128, 129])
def test_costs_are_those_of_the_docstring(m: int) -> None:
    def cost(channel: Channel, call: Callable[[], object]) -> tuple[int, int, int]:
        before = replace(channel.meter)
        call()
        after = channel.meter
        return (
            after.bytes_sent - before.bytes_sent,
            after.messages_sent - before.messages_sent,
            after.rounds - before.rounds,
        )

    def sender(channel: Channel) -> tuple[int, int, int]:
        ot = sender_on(channel)
        return cost(channel, lambda: ot.extend(m))

    def receiver(channel: Channel) -> tuple[int, int, int]:
        ot = receiver_on(channel)
        return cost(channel, lambda: ot.extend(np.zeros(m, np.uint8)))

    n_blocks = -(-m // 128) + 1
    of_sender, of_receiver = run_two_parties(sender, receiver)
    assert of_sender[:2] == (16 + HEADER, 1)
    assert of_receiver == (2048 * n_blocks + 2064 + 2 * HEADER, 2, 1)


@pytest.mark.parametrize(
    "choices", [np.array([2], np.uint8), np.zeros((2, 2), np.uint8), np.zeros(3, np.int64), []]
)
def test_choices_that_are_no_bits_are_the_callers_mistake(choices: np.ndarray) -> None:
    def receiver(channel: Channel) -> None:
        receiver_on(channel).extend(np.asarray(choices))

    with pytest.raises(UsageError):
        run_two_parties(lambda channel: sender_on(channel), receiver)


def test_a_call_for_nothing_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError):
        run_two_parties(lambda channel: sender_on(channel).extend(0), receiver_on)
