"""Batches of challenges whose line is cut at the end: answered once, and blamed only if refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import ResourceError
from mpc_engine.party.jobs.ends import DELIVERY_LIMIT, Ends, close_overdue
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.jobs.verification import AnsweringWork
from mpc_engine.protocols.ending import modeler as modelers_end
from mpc_engine.protocols.ending import regulator as regulators_end
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.transport.channel import StreamChannel
from tests.engine.party.cut_lines import cut_line, end_states
from tests.engine.party.heard import Heard
from tests.engine.party.stories import (
    Reports,
    certified_study,
    challenge,
    compile_kernels,
    outcomes,
    verify,
)
from tests.engine.party.world import World

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

M, R = Role.MODELER, Role.REGULATOR
CASE, OTHER = b"q" * 16, b"r" * 16


def _code(report: Heard) -> str:
    return report.text("code")


def _case_outcomes(world: World) -> dict[bytes, str | None]:
    rows = world.rows(R, "SELECT challenge_id, outcome FROM challenges")
    return {row["challenge_id"]: row["outcome"] for row in rows}


def _challenged(world: World, **decisions: int) -> tuple[Configuration, bytes]:
    """Return a study and its certificate; each name's first letter is a case of that decision."""
    compile_kernels()
    study, certificate_id = certified_study(world, typed_challenge_limit=9)
    for name, decision in decisions.items():
        challenge(world, study, certificate_id, name.encode() * 16, decision=decision)
    return study, certificate_id


def test_a_disputed_challenge_blames_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_kernels()
    study, certificate_id = certified_study(world, typed_challenge_limit=1)
    challenge(world, study, certificate_id, CASE)
    honest = regulators_end.make_promises
    monkeypatch.setattr(regulators_end, "make_promises", lambda *args: honest(*args) ^ 1)
    reports = verify(world, study, certificate_id, [CASE], PRODUCTION)
    assert {report.kind for report in reports.values()} == {"job_failed"}
    assert _code(reports[R]) == "PROMISE_DISPUTED"


@pytest.mark.parametrize(
    "cut", [ProtocolTag.LABELS_CALL, ProtocolTag.LABELS_OPENING], ids=lambda tag: tag.name
)
def test_an_answer_to_a_challenge_is_delivered_again(world: World, cut: ProtocolTag) -> None:
    compile_kernels()
    study, certificate_id = certified_study(world, typed_challenge_limit=1)
    challenge(world, study, certificate_id, CASE)
    first: list[tuple[int, bytes]] = []
    with cut_line(cut, first):
        verify(world, study, certificate_id, [CASE], PRODUCTION)
    again: list[tuple[int, bytes]] = []
    with cut_line(ProtocolTag.SESSION_NONCE, again):
        reports = verify(world, study, certificate_id, [CASE], PRODUCTION, 1)
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert outcomes(reports[R]) == ["CONFIRMED"]
    assert first[-1] in again
    with world.parties[M].database.reading() as connection:
        (charged,) = connection.execute("SELECT SUM(n) FROM answered_batches").fetchone()
    assert charged == 1


def test_every_fresh_session_of_a_batch_counts_and_a_delivery_does_not(world: World) -> None:
    """Three sessions, of which the last one is opened, fill a limit of three."""
    compile_kernels()
    study, certificate_id = certified_study(world, typed_challenge_limit=3)
    challenge(world, study, certificate_id, CASE)
    cuts = [ProtocolTag.SESSION_NONCE, ProtocolTag.END_COMMITMENTS, ProtocolTag.LABELS_OPENING]
    for number, cut in enumerate(cuts):
        with cut_line(cut):
            verify(
                world, study, certificate_id, [CASE], PRODUCTION, job_id=bytes([65 + number]) * 16
            )
        rows = world.rows(M, "SELECT n FROM answered_batches")
        assert [row["n"] for row in rows] == [1] * (number + 1)
    reports = verify(world, study, certificate_id, [CASE], PRODUCTION, job_id=b"w" * 16)
    assert outcomes(reports[R]) == ["CONFIRMED"]
    assert world.n_rows(M, "answered_batches") == len(cuts)


def test_a_challenge_is_answered_in_one_batch_only(world: World) -> None:
    """A regulator that took the answer and says that the line broke asks with another batch."""
    compile_kernels()
    study, certificate_id = certified_study(world, typed_challenge_limit=9)
    for number in (CASE, OTHER):
        challenge(world, study, certificate_id, number)
    with cut_line(ProtocolTag.LABELS_OPENING):
        verify(world, study, certificate_id, [CASE], PRODUCTION)
    with world.parties[R].database.transaction() as connection:
        connection.execute("DELETE FROM ends")
    asked = [CASE, OTHER]
    reports = verify(world, study, certificate_id, asked, PRODUCTION, job_id=b"w" * 16)
    assert _code(reports[M]) == "CHALLENGE_ANSWERED"
    assert (reports[R].kind, _code(reports[R])) == ("job_failed", "PEER_REFUSED")
    assert _case_outcomes(world) == {CASE: None, OTHER: None}


def _asked_and_cut(world: World) -> tuple[Configuration, bytes]:
    """Return a study and certificate with one case, opened, whose answer was lost."""
    study, certificate_id = _challenged(world, q=1)
    with cut_line(ProtocolTag.LABELS_OPENING):
        verify(world, study, certificate_id, [CASE], PRODUCTION)
    assert (end_states(world, M), end_states(world, R)) == (["ANSWERING"], ["KEPT"])
    return study, certificate_id


def _failed_unblamed(world: World, reports: Reports, code: str) -> None:
    assert (reports[R].kind, _code(reports[R])) == ("job_failed", code)
    assert end_states(world, R) == ["KEPT"]
    assert _case_outcomes(world) == {CASE: None}


def test_a_modeler_that_lacks_something_while_it_delivers_is_not_blamed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, certificate_id = _asked_and_cut(world)

    def lacking(self: AnsweringWork) -> None:
        raise ResourceError("The disk is full.", code="DISK_FULL")

    with monkeypatch.context() as patch:
        patch.setattr(AnsweringWork, "prepare", lacking)
        _failed_unblamed(
            world, verify(world, study, certificate_id, [CASE], PRODUCTION, 1), "PEER_REFUSED"
        )
    assert outcomes(verify(world, study, certificate_id, [CASE], PRODUCTION, 2)[R]) == ["CONFIRMED"]


def test_what_the_modeler_did_not_sign_blames_nobody(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody on the line says that the modeler refused, or changes what it says."""
    study, certificate_id = _asked_and_cut(world)
    honest = StreamChannel.send

    def damaged(self: StreamChannel, number: int, payload: Any) -> None:
        if number == ProtocolTag.LABELS_OPENING:
            payload = bytes(len(payload))
        honest(self, number, payload)

    with monkeypatch.context() as patch:
        patch.setattr(StreamChannel, "send", damaged)
        reports = verify(world, study, certificate_id, [CASE], PRODUCTION, 1)
    _failed_unblamed(world, reports, "SIGNATURE_INVALID")
    assert outcomes(verify(world, study, certificate_id, [CASE], PRODUCTION, 2)[R]) == ["CONFIRMED"]


def test_a_case_of_a_batch_that_was_not_delivered_is_opened_in_no_other_one(world: World) -> None:
    study, certificate_id = _asked_and_cut(world)
    world.later(seconds=(DELIVERY_LIMIT + timedelta(minutes=1)).total_seconds())
    assert close_overdue(world.parties[R]) == 1
    ((sealed,),) = world.rows(R, "SELECT sealed FROM ends")
    assert not sealed
    challenge(world, study, certificate_id, OTHER)
    reports = verify(world, study, certificate_id, [CASE, OTHER], PRODUCTION, job_id=b"w" * 16)
    assert (reports[R].kind, _code(reports[R])) == ("job_failed", "CHALLENGE_ANSWERED")
    assert _case_outcomes(world) == {CASE: None, OTHER: None}


def test_an_answer_that_the_circuit_cannot_give_is_not_answered_and_final(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, certificate_id = _challenged(world, q=1)
    with monkeypatch.context() as patch:
        patch.setattr(modelers_end, "label_bytes", lambda labels: bytes(16 * len(labels)))
        reports = verify(world, study, certificate_id, [CASE], PRODUCTION)
    assert outcomes(reports[R]) == ["NOT_ANSWERED"]
    assert end_states(world, R) == ["REFUSED"]
    reports = verify(world, study, certificate_id, [CASE], PRODUCTION, 1)
    assert outcomes(reports[R]) == ["NOT_ANSWERED"]
    assert end_states(world, R) == ["REFUSED"]


def test_a_batch_is_the_same_in_whichever_order_it_is_asked(world: World) -> None:
    study, certificate_id = _challenged(world, q=1, r=0)
    with cut_line(ProtocolTag.LABELS_OPENING):
        verify(world, study, certificate_id, [OTHER, CASE], PRODUCTION)
    reports = verify(world, study, certificate_id, [CASE, OTHER], PRODUCTION, job_id=b"w" * 16)
    assert outcomes(reports[R]) == ["CONFIRMED", "DIFFERENT_DECISION"]
    assert _case_outcomes(world) == {CASE: "CONFIRMED", OTHER: "DIFFERENT_DECISION"}
    ((sealed,),) = world.rows(R, "SELECT sealed FROM ends")
    assert not sealed


def test_outcomes_are_told_in_the_order_that_the_job_names(world: World) -> None:
    study, certificate_id = _challenged(world, q=1, r=0)
    reports = verify(world, study, certificate_id, [OTHER, CASE], PRODUCTION)
    assert outcomes(reports[R]) == ["DIFFERENT_DECISION", "CONFIRMED"]
    assert _case_outcomes(world) == {CASE: "CONFIRMED", OTHER: "DIFFERENT_DECISION"}


def test_of_two_batches_at_once_the_modeler_answers_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The regulator's party opens both, and calls for the second answer after the first."""
    study, certificate_id = _challenged(world, q=1, r=1)
    both, regulator = [CASE, OTHER], world.parties[R].database
    with cut_line(ProtocolTag.LABELS_CALL):
        verify(world, study, certificate_id, [CASE], PRODUCTION)
    (held,) = [tuple(row) for row in world.rows(R, "SELECT * FROM ends")]
    with regulator.transaction() as connection:
        connection.execute("DELETE FROM ends")
    with cut_line(ProtocolTag.LABELS_OPENING):
        verify(world, study, certificate_id, both, PRODUCTION, job_id=b"w" * 16)
    assert sorted(end_states(world, M)) == ["ANSWERING", "KEPT"]
    with regulator.transaction() as connection:
        connection.execute("DELETE FROM ends")
        connection.execute(f"INSERT INTO ends VALUES ({', '.join('?' * len(held))})", held)
    monkeypatch.setattr(Ends, "require_open", lambda self: None)
    sent: list[tuple[int, bytes]] = []
    with cut_line(ProtocolTag.SESSION_NONCE, sent):
        reports = verify(world, study, certificate_id, [CASE], PRODUCTION, 1)
    assert _code(reports[M]) == "CHALLENGE_ANSWERED"
    assert ProtocolTag.LABELS_OPENING not in {number for number, _ in sent}
