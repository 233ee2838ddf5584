"""A party that died before its charge takes over the other's entry: what it meant to ask alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mpc_engine.control.policies.questions import MAX_MILLIBITS, parse_question
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import PeerError
from mpc_engine.party.ledger import asking, entries
from mpc_engine.party.ledger.asking import Asking
from mpc_engine.party.studies.closing_states import ClosingState, end_closing
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import QuestionKind
from tests.builders.study_drafts import make_draft
from tests.engine.party.charges import BROKEN, NO_PROTOCOL, OTHER_MODEL, charged, codes
from tests.engine.party.stories import MODEL_ID, Reports, certify, closed_study, hand_in
from tests.engine.party.world import M, R, World


def _certify_dying_before_the_charge(
    world: World, monkeypatch: pytest.MonkeyPatch, role: Role, questions: int = 2
) -> tuple[Configuration, bytes]:
    """Return a study whose first certification only the peer of ``role`` charged."""
    policy = {**make_draft()["policy"], "questions": questions}
    study, record_set = closed_study(world, policy=policy)
    hand_in(world, study, MODEL_ID, "0", "0")
    charge = Asking._charge

    def die(self: Asking, n_before: int, *, is_paid: bool) -> None:
        if self._party.role is role:
            raise OSError("power cut")
        charge(self, n_before, is_paid=is_paid)

    with monkeypatch.context() as patch:
        patch.setattr(Asking, "_charge", die)
        certify(world, study, record_set)
    assert (charged(world, role), charged(world, role.peer)) == ([], [(3907, "ABORTED")])
    return study, record_set


@pytest.mark.parametrize("role", Role)
def test_a_party_that_died_before_its_charge_takes_over_the_others(
    world: World, monkeypatch: pytest.MonkeyPatch, role: Role
) -> None:
    study, record_set = _certify_dying_before_the_charge(world, monkeypatch, role, questions=1)
    assert certify(world, study, record_set, attempt=1)[role].kind == "job_result"
    assert charged(world, role) == charged(world, role.peer)
    assert charged(world, role) == [(3907, "ABORTED"), (3907, "PASS")]


def test_an_entry_of_another_job_is_taken_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, record_set = _certify_dying_before_the_charge(world, monkeypatch, R)
    hand_in(world, study, OTHER_MODEL, "0.5", "0")
    reports = certify(world, study, record_set, job_id=b"2" * 16, model_id=OTHER_MODEL)
    assert reports[R].kind == "job_result"
    assert charged(world, R) == charged(world, M) == [(3907, "ABORTED"), (3907, "FAIL")]


@pytest.mark.parametrize(
    "altered",
    [
        {"millibits": MAX_MILLIBITS},
        {"millibits": 4001},
        {"millibits": 0},
        {"cohort": bytes(32)},
        {"n_people": 4},
        {"rule": bytes(32)},
        {"model_id": OTHER_MODEL},
        {"kind": QuestionKind.TRAINING},
        {"attempt": 1},
    ],
)
def test_no_other_question_or_charge_than_the_own_is_taken_over(
    world: World, monkeypatch: pytest.MonkeyPatch, altered: dict[str, Any]
) -> None:
    study, record_set = _certify_dying_before_the_charge(world, monkeypatch, R)
    with world.parties[M].database.transaction() as connection:
        (text,) = connection.execute("SELECT entry FROM questions").fetchone()
        entry = replace(parse_question(text), **altered)
        connection.execute("UPDATE questions SET entry = ?", (entry.text,))
    reports = certify(world, study, record_set, NO_PROTOCOL, attempt=1)
    assert codes(reports)[R] == "LEDGER_DIFFERENT"
    assert charged(world, R) == []


def test_what_was_refused_before_its_charge_is_forgotten_once_both_counted_alike(
    world: World,
) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0.5", "0")
    party = world.parties[R]
    world.parties[R] = replace(party, config=replace(party.config, question_bits_limit=3))
    assert codes(certify(world, study, record_set, NO_PROTOCOL))[R] == "PARTY_BITS_SPENT"
    assert (world.n_rows(M, "prepared_questions"), world.n_rows(R, "prepared_questions")) == (1, 0)
    world.parties[R] = party
    assert certify(world, study, record_set, attempt=1)[R].kind == "job_result"
    assert (world.n_rows(M, "prepared_questions"), world.n_rows(R, "prepared_questions")) == (0, 0)


def test_an_entry_of_an_attempt_that_never_began_here_is_not_taken_over(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0.5", "0")
    certify(world, study, record_set, BROKEN)
    with world.parties[R].database.transaction() as connection:
        connection.execute("DELETE FROM questions")
        connection.execute("DELETE FROM attempts WHERE kind = 'certification'")
    reports = certify(world, study, record_set, NO_PROTOCOL, job_id=b"2" * 16)
    assert codes(reports)[R] == "LEDGER_DIFFERENT"
    assert charged(world, R) == []


@pytest.mark.parametrize("charged_by", ["_charge", "_take_entry"])
def test_nothing_is_charged_to_a_cohort_that_was_ended_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch, charged_by: str
) -> None:
    """The modeler's word ends it after the regulator's party has looked, and before the charge."""
    if charged_by == "_take_entry":
        study, record_set = _certify_dying_before_the_charge(world, monkeypatch, R)
    else:
        study, record_set = closed_study(world)
        hand_in(world, study, MODEL_ID, "0", "0")
    charge = getattr(Asking, charged_by)

    def end_before(self: Asking, *told: Any, **paid: Any) -> None:
        if self._party.role is R:
            with self._party.database.transaction() as connection:
                states = (ClosingState.AGREED, ClosingState.UNFINISHED)
                end_closing(connection, R, study.study_id, *states)
        charge(self, *told, **paid)

    monkeypatch.setattr(Asking, charged_by, end_before)
    reports = certify(world, study, record_set, attempt=1)
    assert codes(reports)[R] == "STUDY_NOT_CLOSED"
    assert charged(world, R) == []


def test_an_entry_that_was_taken_over_lets_nobody_ask_past_the_number(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A modeler begins two questions where one is allowed, and says later that it charged both."""
    policy = {**make_draft()["policy"], "questions": 1}
    study, record_set = closed_study(world, policy=policy)
    for model_id in (MODEL_ID, OTHER_MODEL):
        hand_in(world, study, model_id, "0.5", "0")
    check = Asking._check_number

    def unlimited(self: Asking, *args: Any) -> None:
        if self._party.role is R:
            check(self, *args)

    monkeypatch.setattr(Asking, "_check_number", unlimited)

    def lost(*_: Any) -> Any:
        raise PeerError("The line broke.", code="PEER_LOST")

    def ask(model_id: bytes, attempt: int) -> Reports:
        return certify(
            world, study, record_set, attempt=attempt, job_id=model_id, model_id=model_id
        )

    def say_charged(model_id: bytes) -> None:
        with world.parties[R].database.reading() as connection:
            (text,) = connection.execute(
                "SELECT entry FROM prepared_questions WHERE model_id = ?", (model_id,)
            ).fetchone()
        with world.parties[M].database.transaction() as connection:
            number, digest = entries.head(entries.last_entry(connection, study.study_id))
            entry = replace(parse_question(text), number=number + 1, previous=digest)
            entries.insert_entry(world.parties[M], connection, entry, taken_over=True)

    with monkeypatch.context() as patch:
        patch.setattr(asking, "compare_ledgers", lost)
        for model_id in (MODEL_ID, OTHER_MODEL):
            ask(model_id, 0)
    say_charged(MODEL_ID)
    assert ask(MODEL_ID, 1)[R].kind == "job_result"
    say_charged(OTHER_MODEL)
    assert ask(MODEL_ID, 2)[R].kind == "job_result"
    assert codes(ask(OTHER_MODEL, 1))[R] == "QUESTIONS_SPENT"
    assert [outcome for _, outcome in charged(world, R)] == ["ABORTED", "FAIL", "ABORTED"]
