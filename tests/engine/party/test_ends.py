"""Jobs whose line is cut at the end: delivered again or begun afresh, and charged once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import DisputedError
from mpc_engine.party.jobs import certification as certification_module
from mpc_engine.party.jobs.ends import DELIVERY_LIMIT, Ends, close_overdue
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.protocols.certification import ending as certification_ending
from mpc_engine.protocols.ending import regulator as regulators_end
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from tests.engine.party.cut_lines import cut_line, end_states
from tests.engine.party.heard import Heard
from tests.engine.party.stories import (
    MODEL_ID,
    Reports,
    certify,
    close,
    compile_kernels,
    hand_in,
)
from tests.engine.party.world import World

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

M, R = Role.MODELER, Role.REGULATOR
_OTHER_MODEL = b"o" * 16
_N_PEOPLE = 60


@pytest.fixture
def closed(world: World) -> tuple[Configuration, bytes]:
    """Return a closed study with a model that passes, and its record set.

    The first feature tells people's first group but of twelve of them, so that a model which looks
    at it does not pass.
    """
    compile_kernels()
    for party in world.parties.values():
        party.config = replace(party.config, receive_limit_s=5, max_attempts=9)
    study = world.open_study(n_invited=_N_PEOPLE, question_bits_limit=8)
    for number in range(_N_PEOPLE):
        tells = (number % 2 == 1) != (number < 12)
        features = (1792 * tells, 512 * (number // (_N_PEOPLE // 2)))
        answers = (number % 2, number % 3)
        world.submit(study, world.answer(study, number, answers=answers, features=features))
    outcome = close(world, study, PRODUCTION)[M].object("outcome")
    record_set = bytes.fromhex(str(outcome["record_set"]))
    hand_in(world, study, MODEL_ID, "0", "0.001", intercept="-1")
    return study, record_set


def _kinds(reports: Reports) -> set[str]:
    return {report.kind for report in reports.values()}


def _code(report: Heard) -> str:
    return report.text("code")


def _questions(world: World, role: Role) -> list[tuple[str, int]]:
    """Return outcome and charge of every question that a party counted."""
    with world.parties[role].database.reading() as connection:
        rows = connection.execute("SELECT outcome, millibits FROM questions ORDER BY number")
        return [(row["outcome"], row["millibits"]) for row in rows.fetchall()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "cut",
    [ProtocolTag.DECODING_OPENING, ProtocolTag.LABELS_OPENING],
    ids=lambda tag: tag.name,
)
def test_an_opened_certification_is_delivered_again_and_charged_once(
    world: World, closed: tuple[Configuration, bytes], cut: ProtocolTag
) -> None:
    """Also where the limit has no room for a second charge."""
    study, record_set = closed
    first: list[tuple[int, bytes]] = []
    with cut_line(cut, first):
        assert _kinds(certify(world, study, record_set, PRODUCTION)) == {"job_failed"}
    assert end_states(world, R) == ["KEPT"]
    again: list[tuple[int, bytes]] = []
    with cut_line(ProtocolTag.SESSION_NONCE, again):
        reports = certify(world, study, record_set, PRODUCTION, attempt=1)
    assert _kinds(reports) == {"job_result"}
    assert {report.object("outcome")["verdict"] for report in reports.values()} == {"PASS"}
    assert [number for number, _ in again if number < 0x400] == [
        ProtocolTag.DECODING_OPENING,
        ProtocolTag.LABELS_OPENING,
    ]
    assert set(first[-1:]) <= set(again)
    for role in Role:
        ((outcome, charge),) = _questions(world, role)
        assert (outcome, charge > 0) == ("PASS", True)
    assert end_states(world, R) == ["ANSWERED"]
    assert end_states(world, M) == ["ANSWERING"]
    for role in Role:
        ((sealed, answer),) = world.rows(role, "SELECT sealed, answer FROM ends")
        assert not sealed, "an end that nobody needs again is kept"
        assert not answer


@pytest.mark.slow
def test_another_job_for_the_same_question_delivers_it_too(
    world: World, closed: tuple[Configuration, bytes]
) -> None:
    study, record_set = closed
    with cut_line(ProtocolTag.LABELS_OPENING):
        certify(world, study, record_set, PRODUCTION)
    reports = certify(world, study, record_set, PRODUCTION, job_id=b"d" * 16)
    assert _kinds(reports) == {"job_result"}
    assert len(_questions(world, R)) == 1


@pytest.mark.slow
def test_no_other_question_is_asked_of_people_while_one_is_opened(
    world: World, closed: tuple[Configuration, bytes]
) -> None:
    study, record_set = closed
    hand_in(world, study, _OTHER_MODEL, "0.001", "0")
    with cut_line(ProtocolTag.DECODING_OPENING):
        certify(world, study, record_set, PRODUCTION)
    reports = certify(world, study, record_set, PRODUCTION, model_id=_OTHER_MODEL, job_id=b"d" * 16)
    assert _code(reports[R]) == "END_UNDELIVERED"
    assert len(_questions(world, R)) == 1


@pytest.mark.slow
def test_a_line_cut_before_the_bits_are_opened_leaves_a_fresh_session(
    world: World, closed: tuple[Configuration, bytes]
) -> None:
    study, record_set = closed
    for party in world.parties.values():
        party.config = replace(party.config, question_bits_limit=100)
    with cut_line(ProtocolTag.PROOF_OPENING):
        certify(world, study, record_set, PRODUCTION)
    assert end_states(world, M) == ["KEPT"]
    assert end_states(world, R) == []
    nonces: list[tuple[int, bytes]] = []
    with cut_line(ProtocolTag.AGREED_RECORDS, nonces):
        reports = certify(world, study, record_set, PRODUCTION, attempt=1)
    assert _kinds(reports) == {"job_result"}
    assert ProtocolTag.OUTPUT_PROMISES in {number for number, _ in nonces}


@pytest.mark.slow
def test_of_two_jobs_at_once_one_opens_its_question(
    world: World, closed: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one was let in before the first one had opened anything."""
    study, record_set = closed
    hand_in(world, study, _OTHER_MODEL, "0.001", "0")
    with cut_line(ProtocolTag.DECODING_OPENING):
        certify(world, study, record_set, PRODUCTION)
    monkeypatch.setattr(Ends, "require_open", lambda self: None)
    reports = certify(world, study, record_set, PRODUCTION, model_id=_OTHER_MODEL, job_id=b"d" * 16)
    assert _code(reports[R]) == "END_UNDELIVERED"
    assert end_states(world, R) == ["KEPT"]


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
def test_people_are_the_same_in_another_study_where_the_ledger_knows_them(
    world: World, closed: tuple[Configuration, bytes], known: bool
) -> None:
    study, record_set = closed
    hand_in(world, study, _OTHER_MODEL, "0.001", "0")
    with cut_line(ProtocolTag.DECODING_OPENING):
        certify(world, study, record_set, PRODUCTION)
    elsewhere = (b"e" * 16, b"f" * 32)
    with world.parties[R].database.transaction() as connection:
        connection.execute("UPDATE ends SET study_id = ?, about = ?", elsewhere)
        if known:
            connection.execute(
                "INSERT INTO same_people (study_id, other_study, other_cohort) VALUES (?, ?, ?)",
                (study.study_id, *elsewhere),
            )
    reports = certify(world, study, record_set, PRODUCTION, model_id=_OTHER_MODEL, job_id=b"d" * 16)
    assert reports[R].kind == ("job_failed" if known else "job_result")
    assert not known or _code(reports[R]) == "END_UNDELIVERED"


@pytest.mark.slow
def test_a_verdict_that_only_the_regulator_recorded_is_delivered_and_not_asked_anew(
    world: World, closed: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The modeler's party died between its answer and its record."""
    study, record_set = closed
    hand_in(world, study, _OTHER_MODEL, "0.5", "0", intercept="-1")
    honest = Ends.note_answered

    def dying(self: Ends, *args: Any, **options: Any) -> None:
        if self._run.party.role is M:
            raise OSError("power cut")
        honest(self, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Ends, "note_answered", dying)
        reports = certify(world, study, record_set, PRODUCTION, model_id=_OTHER_MODEL)
    assert [reports[role].kind for role in (M, R)] == ["job_failed", "job_result"]
    assert reports[R].object("outcome")["verdict"] == "FAIL"
    again: list[tuple[int, bytes]] = []
    with cut_line(ProtocolTag.SESSION_NONCE, again):
        reports = certify(world, study, record_set, PRODUCTION, attempt=1, model_id=_OTHER_MODEL)
    assert {report.object("outcome")["verdict"] for report in reports.values()} == {"FAIL"}
    assert ProtocolTag.OUTPUT_PROMISES not in {number for number, _ in again}
    for role in Role:
        assert [outcome for outcome, _ in _questions(world, role)] == ["FAIL"]


@pytest.mark.slow
def test_a_modeler_that_says_it_has_no_answer_gets_no_other_one(
    world: World, closed: tuple[Configuration, bytes]
) -> None:
    study, record_set = closed
    hand_in(world, study, _OTHER_MODEL, "0.5", "0", intercept="-1")
    certify(world, study, record_set, PRODUCTION, model_id=_OTHER_MODEL)
    with world.parties[M].database.transaction() as connection:
        connection.execute("DELETE FROM ends")
        connection.execute("UPDATE questions SET answer = NULL, outcome = 'ABORTED'")
    reports = certify(world, study, record_set, PRODUCTION, attempt=1, model_id=_OTHER_MODEL)
    assert _code(reports[R]) == "END_MISSING"
    assert [outcome for outcome, _ in _questions(world, R)] == ["FAIL"]


@pytest.mark.slow
@pytest.mark.parametrize("lost", [R, M])
def test_a_question_whose_end_one_party_lost_is_not_asked_anew(
    world: World, closed: tuple[Configuration, bytes], lost: Role
) -> None:
    study, record_set = closed
    for party in world.parties.values():
        party.config = replace(party.config, question_bits_limit=100)
    with cut_line(ProtocolTag.LABELS_OPENING):
        certify(world, study, record_set, PRODUCTION)
    with world.parties[lost].database.transaction() as connection:
        connection.execute("DELETE FROM ends")
    reports = certify(world, study, record_set, PRODUCTION, attempt=1)
    assert _kinds(reports) == {"job_failed"}
    assert _code(reports[lost.peer]) == "END_MISSING"
    assert len(_questions(world, lost.peer)) == 1, "a fresh session began"


@pytest.mark.slow
def test_a_refusal_is_final_and_counts(
    world: World, closed: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    study, record_set = closed

    def refusing(*args: object) -> None:
        raise DisputedError("No.", code="OUTCOME_IMPLAUSIBLE")

    with monkeypatch.context() as patch:
        patch.setattr(certification_ending, "require_plausible", refusing)
        reports = certify(world, study, record_set, PRODUCTION)
    assert {role: _code(report) for role, report in reports.items()} == {
        M: "OUTCOME_IMPLAUSIBLE",
        R: "REFUSED",
    }
    for role in Role:
        ((outcome, charge),) = _questions(world, role)
        assert (outcome, charge > 0) == ("REFUSED", True)
    again = certify(world, study, record_set, PRODUCTION, attempt=1)
    assert _code(again[R]) == "REFUSED"
    assert len(_questions(world, R)) == 1


@pytest.mark.slow
def test_a_refusal_that_was_lost_is_sent_again(
    world: World, closed: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    study, record_set = closed

    def refusing(*args: object) -> None:
        raise DisputedError("No.", code="OUTCOME_IMPLAUSIBLE")

    with monkeypatch.context() as patch, cut_line(ProtocolTag.LABELS_OPENING):
        patch.setattr(certification_ending, "require_plausible", refusing)
        certify(world, study, record_set, PRODUCTION)
    assert (end_states(world, M), end_states(world, R)) == (["REFUSED"], ["KEPT"])
    reports = certify(world, study, record_set, PRODUCTION, attempt=1)
    assert {role: _code(report) for role, report in reports.items()} == {
        M: "OUTCOME_IMPLAUSIBLE",
        R: "REFUSED",
    }
    for role in Role:
        assert [outcome for outcome, _ in _questions(world, role)] == ["REFUSED"]


def test_a_dispute_is_told_and_leaves_a_fresh_session(
    world: World, closed: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    study, record_set = closed
    honest = regulators_end.make_promises

    with monkeypatch.context() as patch:
        patch.setattr(regulators_end, "make_promises", lambda *args: honest(*args) ^ 1)
        reports = certify(world, study, record_set, PRODUCTION)
    assert {role: _code(report) for role, report in reports.items()} == {
        M: "PROMISE_BROKEN",
        R: "PROMISE_DISPUTED",
    }
    assert end_states(world, R) == end_states(world, M) == []


@pytest.mark.slow
def test_an_answer_that_does_not_come_in_time_is_undelivered_and_blames_nobody(
    world: World, closed: tuple[Configuration, bytes]
) -> None:
    study, record_set = closed
    with cut_line(ProtocolTag.LABELS_OPENING):
        certify(world, study, record_set, PRODUCTION)
    assert close_overdue(world.parties[R]) == 0
    world.later(seconds=(DELIVERY_LIMIT + timedelta(minutes=1)).total_seconds())
    assert close_overdue(world.parties[M]) == 0
    assert close_overdue(world.parties[R]) == 1
    ((outcome, charge),) = _questions(world, R)
    assert (outcome, charge > 0) == ("UNDELIVERED", True)
    again = certify(world, study, record_set, PRODUCTION, attempt=1)
    assert _code(again[R]) == "UNDELIVERED"
    assert world.messages(R, "question")[-1].text("outcome") == "UNDELIVERED"


@pytest.mark.slow
def test_the_deadline_of_an_answer_is_exact_to_the_second_and_never_early(
    world: World, closed: tuple[Configuration, bytes]
) -> None:
    """Whole seconds are kept, so that what was kept late in one is waited for no shorter."""
    study, record_set = closed
    world.later(microseconds=999_999)
    with cut_line(ProtocolTag.LABELS_OPENING):
        certify(world, study, record_set, PRODUCTION)
    world.later(seconds=DELIVERY_LIMIT.total_seconds())
    assert close_overdue(world.parties[R]) == 0
    assert end_states(world, R) == ["KEPT"]
    world.later(microseconds=1)
    assert close_overdue(world.parties[R]) == 1
    assert end_states(world, R) == ["UNDELIVERED"]


@pytest.mark.slow
def test_an_answer_of_the_last_second_counts(
    world: World, closed: tuple[Configuration, bytes]
) -> None:
    study, record_set = closed
    with cut_line(ProtocolTag.LABELS_OPENING):
        certify(world, study, record_set, PRODUCTION)
    world.later(seconds=DELIVERY_LIMIT.total_seconds())
    reports = certify(world, study, record_set, PRODUCTION, attempt=1)
    assert {report.object("outcome")["verdict"] for report in reports.values()} == {"PASS"}


@pytest.mark.slow
@pytest.mark.parametrize("model", ["passes", "fails"])
def test_an_answer_that_comes_as_its_deadline_passes_changes_nothing(
    world: World,
    closed: tuple[Configuration, bytes],
    monkeypatch: pytest.MonkeyPatch,
    model: str,
) -> None:
    study, record_set = closed
    hand_in(world, study, _OTHER_MODEL, "0.5", "0", intercept="-1")
    model_id = MODEL_ID if model == "passes" else _OTHER_MODEL
    with cut_line(ProtocolTag.LABELS_OPENING):
        certify(world, study, record_set, PRODUCTION, model_id=model_id)
    honest = certification_module.deliver_certification_as_regulator

    def late(*args: Any) -> Any:
        outcome = honest(*args)
        world.later(seconds=(DELIVERY_LIMIT + timedelta(minutes=1)).total_seconds())
        assert close_overdue(world.parties[R]) == 1
        return outcome

    monkeypatch.setattr(certification_module, "deliver_certification_as_regulator", late)
    reports = certify(world, study, record_set, PRODUCTION, attempt=1, model_id=model_id)
    assert (reports[R].kind, _code(reports[R])) == ("job_failed", "UNDELIVERED")
    assert [outcome for outcome, _ in _questions(world, R)] == ["UNDELIVERED"]
    assert world.n_rows(M, "certificates") == world.n_rows(R, "certificates") == 0
