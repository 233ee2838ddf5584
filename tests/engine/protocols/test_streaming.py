"""People in blocks: every cut gives the oracle's verdict, and no more than a block is held."""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.errors import OTConsistencyError, SumMismatchError, UsageError
from mpc_engine.ot.extension import RandomOTReceiver
from mpc_engine.protocols import both_ways, instances, session
from mpc_engine.protocols.certification import people
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
    Criterion,
)
from mpc_engine.protocols.instances import people_blocks
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.secure_ops.row_sums import ReceiverSums
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.sharing.records import HeldRecords, RecordSource
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from tests.engine.hostile.cheating import never_stop
from tests.engine.protocols.both_sides import certify_on_both_sides
from tests.engine.protocols.certified import COVARIANCE, OF_OUTCOMES, P_RULE, SPEC
from tests.engine.protocols.running import job_context

_FIRST_RECORD = 8
"""Which argument of `recv_row_sums` is the place of a block's first person."""
_BLOCK = 4
"""People a block in these tests, of two parts each."""
_NONCE = bytes(range(32))
_THETA = [-(1 << 20), 1 << 18, -(1 << 17)]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "PART_RECORDS", _BLOCK // 2)
    monkeypatch.setattr(instances, "BLOCK_ITEMS", _BLOCK * len(SPEC.real_entries))


class _Watched:
    """A cohort that notes what is read, and what of it is still held at the next read."""

    def __init__(self, records: HeldRecords) -> None:
        self._records = records
        self.asked: list[slice] = []
        self.most_held = 0
        self._given: list[weakref.ref[HeldRecords]] = []

    def __len__(self) -> int:
        return len(self._records)

    def read(self, people: slice) -> HeldRecords:
        self.asked.append(people)
        held = sum(len(given) for ref in self._given if (given := ref()) is not None)
        self.most_held = max(self.most_held, held)
        block = self._records.read(people)
        self._given.append(weakref.ref(block))
        return block


def _people(
    n: int,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8], HeldRecords, HeldRecords]:
    dice = np.random.default_rng(n)
    answers = one_hot(np.arange(n)[:, None] % 2, (3,))
    features = dice.integers(-512, 513, (n, 2))
    labels = dice.integers(0, 3, n).astype(np.uint8)
    return answers, features, labels, *deal_records(answers, features, seeded_randomness(n), labels)


def _certify(
    spec: CertificationSpec, modeler: RecordSource, regulator: RecordSource
) -> tuple[CertificationOutcome, CertificationOutcome]:
    return certify_on_both_sides(spec, modeler, regulator, _THETA, _NONCE)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, _BLOCK - 1, _BLOCK, _BLOCK + 1, 2 * _BLOCK, 5 * _BLOCK - 1])
@pytest.mark.parametrize(
    "criteria",
    [(COVARIANCE,), (P_RULE,), (COVARIANCE, P_RULE, OF_OUTCOMES)],
    ids=["covariance", "p_rule", "all"],
)
def test_every_number_of_blocks_gives_the_oracles_answer(
    n: int, criteria: tuple[Criterion, ...]
) -> None:
    spec = replace(SPEC, criteria=criteria)
    answers, features, labels, modeler, regulator = _people(n)
    oracle = certify_in_the_clear(spec, answers, features, _THETA, _NONCE, labels)
    m, r = _certify(spec, modeler, regulator)
    assert (m.verdict, m.reason, m.passes) == (oracle.verdict, oracle.reason, oracle.passes)
    assert (r.verdict, r.reason, r.passes) == (oracle.verdict, oracle.reason, oracle.passes)
    assert r.model_signature == oracle.model_signature
    assert (m.and_gates, m.ots) == (r.and_gates, r.ots)


def test_a_party_reads_and_holds_a_block_at_a_time() -> None:
    *_, modeler, regulator = _people(6 * _BLOCK)
    sources = _Watched(modeler), _Watched(regulator)
    _certify(SPEC, *sources)
    for source in sources:
        sizes = [people.stop - people.start for people in source.asked]
        assert sizes.count(_BLOCK) >= 6
        assert max(sizes) == _BLOCK
        assert {person for part in source.asked for person in range(part.start, part.stop)} == set(
            range(6 * _BLOCK)
        )
        assert source.most_held <= 2 * _BLOCK


def test_blocks_cover_everybody_once_and_grow_no_larger_with_the_cohort() -> None:
    for n, items, multiple in ((1, 3, 2), (100, 2, 2), (101, 5, 2), (64, 1000, 4), (9, 1, 1)):
        blocks = people_blocks(n, items, multiple)
        assert [place for part in blocks for place in range(part.start, part.stop)] == list(
            range(n)
        )
        assert all(part.start % multiple == 0 for part in blocks)
        longest = max(part.stop - part.start for part in blocks)
        assert longest <= max(multiple, instances.BLOCK_ITEMS // items)


def test_a_regulator_without_features_is_refused_before_anything_is_sent() -> None:
    *_, modeler, _ = _people(9)
    sent: list[bytes] = []
    channel, _ = memory_channel_pair(tap_a=sent.append)
    with pytest.raises(UsageError) as caught:
        certify_as_regulator(job_context(Role.REGULATOR, channel), SPEC, modeler)
    assert caught.value.code == "NO_FEATURES"
    assert not sent


@pytest.mark.parametrize("block", [0, 1, 2])
def test_sums_of_any_block_that_the_modeler_alters_are_caught(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, modeler, regulator = _people(3 * _BLOCK - 1)
    honest = both_ways.recv_row_sums

    def altered(*args: Any) -> ReceiverSums:
        received = honest(*args)
        if args[_FIRST_RECORD] != block * _BLOCK:
            return received
        return replace(received, v=received.v + np.uint64(1))

    monkeypatch.setattr(both_ways, "recv_row_sums", altered)
    never_stop(monkeypatch)
    with pytest.raises(SumMismatchError):
        _certify(replace(SPEC, criteria=(COVARIANCE,)), modeler, regulator)


@pytest.mark.parametrize("part", [0, 3, 5])
def test_scores_of_any_part_that_the_modeler_alters_are_caught(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, modeler, regulator = _people(3 * _BLOCK - 1)
    honest = session.recv_keyed_products

    def altered(*args: Any) -> tuple[NDArray[np.uint64], int]:
        v, t = honest(*args)
        return v + np.uint64(args[-1] == part + 1), t

    monkeypatch.setattr(session, "recv_keyed_products", altered)
    never_stop(monkeypatch)
    with pytest.raises(SumMismatchError):
        _certify(replace(SPEC, criteria=(P_RULE,)), modeler, regulator)


def _inconsistent_in(call: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the modeler send other choices in half of the columns of one extension."""
    honest = RandomOTReceiver._columns
    calls: list[None] = []

    def cheating(
        self: RandomOTReceiver, packed: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        columns, corrections = honest(self, packed)
        if len(calls) == call:
            corrections[64:, 0] ^= np.uint64(1)
        calls.append(None)
        return columns, corrections

    monkeypatch.setattr(RandomOTReceiver, "_columns", cheating)


@pytest.mark.parametrize("call", [0, 1, 2])
def test_a_blocks_transfers_are_checked_before_anything_of_it_is_sent(
    call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, modeler, regulator = _people(3 * _BLOCK)
    spec = replace(SPEC, criteria=(COVARIANCE,))
    _inconsistent_in(call, monkeypatch)
    tags: list[int] = []
    channels = memory_channel_pair(
        tap_b=lambda frame: tags.append(decode_header(frame[:HEADER_BYTES]).tag)
    )
    with pytest.raises(OTConsistencyError):
        run_two_parties(
            lambda channel: certify_as_modeler(
                job_context(Role.MODELER, channel), spec, modeler, _THETA, _NONCE
            ),
            lambda channel: certify_as_regulator(
                job_context(Role.REGULATOR, channel), spec, regulator
            ),
            channels=channels,
        )
    assert tags.count(OpTag.ROW_CORRECTIONS) == call * len(spec.real_entries)
    assert OpTag.GARBLED_TABLES not in tags
    assert ProtocolTag.DECODING_BITS not in tags
