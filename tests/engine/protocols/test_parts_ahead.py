"""Products of later parts on their way while a part is entered: same answer, nothing given away."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.errors import OTConsistencyError, SumMismatchError
from mpc_engine.ot import extension
from mpc_engine.ot.extension import RandomOTReceiver
from mpc_engine.protocols import instances, session
from mpc_engine.protocols.certification import people
from mpc_engine.protocols.certification.tally import PRODUCTS_AHEAD
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.secure_ops import bound_reentry
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.transport.channel import StreamChannel
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from mpc_engine.transport.tags import MessageTag
from tests.engine.hostile.cheating import never_stop
from tests.engine.protocols.certified import COVARIANCE, OF_OUTCOMES, P_RULE, SPEC, certified

_PART = 2
_RATES = replace(SPEC, criteria=(P_RULE,))


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "PART_RECORDS", _PART)


def _block_of(n_parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instances, "BLOCK_ITEMS", n_parts * _PART * len(SPEC.real_entries))


@pytest.mark.slow
@pytest.mark.parametrize("n_parts", [1, 2, 3, 4, 7])
@pytest.mark.parametrize(("n", "workers"), [(1, 1), (14, 1), (27, 1), (29, 2)])
def test_any_number_of_parts_a_block_gives_the_oracles_answer(
    n: int, workers: int, n_parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _block_of(n_parts, monkeypatch)
    spec = replace(SPEC, criteria=(COVARIANCE, P_RULE, OF_OUTCOMES))
    m, r, oracle = certified(spec, n, workers)
    for outcome in (m, r):
        assert (outcome.verdict, outcome.passes) == (oracle.verdict, oracle.passes)
    assert r.model_signature == oracle.model_signature


@pytest.mark.parametrize("part", range(6))
def test_altered_scores_of_any_part_are_caught(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _block_of(6, monkeypatch)
    honest = session.recv_keyed_products

    def altered(*args: Any) -> tuple[NDArray[np.uint64], int]:
        v, t = honest(*args)
        return v + np.uint64(args[-1] == part + 1), t

    monkeypatch.setattr(session, "recv_keyed_products", altered)
    never_stop(monkeypatch)
    with pytest.raises(SumMismatchError):
        certified(_RATES, 6 * _PART)


def test_alterations_that_cancel_between_two_parts_are_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _block_of(6, monkeypatch)
    honest = session.recv_keyed_products

    def altered(*args: Any) -> tuple[NDArray[np.uint64], int]:
        v, t = honest(*args)
        block = args[-1]
        return v + np.uint64(block == 2) - np.uint64(block == 5), t

    monkeypatch.setattr(session, "recv_keyed_products", altered)
    never_stop(monkeypatch)
    with pytest.raises(SumMismatchError):
        certified(_RATES, 6 * _PART)


@pytest.mark.parametrize("part", range(5))
def test_a_cheat_in_the_transfers_of_any_part_ends_it_before_labels_of_the_part(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _block_of(5, monkeypatch)
    honest = RandomOTReceiver._columns
    calls: list[None] = []

    def cheating(
        self: RandomOTReceiver, packed: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        columns, corrections = honest(self, packed)
        if len(calls) == part + 1:
            corrections[64:, 0] ^= np.uint64(1)
        calls.append(None)
        return columns, corrections

    monkeypatch.setattr(RandomOTReceiver, "_columns", cheating)
    tags: Counter[int] = Counter()

    def count(frame: bytes) -> None:
        tags[decode_header(frame[:HEADER_BYTES]).tag] += 1

    with pytest.raises(OTConsistencyError):
        certified(_RATES, 5 * _PART, channels=memory_channel_pair(tap_b=count))
    assert tags[OpTag.CHUNK_MACS] == min(part + PRODUCTS_AHEAD + 1, 5)
    assert tags[OpTag.LABEL_CORRECTIONS] == 1 + part
    assert tags[OpTag.CHECK_CORRECTIONS] == tags[OpTag.PERSON_LABEL_CORRECTIONS] == part
    assert not tags[ProtocolTag.DECODING_BITS]


class _Noting:
    """Notes what a party handles, sent and received, in its own order."""

    def __init__(self, channel: StreamChannel, monkeypatch: pytest.MonkeyPatch) -> None:
        self.handled: list[tuple[str, int]] = []
        send, recv = channel.send_array, channel.recv_array

        def sending(tag: int, array: NDArray[np.uint64]) -> None:
            self.handled.append(("send", tag))
            send(tag, array)

        def receiving(tag: int, *given: object) -> NDArray[np.uint64]:
            array: NDArray[np.uint64] = recv(tag, *given)  # type: ignore[arg-type]
            self.handled.append(("recv", tag))
            return array

        monkeypatch.setattr(channel, "send_array", sending)
        monkeypatch.setattr(channel, "recv_array", receiving)

    def places(self, way: str, tag: int) -> list[int]:
        """Return when messages of a kind were handled, in order."""
        return [place for place, event in enumerate(self.handled) if event == (way, tag)]


def test_each_party_has_something_to_send_or_take_while_the_other_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n_parts = 6
    _block_of(n_parts, monkeypatch)
    channels = memory_channel_pair()
    m, r = (_Noting(channel, monkeypatch) for channel in channels)
    certified(_RATES, n_parts * _PART, channels=channels)
    products = r.places("send", OpTag.CHUNK_MACS)
    challenges = r.places("send", MessageTag.OT_CHALLENGE)[1:]
    columns, answers = (
        r.places("recv", tag)[1:] for tag in (MessageTag.OT_COLUMNS, MessageTag.OT_CHECK)
    )
    labels = r.places("send", OpTag.LABEL_CORRECTIONS)[1:]
    for part in range(n_parts):
        assert columns[part] < challenges[part] < answers[part] < labels[part]
        assert part + 1 == n_parts or products[part + 1] < columns[part]
        assert part + 2 >= n_parts or challenges[part] < products[part + 2] < answers[part]
        assert part == 0 or challenges[part] < labels[part - 1] < answers[part]
    answered = m.places("send", MessageTag.OT_CHECK)[1:]
    begun = m.places("send", MessageTag.OT_COLUMNS)[1:]
    taken = m.places("recv", OpTag.LABEL_CORRECTIONS)[1:]
    assert all(answered[part + 1] < taken[part] for part in range(n_parts - 1))
    assert all(begun[part + 2] < taken[part] for part in range(n_parts - 2))


def test_the_transfers_of_the_largest_part_are_all_sent_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    widest = bound_reentry._MAX_SUM_BITS * people.PART_RECORDS
    assert widest <= extension.PART_TRANSFERS * (extension.PARTS_AHEAD + 1)
