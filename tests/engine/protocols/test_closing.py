"""Closing: one agreed list, invalid rows dropped, nobody left out after a receipt."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.errors import (
    ClosingDisagreedError,
    DecodeError,
    ProtocolViolationError,
    UsageError,
)
from mpc_engine.protocols import instances
from mpc_engine.protocols.closing import one_run
from mpc_engine.protocols.closing.circuit import is_one_hot, validity_circuit
from mpc_engine.protocols.closing.protocol import run_closing
from mpc_engine.protocols.closing.record_list import (
    decode_entries,
    encode_entries,
)
from mpc_engine.protocols.keeping import ClosingTerms
from mpc_engine.protocols.session import EvaluatorSession, JobContext
from mpc_engine.roles import OTDirection, Role
from mpc_engine.testing.ends import MemoryPart, closing_terms
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from tests.builders.held_shares import layout_by_file, listed_shares
from tests.engine.protocols.both_sides import close_on_both_sides
from tests.engine.protocols.running import run_protocol

_LAYOUT = layout_by_file(3, 4)
_close = partial(close_on_both_sides, _LAYOUT)


def _answers(n: int) -> NDArray[np.uint8]:
    rng = np.random.default_rng(n)
    return one_hot(np.stack([rng.integers(0, 3, n), rng.integers(0, 4, n)], axis=1), (3, 4))


def test_rows_that_are_not_one_hot_leave_the_cohort_and_are_counted() -> None:
    answers = _answers(23)
    answers[4] = 0
    answers[7, :3] = 1
    answers[11, 3:5] = 1
    answers[22, 6] ^= 1
    modeler, regulator = deal_records(answers, None, seeded_randomness(5))
    outcomes = _close(listed_shares(modeler), listed_shares(regulator))
    expected = [i for i in range(23) if is_one_hot((3, 4), list(answers[i]))]
    assert len(expected) == 19
    for outcome in outcomes:
        assert outcome.records.record_ids == tuple(modeler.record_ids[i] for i in expected)
        assert outcome.n_invalid == 4
        assert outcome.n_disagreed == 0
    assert outcomes[0].record_set == outcomes[1].record_set
    rebuilt = outcomes[0].records.low_bits ^ outcomes[1].records.low_bits
    assert (rebuilt == answers[expected]).all()


@pytest.mark.parametrize("n", [1, 3, 4, 5, 8, 11])
def test_every_number_of_blocks_keeps_the_same_records(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instances, "BLOCK_ITEMS", 4 * 7)
    answers = _answers(n + 1)
    answers[n // 2] ^= 1
    modeler, regulator = deal_records(answers, None, seeded_randomness(5))
    expected = [i for i in range(n + 1) if i != n // 2]
    for outcome in _close(listed_shares(modeler), listed_shares(regulator)):
        assert outcome.records.record_ids == tuple(modeler.record_ids[i] for i in expected)
        assert outcome.n_invalid == 1


def test_a_record_only_one_party_holds_leaves_the_list_and_is_counted() -> None:
    modeler, regulator = deal_records(_answers(5), None, seeded_randomness(5))
    outcomes = _close(listed_shares(modeler)[1:], listed_shares(regulator)[:4])
    for outcome in outcomes:
        assert outcome.records.record_ids == modeler.record_ids[1:4]
        assert outcome.n_disagreed == 2


def test_half_a_replacement_does_not_kill_the_earlier_answer() -> None:
    modeler, regulator = deal_records(_answers(3), None, seeded_randomness(5))
    newer = listed_shares(modeler, {1: 1})
    outcomes = _close([*listed_shares(modeler), newer[1]], listed_shares(regulator))
    assert outcomes[0].records.record_ids == modeler.record_ids
    assert outcomes[0].n_disagreed == 0


def test_the_highest_sequence_both_hold_is_the_current_answer() -> None:
    first = deal_records(_answers(3), None, seeded_randomness(5))
    second_answers = _answers(4)[:3]
    second = deal_records(second_answers, None, seeded_randomness(6))
    newer = {0: 1, 1: 1, 2: 1}
    outcomes = _close(
        listed_shares(first[0]) + listed_shares(second[0], newer),
        listed_shares(first[1]) + listed_shares(second[1], newer),
    )
    rebuilt = outcomes[0].records.low_bits ^ outcomes[1].records.low_bits
    assert (rebuilt == second_answers).all()


def test_a_party_cannot_leave_out_a_record_it_signed_a_receipt_for() -> None:
    modeler, regulator = deal_records(_answers(3), None, seeded_randomness(5))
    receipts = {item.entry for item in listed_shares(modeler)}
    with pytest.raises(ProtocolViolationError) as caught:
        _close(listed_shares(modeler)[1:], listed_shares(regulator), (set(), receipts))
    assert caught.value.code == "RECEIPT_WITHDRAWN"


def test_parties_that_close_different_cohorts_close_none() -> None:
    modeler, regulator = map(listed_shares, deal_records(_answers(4), None, seeded_randomness(5)))
    other = replace(_LAYOUT, config_digest=b"\x03" * 32)
    parts = {role: MemoryPart() for role in Role}
    with pytest.raises(ProtocolViolationError) as caught:
        run_protocol(
            lambda ctx: run_closing(ctx, _LAYOUT, modeler, set(), _terms(ctx, parts)),
            lambda ctx: run_closing(ctx, other, regulator, set(), _terms(ctx, parts)),
        )
    assert caught.value.code == "LISTS_DIFFER"
    assert not any(part.part for part in parts.values())


def _terms(ctx: JobContext, parts: dict[Role, MemoryPart]) -> ClosingTerms:
    return closing_terms(ctx.role, parts[ctx.role])


@pytest.mark.parametrize("garbler", Role)
def test_nobody_can_call_a_valid_row_invalid(
    garbler: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An evaluator that swaps a label's colour holds another outcome, and another label."""
    modeler, regulator = map(listed_shares, deal_records(_answers(4), None, seeded_randomness(5)))
    honest = one_run._evaluate_block

    def lying(session: EvaluatorSession, *args: Any) -> NDArray[np.uint64]:
        labels = honest(session, *args)
        if session.takes is OTDirection.sent_by(garbler):
            labels[0, 0] ^= np.uint64(1)
        return labels

    monkeypatch.setattr(one_run, "_evaluate_block", lying)
    with pytest.raises(ClosingDisagreedError):
        _close(modeler, regulator)


def test_a_cohort_of_nobody_valid_is_an_outcome_that_both_agree_on() -> None:
    """Whoever raised before the equality would tell what it had evaluated."""
    answers = np.zeros((3, 7), dtype=np.uint8)
    modeler, regulator = deal_records(answers, None, seeded_randomness(5))
    for outcome in _close(listed_shares(modeler), listed_shares(regulator)):
        assert (len(outcome.records), outcome.n_invalid) == (0, 3)


def test_an_empty_cohort_is_refused_by_name() -> None:
    with pytest.raises(UsageError) as caught:
        _close([], [])
    assert caught.value.code == "NO_RECORDS"


def test_a_record_list_that_is_unsorted_broken_or_repeats_is_refused() -> None:
    entries = [(bytes([i]) * 16, 0, bytes(32)) for i in range(3)]
    good = encode_entries(entries)
    assert decode_entries(good) == set(entries)
    for bad in (good[:-1], good[52:] + good[:52], good + good[-52:]):
        with pytest.raises(DecodeError):
            decode_entries(bad)


@pytest.mark.parametrize("counts", [(2,), (3,), (5,), (3, 2)])
def test_the_validity_circuit_equals_its_oracle_on_every_row(counts: tuple[int, ...]) -> None:
    rows = np.array(list(itertools.product((0, 1), repeat=sum(counts))), dtype=np.uint8)
    circuit = validity_circuit(counts)
    expected = [is_one_hot(counts, list(row)) for row in rows]
    assert circuit.evaluate(rows)[:, 0].tolist() == expected
    assert circuit.n_ands <= sum(2 * count for count in counts)
