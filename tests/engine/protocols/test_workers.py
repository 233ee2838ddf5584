"""People divided among workers: the verdict of one, and no more trust than in one."""

from __future__ import annotations

import threading
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.prg import PrgRows
from mpc_engine.errors import OTConsistencyError, RefusedError, SumMismatchError
from mpc_engine.garbling import garbler
from mpc_engine.ot.extension import RandomOTReceiver
from mpc_engine.protocols import both_ways, instances, session
from mpc_engine.protocols.certification import people
from mpc_engine.protocols.certification.people import range_blocks, worker_ranges
from mpc_engine.protocols.session import EvaluatorSession
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.policies import Disclosure
from mpc_engine.vocabulary.verdicts import Verdict
from tests.builders.certification_specs import limits_on
from tests.engine.hostile.cheating import never_stop
from tests.engine.protocols.certified import COVARIANCE, P_RULE, SPEC, certified

_FIRST_RECORD = 8
"""Which argument of `recv_row_sums` is the place of a block's first person."""
_BLOCK = 4
"""People a block in these tests, of two parts each."""
_ODDS = limits_on(CriterionName.EQUALISED_ODDS_DIFFERENCE, 60)
_POLICIES = {
    "covariance": (replace(COVARIANCE, thresholds=(Fraction(70),), certify_at=Fraction(70)),),
    "p_rule": (P_RULE,),
    "all": (COVARIANCE, P_RULE, _ODDS),
}


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "PART_RECORDS", _BLOCK // 2)
    monkeypatch.setattr(instances, "BLOCK_ITEMS", _BLOCK * len(SPEC.real_entries))


@pytest.mark.slow
@pytest.mark.parametrize("policy", _POLICIES)
@pytest.mark.parametrize(("n", "workers"), [(19, 1), (18, 2), (26, 3), (17, 4), (9, 4)])
def test_any_number_of_workers_gives_the_oracles_answer(n: int, workers: int, policy: str) -> None:
    spec = replace(SPEC, criteria=_POLICIES[policy])
    m, r, oracle = certified(spec, n, workers)
    for outcome in (m, r):
        assert (outcome.verdict, outcome.passes) == (oracle.verdict, oracle.passes)
    assert r.model_signature == oracle.model_signature
    assert (m.and_gates, m.ots) == (r.and_gates, r.ots)


@pytest.mark.slow
def test_there_are_models_among_them_that_pass_and_that_fail() -> None:
    found = {
        certified(replace(SPEC, criteria=criteria), n, 1)[2].verdict
        for criteria in _POLICIES.values()
        for n in (18, 26)
    }
    assert {Verdict.PASS, Verdict.FAIL} <= found


@pytest.mark.parametrize("workers", [2, 3])
def test_the_counts_of_all_workers_are_opened(workers: int) -> None:
    spec = replace(SPEC, criteria=_POLICIES["all"], disclosure=Disclosure.TABLE)
    m, r, oracle = certified(spec, 25, workers)
    assert m.table == r.table == oracle.table
    assert sum(counts[0] for counts in oracle.table) == 25


def test_ranges_are_whole_parts_and_hold_everybody_once() -> None:
    for n in range(1, 40):
        for most in range(1, 9):
            ranges = worker_ranges(SPEC, n, most)
            assert len(ranges) == min(most, -(-n // _BLOCK))
            places = [place for part in ranges for place in range(part.start, part.stop)]
            assert places == list(range(n))
            assert all(part.start % people.PART_RECORDS == 0 for part in ranges)
            lengths = [part.stop - part.start for part in ranges]
            assert max(lengths) - min(lengths) < 2 * people.PART_RECORDS
            for part in ranges:
                blocks = range_blocks(SPEC, part)
                assert (blocks[0].start, blocks[-1].stop) == (part.start, part.stop)


@pytest.mark.parametrize("person", [0, 8, 18])
def test_altered_sums_of_any_worker_are_caught(
    person: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = both_ways.recv_row_sums

    def altered(*args: Any) -> Any:
        received = honest(*args)
        first, n = args[_FIRST_RECORD], len(args[5])
        if not first <= person < first + n:
            return received
        return replace(received, v=received.v + np.uint64(1))

    monkeypatch.setattr(both_ways, "recv_row_sums", altered)
    never_stop(monkeypatch)
    with pytest.raises(SumMismatchError):
        certified(replace(SPEC, criteria=(COVARIANCE,)), 19, 3)


@pytest.mark.parametrize("person", [0, 8, 18])
def test_altered_scores_of_any_worker_are_caught(
    person: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = session.recv_keyed_products

    def altered(*args: Any) -> tuple[NDArray[np.uint64], int]:
        v, t = honest(*args)
        return v + np.uint64(args[4].start <= person < args[4].stop), t

    monkeypatch.setattr(session, "recv_keyed_products", altered)
    never_stop(monkeypatch)
    with pytest.raises(SumMismatchError):
        certified(replace(SPEC, criteria=(P_RULE,)), 19, 3)


def test_wrong_labels_in_a_worker_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = EvaluatorSession.enter_people

    def flipped(*args: Any) -> NDArray[np.uint64]:
        labels = honest(*args)
        labels[0] ^= np.uint64("worker" in threading.current_thread().name)
        return labels

    monkeypatch.setattr(EvaluatorSession, "enter_people", flipped)
    never_stop(monkeypatch)
    with pytest.raises(RefusedError):
        certified(replace(SPEC, criteria=(P_RULE,)), 19, 3)


def test_a_failed_check_in_a_worker_ends_the_session_before_the_last_circuit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = RandomOTReceiver._columns
    made: list[RandomOTReceiver] = []

    def cheating(self: RandomOTReceiver, packed: NDArray[np.uint64]) -> Any:
        columns, corrections = honest(self, packed)
        made.append(self)
        if self is not made[0]:
            corrections[64:, 0] ^= np.uint64(1)
        return columns, corrections

    monkeypatch.setattr(RandomOTReceiver, "_columns", cheating)
    tags: list[int] = []
    channels = memory_channel_pair(
        tap_b=lambda frame: tags.append(decode_header(frame[:HEADER_BYTES]).tag)
    )
    with pytest.raises(OTConsistencyError):
        certified(replace(SPEC, criteria=(COVARIANCE,)), 19, 2, channels=channels)
    assert OpTag.ROW_CORRECTIONS in tags
    assert not {OpTag.GARBLED_TABLES, ProtocolTag.DECODING_BITS} & set(tags)


def test_no_worker_continues_a_stream_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = PrgRows.add
    taken: list[bytes] = []

    def noted(
        self: PrgRows, source: NDArray[np.uint64], masks: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        made = honest(self, source, masks)
        if threading.current_thread().name.startswith("party-a"):
            stream = (made ^ (source & masks[:, None]))[0]
            taken.extend(block.tobytes() for block in stream.reshape(-1, 2))
        return made

    monkeypatch.setattr(PrgRows, "add", noted)
    certified(replace(SPEC, criteria=_POLICIES["all"]), 19, 3)
    assert len(taken) > 50
    assert len(set(taken)) == len(taken)


def test_no_circuit_instance_recurs_under_a_hash_key(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = garbler.garble
    used: list[tuple[bytes, int]] = []

    def noted(*args: Any) -> None:
        first, schedule = args[5], args[6]
        used.extend((schedule.tobytes(), int(first) + i) for i in range(len(args[3])))
        honest(*args)

    monkeypatch.setattr(garbler, "garble", noted)
    certified(replace(SPEC, criteria=_POLICIES["all"]), 19, 3)
    assert len({key for key, _ in used}) == 3
    assert len(set(used)) == len(used)
