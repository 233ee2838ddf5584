"""What the parties say of their ledgers, damaged: a typed error, or the list that was said."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.policies.questions import parse_question
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import DecodeError, PeerError, UsageError
from mpc_engine.party.ledger.agreement import LedgerView, compare_ledgers, receive_answer
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.transport.channel import StreamChannel
from mpc_engine.vocabulary.runs import QuestionOutcome
from tests.engine.hostile.mutations import (
    damaged,
    damaged_json,
    fuzzing,
    json_text,
    read_or_refuse,
)
from tests.engine.hostile.specimens import ID, QUESTION

_NOTHING = LedgerView(None, None, None, is_proved=False, is_paid=False)
_VIEW = LedgerView(
    QUESTION, QuestionOutcome.ABORTED, {"verdict": "PASS"}, is_proved=True, is_paid=True
)


def _said(payload: bytes, tag: PartyTag) -> tuple[StreamChannel, StreamChannel]:
    own, peer = memory_channel_pair(timeout_s=5.0)
    peer.send(tag, payload)
    return own, peer


def _true_view() -> bytes:
    own, peer = _said(b"{}", PartyTag.LEDGER)
    read_or_refuse(lambda: compare_ledgers(own, ID, _VIEW))
    return peer.recv(PartyTag.LEDGER)


_TRUE = _true_view()
_ANSWER = b'{"verdict":"PASS"}'


def _either(valid: bytes) -> st.SearchStrategy[bytes]:
    return damaged(valid, [_TRUE, QUESTION.text.encode()]) | damaged_json(json.loads(valid)).map(
        lambda value: json_text(value).encode("utf-8", "surrogatepass")
    )


@pytest.mark.slow
@fuzzing(150)
@given(_either(_TRUE))
def test_a_damaged_ledger_ends_typed_or_is_the_one_that_was_said(view: bytes) -> None:
    own, _ = _said(view, PartyTag.LEDGER)
    compared = read_or_refuse(lambda: compare_ledgers(own, ID, _NOTHING), PeerError)
    if compared is not None:
        peer, missing = compared
        stated = json.loads(view)
        assert stated["last"] == ("" if peer.last is None else peer.last.text)
        assert missing is None or (missing.number, missing.previous) == (1, bytes(32))
        assert missing is None or stated["outcome"] == "ABORTED"


@pytest.mark.slow
@fuzzing(150)
@given(_either(QUESTION.text.encode()))
def test_a_damaged_entry_ends_typed_or_is_another_entry(text: bytes) -> None:
    entry = read_or_refuse(
        lambda: parse_question(text.decode("utf-8", "surrogateescape")), UsageError, DecodeError
    )
    if entry is not None:
        assert entry.text.encode() == text
        assert (entry.digest == QUESTION.digest) == (text == QUESTION.text.encode())


@fuzzing(100)
@given(_either(_ANSWER))
def test_a_damaged_answer_on_record_is_not_taken(answer: bytes) -> None:
    own, _ = _said(answer, PartyTag.RECORDED_ANSWER)
    taken = read_or_refuse(lambda: receive_answer(own, sha256(_ANSWER)), DecodeError)
    assert taken is None or answer == _ANSWER
