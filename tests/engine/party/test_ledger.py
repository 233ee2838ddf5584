from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from mpc_engine.control.policies.charge import n_outcomes
from mpc_engine.control.policies.questions import NO_ENTRY, parse_question, rule_digest
from mpc_engine.party.jobs import certification as certification_module
from mpc_engine.party.jobs.attempts import abandon_attempts
from mpc_engine.roles import Role
from tests.builders.study_drafts import make_configuration, make_draft
from tests.engine.party.charges import (
    BROKEN,
    NO_PROTOCOL,
    OTHER_MODEL,
    charged,
    codes,
)
from tests.engine.party.heard import Heard
from tests.engine.party.stories import (
    MODEL_ID,
    certify,
    closed_study,
    hand_in,
    with_protocols,
)
from tests.engine.party.world import M, R, World


def told(world: World, role: Role) -> list[tuple[int, str, int, int]]:
    """Return what a party's messages say: number, outcome, bits spent and allowed."""
    return [
        (
            parse_question(message.text("entry")).number,
            message.text("outcome"),
            message.integer("spent_millibits"),
            message.integer("limit_millibits"),
        )
        for message in world.messages(role, "question")
    ]


def test_outcomes_are_counted_over_all_criteria_and_reasons() -> None:
    assert n_outcomes(make_configuration().policy) == 4 * 3 + 3
    alone = {**make_draft()["policy"], "criteria": make_draft()["policy"]["criteria"][:1]}
    assert n_outcomes(make_configuration(policy=alone).policy) == 4 + 3


def test_both_parties_write_the_same_entry_and_tell_it(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0.5", "0")
    certify(world, study, record_set)
    messages = {role: world.messages(role, "question") for role in Role}
    for role in Role:
        assert told(world, role) == [(1, "RUNNING", 3907, 64000), (1, "FAIL", 3907, 64000)]
    texts = {message.text("entry") for role in Role for message in messages[role]}
    assert len(texts) == 1
    entry = parse_question(texts.pop())
    assert (entry.cohort, entry.n_people, entry.model_id) == (record_set, 3, MODEL_ID)
    assert entry.rule == rule_digest(study.policy.to_json())
    assert entry.previous == NO_ENTRY


def test_entries_are_chained(world: World) -> None:
    study, record_set = closed_study(world)
    for number, model in enumerate((MODEL_ID, OTHER_MODEL)):
        hand_in(world, study, model, "0.5", "0")
        certify(world, study, record_set, job_id=bytes([number]) * 16, model_id=model)
    first, second = (
        parse_question(message.text("entry")) for message in world.messages(R, "question")[::2]
    )
    assert (second.number, second.previous) == (2, first.digest)


def test_a_question_is_charged_before_the_first_message_and_stays_charged(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0", "0")
    seen: list[Any] = []

    def die(ctx: Any, *_: Any) -> Any:
        seen.append((ctx.role, charged(world, ctx.role), ctx.channel.meter.messages_sent))
        raise ValueError

    certify(
        world, study, record_set, with_protocols(certify_as_modeler=die, certify_as_regulator=die)
    )
    # The hello and the comparison of ledgers are all that was sent.
    assert sorted(seen) == [(role, [(3907, "RUNNING")], 2) for role in sorted(Role)]
    for role in Role:
        assert charged(world, role) == [(3907, "ABORTED")]
        assert [row[1] for row in told(world, role)] == ["RUNNING", "ABORTED"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_killed_in_a_question_leaves_its_charge(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0", "0")

    def die(*_: Any) -> Any:
        raise SystemExit

    certify(world, study, record_set, with_protocols(certify_as_regulator=die))
    assert charged(world, R) == [(3907, "RUNNING")]
    abandon_attempts(world.parties[R])
    assert charged(world, R) == [(3907, "ABORTED")]
    assert told(world, R)[-1][:2] == (1, "ABORTED")
    assert certify(world, study, record_set, attempt=1)[R].kind == "job_result"
    assert charged(world, R) == charged(world, M) == [(3907, "ABORTED"), (3907, "PASS")]


@pytest.mark.parametrize("coefficient", ["0", "0.5"])
def test_a_repeated_question_is_answered_from_the_record(world: World, coefficient: str) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, coefficient, "0")
    first = certify(world, study, record_set)
    again = certify(world, study, record_set, NO_PROTOCOL, job_id=b"2" * 16)
    for role in Role:
        assert again[role].kind == "job_result"
        assert again[role].object("outcome") == first[role].object("outcome")
        assert len(charged(world, role)) == 1
        assert world.n_rows(role, "certificates") == (coefficient == "0")


def test_another_model_is_another_question(world: World) -> None:
    study, record_set = closed_study(world)
    for number, model in enumerate((MODEL_ID, OTHER_MODEL)):
        hand_in(world, study, model, "0.5", "0")
        certify(world, study, record_set, job_id=bytes([number]) * 16, model_id=model)
    assert charged(world, M) == charged(world, R) == [(3907, "FAIL")] * 2


def test_a_certificate_the_regulator_lost_is_taken_over_and_not_made_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0", "0")
    offer = certification_module.offer_certificate

    def die_after_the_answer(*arguments: Any) -> Any:
        offer(*arguments)
        raise OSError("power cut")

    monkeypatch.setattr(certification_module, "offer_certificate", die_after_the_answer)
    certify(world, study, record_set)
    assert (charged(world, M), charged(world, R)) == ([(3907, "PASS")], [(3907, "ABORTED")])
    reports = certify(world, study, record_set, NO_PROTOCOL, attempt=1)
    assert reports[M].object("outcome") == reports[R].object("outcome")
    assert charged(world, R) == [(3907, "PASS")]
    assert (world.n_rows(M, "certificates"), world.n_rows(R, "certificates")) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "altered",
    [
        {"certificate": "n_records"},
        {"regulator_signature": "00" * 64},
        {"modeler_signature": "00" * 64},
        {"model_id": "00" * 16},
        {"verdict": "FAIL"},
        {"thresholds": []},
    ],
)
def test_the_regulator_takes_over_no_answer_it_did_not_sign(
    world: World, monkeypatch: pytest.MonkeyPatch, altered: dict[str, Any]
) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0", "0")
    offer = certification_module.offer_certificate

    def die_after_the_answer(*arguments: Any) -> Any:
        offer(*arguments)
        raise OSError("power cut")

    monkeypatch.setattr(certification_module, "offer_certificate", die_after_the_answer)
    certify(world, study, record_set)
    with world.parties[M].database.transaction() as connection:
        answer = json.loads(connection.execute("SELECT answer FROM questions").fetchone()[0])
        if "certificate" in altered:
            text = json.loads(answer["certificate"])
            altered = {"certificate": _canonical({**text, "n_records": 4})}
        connection.execute("UPDATE questions SET answer = ?", (_canonical({**answer, **altered}),))
    reports = certify(world, study, record_set, NO_PROTOCOL, attempt=1)
    assert reports[R].kind == "job_failed"
    assert world.n_rows(R, "certificates") == 0


@pytest.mark.parametrize("lost", Role)
def test_a_question_that_one_party_has_the_answer_to_is_not_charged_anew(
    world: World, lost: Role
) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0.5", "0")
    certify(world, study, record_set)
    with world.parties[lost].database.transaction() as connection:
        connection.execute("UPDATE questions SET answer = NULL, outcome = 'ABORTED'")
    reports = certify(world, study, record_set, NO_PROTOCOL, job_id=b"2" * 16)
    assert codes(reports) == dict.fromkeys(Role, "END_MISSING")
    assert charged(world, lost.peer) == [(3907, "FAIL")]
    assert len(charged(world, lost)) == 1


def test_an_aborted_question_may_be_asked_again_and_is_charged_again(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0.5", "0")
    certify(world, study, record_set, BROKEN)
    certify(world, study, record_set, attempt=1)
    for role in Role:
        assert charged(world, role) == [(3907, "ABORTED"), (3907, "FAIL")]


def test_the_limit_of_the_study_ends_the_questions_at_both_parties(world: World) -> None:
    study, record_set = closed_study(world, question_bits_limit=8)
    hand_in(world, study, MODEL_ID, "0.5", "0")
    certify(world, study, record_set, BROKEN)
    certify(world, study, record_set, attempt=1)
    hand_in(world, study, OTHER_MODEL, "0.5", "0")
    reports = certify(world, study, record_set, NO_PROTOCOL, job_id=b"2" * 16, model_id=OTHER_MODEL)
    assert codes(reports) == dict.fromkeys(Role, "QUESTION_BITS_SPENT")
    assert "7.8 are told already, and the study allows 8 in all" in reports[R].text("sentence")
    assert all(len(charged(world, role)) == 2 for role in Role)
    # What was answered already costs nothing.
    again = certify(world, study, record_set, NO_PROTOCOL, job_id=b"3" * 16)
    assert {report.kind for report in again.values()} == {"job_result"}


def _at_most(questions: int) -> dict[str, Any]:
    return {**make_draft()["policy"], "questions": questions}


def test_past_the_number_of_models_nothing_is_asked_at_both_parties(world: World) -> None:
    study, record_set = closed_study(world, policy=_at_most(2))
    models = [bytes([number]) * 16 for number in range(1, 4)]
    for model in models:
        hand_in(world, study, model, "0.5", "0")
    certify(world, study, record_set, job_id=models[0], model_id=models[0])
    certify(world, study, record_set, BROKEN, job_id=models[1], model_id=models[1])
    third: dict[str, Any] = {"job_id": models[2], "model_id": models[2]}
    reports = certify(world, study, record_set, NO_PROTOCOL, **third)
    assert codes(reports) == dict.fromkeys(Role, "QUESTIONS_SPENT")
    assert "2, and 2 are allowed" in reports[R].text("sentence")
    # The one that broke was charged, so that another attempt at it is no other question.
    again = certify(world, study, record_set, attempt=1, job_id=models[1], model_id=models[1])
    assert {report.kind for report in again.values()} == {"job_result"}
    reports = certify(world, study, record_set, NO_PROTOCOL, attempt=1, **third)
    assert codes(reports) == dict.fromkeys(Role, "QUESTIONS_SPENT")
    for role in Role:
        assert charged(world, role) == [(3907, "FAIL"), (3907, "ABORTED"), (3907, "FAIL")]


@pytest.mark.parametrize("outcome", ["ABORTED", "REFUSED", "UNDELIVERED"])
def test_a_question_counts_whatever_became_of_it(world: World, outcome: str) -> None:
    study, record_set = closed_study(world, policy=_at_most(1))
    for model in (MODEL_ID, OTHER_MODEL):
        hand_in(world, study, model, "0.5", "0")
    certify(world, study, record_set, BROKEN)
    for party in world.parties.values():
        with party.database.transaction() as connection:
            connection.execute("UPDATE questions SET outcome = ?", (outcome,))
    reports = certify(world, study, record_set, NO_PROTOCOL, job_id=b"2" * 16, model_id=OTHER_MODEL)
    assert codes(reports) == dict.fromkeys(Role, "QUESTIONS_SPENT")


def test_an_operator_may_allow_less_than_the_study(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0.5", "0")
    party = world.parties[R]
    world.parties[R] = replace(party, config=replace(party.config, question_bits_limit=3))
    reports = certify(world, study, record_set, NO_PROTOCOL)
    assert codes(reports) == {M: "PEER_REFUSED", R: "PARTY_BITS_SPENT"}
    said = reports[R].text("sentence")
    for words in ("tell 3.9 bits", "regulator's party allows 3 in all", "question_bits_limit"):
        assert words in said
    assert charged(world, M) == charged(world, R) == []


def test_an_operator_cannot_allow_more_than_the_study(world: World) -> None:
    study, record_set = closed_study(world, question_bits_limit=8)
    for role, party in world.parties.items():
        world.parties[role] = replace(party, config=replace(party.config, question_bits_limit=999))
    for number in range(3):
        model = bytes([number + 1]) * 16
        hand_in(world, study, model, "0.5", "0")
        reports = certify(world, study, record_set, job_id=model, model_id=model)
    assert codes(reports) == dict.fromkeys(Role, "QUESTION_BITS_SPENT")


def _snapshot(world: World, role: Role) -> None:
    database = world.parties[role].database
    with closing(sqlite3.connect(database.path)) as connection:
        connection.execute("VACUUM INTO ?", (str(database.path.with_suffix(".old")),))


def _restore(world: World, role: Role) -> None:
    world.parties[role].database.close()
    path = world.parties[role].database.path
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.with_suffix(".old").replace(path)
    world.parties[role].database.create()


@pytest.mark.parametrize("role", Role)
def test_a_ledger_that_was_set_back_is_refused_at_both_parties(world: World, role: Role) -> None:
    study, record_set = closed_study(world)
    for model in (MODEL_ID, OTHER_MODEL):
        hand_in(world, study, model, "0.5", "0")
    _snapshot(world, role)
    certify(world, study, record_set)
    _restore(world, role)
    assert charged(world, role) == []
    reports = certify(world, study, record_set, NO_PROTOCOL, job_id=b"2" * 16, model_id=OTHER_MODEL)
    assert codes(reports) == dict.fromkeys(Role, "LEDGER_DIFFERENT")


def test_an_altered_entry_is_refused_at_both_parties(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0.5", "0")
    certify(world, study, record_set)
    with world.parties[M].database.transaction() as connection:
        (text,) = connection.execute("SELECT entry FROM questions").fetchone()
        cheaper = replace(parse_question(text), millibits=1)
        connection.execute("UPDATE questions SET entry = ?, millibits = 1", (cheaper.text,))
    reports = certify(world, study, record_set, NO_PROTOCOL, job_id=b"2" * 16)
    assert codes(reports) == dict.fromkeys(Role, "LEDGER_DIFFERENT")


def test_parties_with_different_answers_on_record_stop(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0.5", "0")
    certify(world, study, record_set)
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE questions SET answer = '{}'")
    reports = certify(world, study, record_set, NO_PROTOCOL, job_id=b"2" * 16)
    assert codes(reports) == dict.fromkeys(Role, "ANSWERS_DIFFERENT")


def test_messages_say_nothing_of_the_model(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0.015625", "0")
    certify(world, study, record_set)
    messages: list[Heard] = [m for role in Role for m in world.messages(role, "question")]
    assert messages
    for message in messages:
        assert set(json.loads(message.text("entry"))) == {
            *("format", "study_id", "kind", "job_id", "attempt", "cohort", "n_people"),
            *("rule", "model_id", "millibits", "number", "previous"),
        }


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
