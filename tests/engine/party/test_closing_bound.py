"""Closings of which a run may be settled still: what binds either party until it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from mpc_engine.control.post.exchanges.about_jobs import RunJob
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.approvals import sign_approval
from mpc_engine.control.texts.fields import format_time
from mpc_engine.errors import BusyError, ChannelClosedError
from mpc_engine.party.jobs import runner
from mpc_engine.party.jobs.attempts import abandon_attempt, begin_attempt, require_running
from mpc_engine.party.jobs.closing_parts import ClosingParts
from mpc_engine.party.studies.closing_states import (
    OPENING_LIMIT,
    PART_PLACE,
    end_overdue_closings,
)
from mpc_engine.party.studies.known_study import StudyState, load_study
from mpc_engine.protocols.closing.equality import KeptPart
from mpc_engine.protocols.closing.protocol import ClosingOutcome
from mpc_engine.protocols.keeping import ClosingTerms
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind
from tests.engine.party import plain_protocols
from tests.engine.party.cut_lines import cut_line
from tests.engine.party.stories import Reports, close, closing_spec, closing_to, with_protocols
from tests.engine.party.world import World, submission

M, R = Role.MODELER, Role.REGULATOR
COMMITMENT, OPENING = ProtocolTag.CLOSING_COMMITMENT, ProtocolTag.CLOSING_OPENING


@pytest.fixture
def study(world: World) -> Configuration:
    """Return an open study in which two people answered."""
    study = world.open_study(n_invited=4)
    for number in range(2):
        world.submit(study, world.answer(study, number))
    return study


def _codes(reports: Reports) -> dict[Role, str]:
    return {
        role: "" if report.kind == "job_result" else report.text("code")
        for role, report in reports.items()
    }


def _states(world: World) -> dict[Role, str]:
    rows = {role: world.rows(role, "SELECT state FROM closings") for role in Role}
    return {role: found[0]["state"] if found else "" for role, found in rows.items()}


def _state(world: World, study: Configuration, role: Role) -> StudyState:
    return load_study(world.parties[role], study.study_id).state


def _answer(world: World, study: Configuration, number: int, role: Role) -> str:
    return world.order(
        role, "submission", submission(study, world.answer(study, number), role)
    ).kind


@contextmanager
def _cut_at_the_lists() -> Iterator[None]:
    def cut(*_: Any) -> Any:
        raise ChannelClosedError("cut")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_protocols, "agree", cut)
        yield


def test_no_old_run_is_settled_after_the_regulator_took_an_answer(
    world: World, study: Configuration
) -> None:
    """The modeler would open the run of before the third answer, and drop who gave it."""
    with cut_line(COMMITMENT, nth=2):
        close(world, study)
    old = world.rows(M, "SELECT run FROM closings")[0]
    assert _answer(world, study, 2, R) == "submission_refused", "an answer between two runs"
    with _cut_at_the_lists():
        close(world, study, attempt=1)
    assert _states(world)[R] == ""
    both = world.submit(study, world.answer(study, 2))
    assert [report.kind for report in both] == ["receipt", "receipt"]
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE closings SET state = 'OPENED'")
    assert world.rows(M, "SELECT run FROM closings")[0] == old
    codes = _codes(close(world, study, attempt=2))
    assert codes[R] != ""
    assert _state(world, study, R) is StudyState.OPEN
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE closings SET state = 'KEPT'")
    reports = close(world, study, attempt=3)
    assert reports[R].object("outcome")["n_records"] == 3


def test_the_regulator_takes_no_answer_while_the_modeler_may_have_opened(
    world: World, study: Configuration
) -> None:
    with cut_line(OPENING):
        close(world, study)
    with cut_line(OPENING):
        assert set(_codes(close(world, study, attempt=1)).values()) == {"CLOSING_WAITS"}
    assert {_answer(world, study, 2, role) for role in Role} == {"submission_refused"}
    assert _codes(close(world, study, attempt=2)) == {M: "", R: ""}


def test_the_regulator_decides_before_its_opening_leaves(
    world: World, study: Configuration
) -> None:
    values = {M: b"m" * 32, R: b"r" * 32}

    def differing(ctx: Any, layout: Any, held: Any, receipts: Any, terms: Any) -> Any:
        value = values[ctx.role]
        return plain_protocols.run_closing(ctx, layout, held, receipts, terms, value)

    with cut_line(OPENING, nth=2):
        codes = _codes(close(world, study, with_protocols(run_closing=differing)))
    assert codes == {M: "CLOSING_WAITS", R: "CLOSING_DISAGREED"}
    assert _states(world) == {M: "OPENED", R: "DISAGREED"}
    assert world.n_rows(R, "shares") == 0
    with pytest.raises(Exception, match="read"):
        world.parties[R].keys.study_key(study.study_id, study.party(R).key_id)


def test_an_opening_that_comes_after_the_deadline_closes_nothing(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deadline passes between the opening's arrival and what is made of it."""
    honest = ClosingParts.decide

    def late(parts: ClosingParts, run: bytes, *, agrees: bool) -> Any:
        if parts._run.party.role is M:
            world.later(seconds=OPENING_LIMIT.total_seconds() + 1)
            assert end_overdue_closings(world.parties[M]) == 1
        return honest(parts, run, agrees=agrees)

    monkeypatch.setattr(ClosingParts, "decide", late)
    assert _codes(close(world, study))[M] == "CLOSING_UNFINISHED"
    assert _states(world)[M] == "UNFINISHED"
    assert _state(world, study, M) is StudyState.CLOSING


def test_a_failure_after_both_openings_does_not_open_the_study(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any) -> None:
        raise ValueError

    with monkeypatch.context() as patch:
        patch.setattr(runner._Attempt, "_conclude", failing)
        assert set(_codes(close(world, study)).values()) == {"CLOSING_WAITS"}
    assert {_state(world, study, role) for role in Role} == {StudyState.CLOSED}
    assert _codes(close(world, study, attempt=1)) == {M: "", R: ""}


@pytest.mark.parametrize("names_the_run", [True, False])
def test_the_modelers_end_ends_the_run_that_its_hello_names_alone(
    world: World, study: Configuration, *, names_the_run: bool
) -> None:
    with cut_line(OPENING):
        close(world, study)
    world.later(seconds=OPENING_LIMIT.total_seconds() + 1)
    with world.parties[R].database.transaction() as connection:  # its clock was ahead then
        connection.execute("UPDATE closings SET since = ?", (format_time(world.now),))
    with pytest.MonkeyPatch.context() as patch:
        if not names_the_run:
            patch.setattr(ClosingParts, "held_run", b"o" * 32)
        close(world, study, attempt=1)
    assert _states(world) == {M: "UNFINISHED", R: "UNFINISHED" if names_the_run else "KEPT"}
    if names_the_run:
        with pytest.raises(Exception, match="read"):
            world.parties[R].keys.study_key(study.study_id, study.party(R).key_id)


@pytest.mark.parametrize(("role", "holds"), [(M, "nothing"), (M, "another run"), (R, "nothing")])
def test_a_party_that_has_opened_nothing_ends_at_the_others_word(
    world: World, study: Configuration, role: Role, holds: str
) -> None:
    """Its store, or the other one's, was set back: the two know nothing of each other's run."""
    with cut_line(COMMITMENT, nth=2):
        close(world, study)
    with world.parties[role.peer].database.transaction() as connection:
        connection.execute("UPDATE closings SET state = 'UNFINISHED', sealed = x''")
    with world.parties[role].database.transaction() as connection:
        if holds == "nothing":
            connection.execute("DELETE FROM closings")
            connection.execute("UPDATE studies SET state = 'OPEN'")
        else:
            connection.execute("UPDATE closings SET run = ?, sealed = x''", (b"o" * 32,))
    assert set(_codes(close(world, study, attempt=1)).values()) == {"CLOSING_UNFINISHED"}
    assert _states(world) == {M: "UNFINISHED", R: "UNFINISHED"}
    assert world.n_rows(role, "shares") == 0
    assert _state(world, study, role) is StudyState.CLOSING
    assert set(_codes(close(world, study, attempt=2)).values()) == {"CLOSING_UNFINISHED"}


def test_an_overdue_closing_that_cannot_be_ended_keeps_no_other_back(
    world: World, study: Configuration
) -> None:
    """The store lacks one of the studies."""
    with cut_line(OPENING):
        close(world, study)
    with world.parties[M].database.transaction() as connection:
        connection.execute(
            "INSERT INTO closings SELECT x'00', run, state, since, sealed FROM closings"
        )
    world.later(seconds=OPENING_LIMIT.total_seconds() + 1)
    assert end_overdue_closings(world.parties[M]) == 1
    ended = world.rows(M, "SELECT study_id FROM closings WHERE state = 'UNFINISHED'")
    assert [row["study_id"] for row in ended] == [study.study_id]


def test_of_one_study_one_attempt_closes_at_a_time(world: World, study: Configuration) -> None:
    with world.parties[R].database.transaction() as connection:
        connection.execute(
            "INSERT INTO attempts (job_id, attempt, study_id, kind, state)"
            " VALUES (?, 0, ?, 'closing', 'RUNNING')",
            (b"k" * 16, study.study_id),
        )
        require_running(connection, b"k" * 16, 0)
    assert _codes(close(world, study))[R] == "STUDY_CLOSING"


def test_the_end_that_a_regulator_came_to_is_what_it_reports(
    world: World, study: Configuration
) -> None:
    """The modeler never got its opening, waited seven days, and refuses any more of it."""
    with cut_line(OPENING, nth=2):
        close(world, study, closing_to(b"m" * 32, b"r" * 32))
    world.later(seconds=OPENING_LIMIT.total_seconds() + 1)
    codes = _codes(close(world, study, attempt=1))
    assert codes == {M: "CLOSING_UNFINISHED", R: "CLOSING_DISAGREED"}
    assert _states(world) == {M: "UNFINISHED", R: "DISAGREED"}


def test_a_party_that_is_bound_says_so_where_the_hello_is_cut(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: Any) -> Any:
        raise ChannelClosedError("cut")

    with cut_line(OPENING):
        close(world, study)
    assert _states(world) == {M: "OPENED", R: "KEPT"}
    monkeypatch.setattr(runner._Attempt, "_shake_hands", cut)
    assert set(_codes(close(world, study, attempt=1)).values()) == {"CLOSING_WAITS"}


def test_a_modeler_that_has_opened_waits_whatever_the_regulator_refuses_by(
    world: World, study: Configuration
) -> None:
    with cut_line(OPENING):
        close(world, study)
    overdue = format_time(world.now - OPENING_LIMIT - timedelta(seconds=1))
    with world.parties[R].database.transaction() as connection:
        connection.execute("UPDATE closings SET since = ?", (overdue,))
    codes = _codes(close(world, study, attempt=1))
    assert codes == {M: "CLOSING_WAITS", R: "CLOSING_UNFINISHED"}
    assert _states(world) == {M: "OPENED", R: "UNFINISHED"}


def test_nobody_valid_is_kept_like_everybody_valid(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked at before what was kept is forgotten."""
    monkeypatch.setattr("mpc_engine.party.jobs.closing.reopen_study", lambda *_: None)
    sizes = []
    for attempt, valid in enumerate((1, 0)):
        table = with_protocols(run_closing=partial(plain_protocols.run_closing, valid=valid))
        with cut_line(COMMITMENT):
            close(world, study, table, attempt=attempt)
        for name in ("closings", "closed_records"):
            rows = world.rows(M, f"SELECT LENGTH(sealed) FROM {name}")
            sizes.append((name, [tuple(row) for row in rows]))
    assert sizes[:2] == sizes[2:]
    assert all(len(rows) == 1 and rows[0][0] > 0 for _name, rows in sizes)


def _judged(world: World, role: Role) -> bytes:
    """Return what a party's store still says of which rows it saw as valid."""
    (row,) = world.rows(role, "SELECT study_id, run, sealed FROM closings")
    if not row["sealed"]:
        return b""
    ids = (row["study_id"], row["run"])
    return KeptPart.decode(world.parties[role].cipher.open(PART_PLACE, ids, row["sealed"])).judged


@pytest.mark.parametrize("values", [(b"m", b"m"), (b"m", b"r")], ids=["agreed", "disagreed"])
def test_after_its_end_no_party_holds_which_rows_it_saw_as_valid(
    world: World, study: Configuration, values: tuple[bytes, bytes]
) -> None:
    """A garbler may have let its circuit say something else of them."""
    of = dict(zip(Role, (32 * value for value in values), strict=True))

    def valued(ctx: Any, layout: Any, held: Any, receipts: Any, terms: Any) -> Any:
        return plain_protocols.run_closing(ctx, layout, held, receipts, terms, of[ctx.role])

    with cut_line(OPENING):
        close(world, study, with_protocols(run_closing=valued))
    assert all(_judged(world, role) for role in Role)
    close(world, study, attempt=1)
    assert set(_states(world).values()) <= {"AGREED", "DISAGREED"}
    assert [_judged(world, role) for role in Role] == [b"", b""]


def test_what_the_modeler_never_opened_or_nobody_answered_goes_too(
    world: World, study: Configuration
) -> None:
    with cut_line(COMMITMENT, nth=2):
        close(world, study)
    assert _states(world) == {M: "KEPT", R: "KEPT"}
    assert _judged(world, M) == b""
    assert world.n_rows(M, "closed_records") == 0
    with cut_line(OPENING):
        close(world, study, attempt=1)
    world.later(seconds=OPENING_LIMIT.total_seconds() + 1)
    assert end_overdue_closings(world.parties[M]) == 1
    assert _judged(world, M) == b""


def test_another_job_does_not_reopen_a_study_that_is_being_closed(
    world: World, study: Configuration
) -> None:
    other = replace(parse_job(closing_spec(world, study)), kind=JobKind.VERIFICATION)
    party = world.parties[R]
    with party.database.transaction() as connection:
        connection.execute("UPDATE studies SET state = 'CLOSING'")
    for attempt in range(2):
        begin_attempt(party, other, attempt)
    assert _state(world, study, R) is StudyState.CLOSING


@pytest.mark.parametrize("ends", ["next attempt", "process died"])
def test_no_second_closing_reopens_a_study_that_another_one_closes(
    world: World, study: Configuration, ends: str
) -> None:
    """It was refused, and its process died before it said so."""
    party, first, second = world.parties[R], b"k" * 16, parse_job(closing_spec(world, study))
    begin_attempt(party, replace(second, job_id=first), 0)
    with party.database.transaction() as connection:
        connection.execute("UPDATE studies SET state = 'CLOSING'")
    begin_attempt(party, second, 0)
    if ends == "next attempt":
        begin_attempt(party, second, 1)
    else:
        abandon_attempt(party, second.job_id, 0)
    assert _state(world, study, R) is StudyState.CLOSING
    abandon_attempt(party, first, 0)
    if ends == "next attempt":
        abandon_attempt(party, second.job_id, 1)
    assert _state(world, study, R) is StudyState.OPEN


def test_an_attempt_that_was_ended_is_not_put_off(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process is in the study's next attempt by then, and takes no answers."""
    spec = closing_spec(world, study)
    approvals = tuple(sign_approval("closing", spec, r, world.approvers[r]) for r in Role)
    order = RunJob(spec=spec, attempt=0, approvals=approvals, receipts=())

    def overtaken(attempt: Any) -> None:
        with world.parties[R].database.transaction() as connection:
            connection.execute("UPDATE attempts SET state = 'FAILED'")
            connection.execute("UPDATE studies SET state = 'CLOSING'")
        raise BusyError("Another job comes first.")

    monkeypatch.setattr(runner._Attempt, "_meet_and_perform", overtaken)
    assert runner.run_job(world.parties[R], order, plain_protocols.PLAIN)
    assert _state(world, study, R) is StudyState.CLOSING
    assert world.n_rows(R, "attempts") == 1


def test_a_run_is_neither_kept_nor_opened_once_the_study_takes_answers(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = ClosingParts.note_opening

    def reopened(parts: ClosingParts, run: bytes, content: bytes) -> None:
        with parts._run.party.database.transaction() as connection:
            connection.execute("UPDATE studies SET state = 'OPEN'")
        honest(parts, run, content)

    monkeypatch.setattr(ClosingParts, "note_opening", reopened)
    assert _codes(close(world, study))[M] == "CLOSED_DIFFERENTLY"
    assert _states(world)[M] == "KEPT"


def test_a_cohort_that_was_closed_meanwhile_is_not_forgotten(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that read the run as kept finds it settled by another one."""
    with cut_line(COMMITMENT, nth=2):
        close(world, study)
    honest = ClosingParts._forget

    def late(parts: ClosingParts, run: bytes) -> None:
        with parts._run.party.database.transaction() as connection:
            connection.execute("UPDATE closings SET state = 'AGREED'")
        honest(parts, run)

    monkeypatch.setattr(ClosingParts, "_forget", late)
    n_kept = world.n_rows(R, "closed_records")
    close(world, study, attempt=1)
    assert world.n_rows(R, "closed_records") == n_kept > 0


def test_of_two_runs_that_are_kept_the_later_one_alone_is_opened(
    world: World, study: Configuration
) -> None:
    """A process that was stopped before its opening finds that another run took its place."""

    def overtaken(
        ctx: JobContext,
        layout: Any,
        held: Any,
        receipts: Any,
        terms: ClosingTerms,
    ) -> ClosingOutcome:
        terms = replace(terms, store=Overtaken(terms))
        return plain_protocols.run_closing(ctx, layout, held, receipts, terms)

    class Overtaken:
        def __init__(self, terms: ClosingTerms) -> None:
            self.keep = terms.store.keep
            self._note_opening = terms.store.note_opening

        def note_opening(self, part: bytes) -> None:
            party, other = world.parties[M], b"o" * 32
            with party.database.transaction() as connection:
                sealed = party.cipher.seal(PART_PLACE, (study.study_id, other), part)
                connection.execute("UPDATE closings SET run = ?, sealed = ?", (other, sealed))
            self._note_opening(part)

    codes = _codes(close(world, study, with_protocols(run_closing=overtaken)))
    assert codes[M] == "CLOSED_DIFFERENTLY"
    assert _states(world)[M] == "KEPT"
