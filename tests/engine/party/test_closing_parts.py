"""Closings whose line is cut or whose party dies at the end: one run is opened, and once.

What a party that deviates may gain by a fresh run after an opening is in the retries.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.party.jobs.attempts import abandon_attempts
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.studies.closing_states import (
    OPENING_LIMIT,
    end_overdue_closings,
)
from mpc_engine.party.studies.known_study import StudyState, load_study
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.transport.channel import StreamChannel
from tests.engine.party import plain_protocols
from tests.engine.party.cut_lines import cut_line
from tests.engine.party.stories import (
    Reports,
    close,
    closing_spec,
    closing_to,
    compile_kernels,
    with_protocols,
)
from tests.engine.party.world import World, submission

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

M, R = Role.MODELER, Role.REGULATOR
PROMISES = ProtocolTag.VALIDITY_PROMISES
COMMITMENT, OPENING = ProtocolTag.CLOSING_COMMITMENT, ProtocolTag.CLOSING_OPENING
FRESH = ProtocolTag.SESSION_NONCE


@pytest.fixture
def study(world: World) -> Configuration:
    """Return an open study in which three people answered."""
    compile_kernels()
    for party in world.parties.values():
        party.config = replace(party.config, receive_limit_s=5, max_attempts=9)
    study = world.open_study(n_invited=4)
    for number in range(3):
        world.submit(study, world.answer(study, number, answers=(number % 2, number)))
    return study


class _Noted:
    """Every message of both parties, by tag, while it is on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: list[tuple[int, bytes]] = []
        honest = StreamChannel.send

        def send(channel: StreamChannel, tag: int, payload: bytes) -> None:
            self.sent.append((tag, bytes(payload)))
            honest(channel, tag, payload)

        monkeypatch.setattr(StreamChannel, "send", send)

    def of(self, tag: int) -> list[bytes]:
        return [payload for number, payload in self.sent if number == tag]


def _codes(reports: Reports) -> dict[Role, str]:
    return {
        role: "" if report.kind == "job_result" else report.text("code")
        for role, report in reports.items()
    }


def _states(world: World) -> dict[Role, str]:
    """Return how the closing stands at each party, empty where nothing is kept."""
    found = {}
    for role in Role:
        rows = world.rows(role, "SELECT state FROM closings")
        found[role] = rows[0]["state"] if rows else ""
    return found


def _study_states(world: World, study: Configuration) -> dict[Role, StudyState]:
    return {role: load_study(party, study.study_id).state for role, party in world.parties.items()}


_CUTS = [
    (ProtocolTag.AGREED_RECORDS, 2, "", ""),
    (PROMISES, 1, "", ""),
    (PROMISES, 2, "", ""),
    (COMMITMENT, 1, "KEPT", ""),
    (COMMITMENT, 2, "KEPT", "KEPT"),
]
"""A message, the how manieth of its tag, and what modeler and regulator keep if it is cut."""


@pytest.mark.slow
@pytest.mark.parametrize(("tag", "nth", "modeler", "regulator"), _CUTS, ids=str)
def test_a_line_cut_before_an_opening_leaves_a_fresh_run(
    world: World,
    study: Configuration,
    monkeypatch: pytest.MonkeyPatch,
    tag: ProtocolTag,
    nth: int,
    modeler: str,
    regulator: str,
) -> None:
    with cut_line(tag, nth=nth):
        first = close(world, study, PRODUCTION)
    assert {report.kind for report in first.values()} == {"job_failed"}
    assert _states(world) == {M: modeler, R: regulator}
    waits = bool(regulator)
    states = {M: StudyState.OPEN, R: StudyState.CLOSING if waits else StudyState.OPEN}
    assert _study_states(world, study) == states
    assert (first[R].text("code") == "CLOSING_WAITS") is waits
    noted = _Noted(monkeypatch)
    assert _codes(close(world, study, PRODUCTION, attempt=1)) == {M: "", R: ""}
    assert len(noted.of(FRESH)) == 4
    assert _states(world) == {M: "AGREED", R: "AGREED"}


@pytest.mark.parametrize(("nth", "regulator"), [(1, "KEPT"), (2, "AGREED")])
def test_a_line_cut_at_an_opening_sends_the_same_opening_again(
    world: World,
    study: Configuration,
    monkeypatch: pytest.MonkeyPatch,
    nth: int,
    regulator: str,
) -> None:
    noted = _Noted(monkeypatch)
    with cut_line(OPENING, nth=nth):
        first = _codes(close(world, study, PRODUCTION))
    assert first[M] == "CLOSING_WAITS"
    assert first[R] == "CLOSING_WAITS"
    assert _states(world) == {M: "OPENED", R: regulator}
    assert _study_states(world, study)[M] is StudyState.CLOSING
    late = submission(study, world.answer(study, 3), M)
    assert world.order(M, "submission", late).text("code") == "STUDY_CLOSED"
    before, n_fresh = noted.of(OPENING), len(noted.of(FRESH))
    reports = close(world, study, PRODUCTION, attempt=1)
    assert _codes(reports) == {M: "", R: ""}
    assert reports[M].object("outcome") == reports[R].object("outcome")
    assert len(noted.of(FRESH)) == n_fresh
    assert set(before) <= set(noted.of(OPENING))
    assert len(set(noted.of(OPENING))) == 2
    assert set(_study_states(world, study).values()) == {StudyState.CLOSED}


def test_another_job_settles_the_run_too(world: World, study: Configuration) -> None:
    with cut_line(OPENING):
        close(world, study, PRODUCTION)
    spec = closing_spec(world, study, job_id=b"k" * 16)
    assert _codes(world.run_job(spec, kind="closing", table=PRODUCTION)) == {M: "", R: ""}


@pytest.mark.slow
@pytest.mark.parametrize("tag", [COMMITMENT, OPENING], ids=lambda tag: tag.name)
@pytest.mark.parametrize("dying", Role)
def test_a_party_that_dies_at_a_message_goes_on_as_its_disk_says(
    world: World,
    study: Configuration,
    monkeypatch: pytest.MonkeyPatch,
    dying: Role,
    tag: ProtocolTag,
) -> None:
    """The message was kept, and did not leave; what ran in the process is gone."""
    honest = StreamChannel.send
    nth = list(Role).index(dying) + 1
    seen: list[int] = []

    def send(channel: StreamChannel, number: int, payload: bytes) -> None:
        seen.extend([1] * (number == tag))
        if number == tag and len(seen) == nth:
            channel.close()
            raise SystemExit
        honest(channel, number, payload)

    with monkeypatch.context() as patch:
        patch.setattr(StreamChannel, "send", send)
        patch.setattr("threading.excepthook", lambda _: None)
        assert dying not in close(world, study, PRODUCTION), "who died has told nothing"
    assert abandon_attempts(world.parties[dying]) == 1
    told = world.messages(dying, "job_failed")[-1].text("code")
    assert told == ("CLOSING_WAITS" if tag is OPENING or dying is R else "WORKER_LOST")
    noted = _Noted(monkeypatch)
    assert _codes(close(world, study, PRODUCTION, attempt=1)) == {M: "", R: ""}
    assert len(noted.of(FRESH)) == (0 if tag is OPENING else 4)


def test_a_run_that_was_opened_is_never_followed_by_a_fresh_one(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The regulator read one bit in the modeler's opening, and says that the line broke.

    It holds nothing of the run any more, and asks for another one, to read another bit.
    """
    with cut_line(OPENING, nth=2):
        close(world, study, PRODUCTION)
    with world.parties[R].database.transaction() as connection:
        connection.execute("DELETE FROM closings")
        connection.execute("UPDATE studies SET state = 'OPEN'")
    noted = _Noted(monkeypatch)
    for attempt in (1, 2):
        codes = _codes(close(world, study, PRODUCTION, attempt=attempt))
        assert codes[M] == "CLOSING_WAITS", "the modeler ran the closing again"
    assert not noted.of(OPENING)
    assert not noted.of(COMMITMENT)
    assert _states(world)[M] == "OPENED"


DISAGREEING = closing_to(b"m" * 32, b"r" * 32)


def _require_ended(world: World, study: Configuration, state: str) -> None:
    assert set(_states(world).values()) == {state}
    for role, party in world.parties.items():
        assert load_study(party, study.study_id).state is StudyState.CLOSING
        assert load_study(party, study.study_id).record_set == b""
        assert world.n_rows(role, "shares") == world.n_rows(role, "closed_records") == 0


def test_a_disagreement_is_final_on_both_disks(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = dict.fromkeys(Role, "CLOSING_DISAGREED")
    reports = close(world, study, DISAGREEING)
    assert _codes(reports) == both
    _require_ended(world, study, "DISAGREED")
    for role, party in world.parties.items():
        with pytest.raises(Exception, match="read"):
            party.keys.study_key(study.study_id, study.party(role).key_id)
        late = submission(study, world.answer(study, 3), role)
        assert world.order(role, "submission", late).kind == "submission_refused"
    noted = _Noted(monkeypatch)
    assert _codes(close(world, study, attempt=1)) == both
    again = world.run_job(closing_spec(world, study, job_id=b"k" * 16), kind="closing")
    assert _codes(again) == both
    assert not noted.of(plain_protocols.TAG)
    _require_ended(world, study, "DISAGREED")


def test_the_reports_of_a_disagreement_tell_nothing_of_the_runs(
    world: World, study: Configuration
) -> None:
    reports = close(world, study, DISAGREEING)
    sentences = {report.text("sentence") for report in reports.values()}
    assert len(sentences) == 1
    assert not any(character.isdigit() for character in sentences.pop())


def test_a_disagreement_whose_last_opening_was_lost_is_one_at_both(
    world: World, study: Configuration
) -> None:
    with cut_line(OPENING, nth=2):
        assert _codes(close(world, study, DISAGREEING))[M] == "CLOSING_WAITS"
    codes = _codes(close(world, study, attempt=1))
    assert codes == dict.fromkeys(Role, "CLOSING_DISAGREED")
    _require_ended(world, study, "DISAGREED")


def test_a_party_that_lost_a_disagreement_gets_no_other_run(
    world: World, study: Configuration
) -> None:
    close(world, study, DISAGREEING)
    with world.parties[R].database.transaction() as connection:
        connection.execute("DELETE FROM closings")
        connection.execute("UPDATE studies SET state = 'OPEN'")
    assert _codes(close(world, study, attempt=1))[M] == "CLOSING_DISAGREED"


def test_an_opening_that_does_not_come_in_time_ends_the_closing_at_both(
    world: World, study: Configuration
) -> None:
    with cut_line(OPENING):
        close(world, study, PRODUCTION)
    world.later(seconds=OPENING_LIMIT.total_seconds())
    for party in world.parties.values():
        assert end_overdue_closings(party) == 0
    world.later(seconds=1)
    for attempt in (1, 2):
        codes = _codes(close(world, study, PRODUCTION, attempt=attempt))
        assert set(codes.values()) == {"CLOSING_UNFINISHED"}
        _require_ended(world, study, "UNFINISHED")


def test_a_regulator_that_hears_no_more_of_a_run_ends_it_in_time(
    world: World, study: Configuration
) -> None:
    """The modeler never opened it, and ends it at the regulator's word."""
    with cut_line(COMMITMENT, nth=2):
        close(world, study, PRODUCTION)
    world.later(seconds=OPENING_LIMIT.total_seconds())
    assert end_overdue_closings(world.parties[R]) == 0
    world.later(seconds=1)
    assert [end_overdue_closings(world.parties[role]) for role in Role] == [0, 1]
    assert _states(world) == {M: "KEPT", R: "UNFINISHED"}
    assert world.n_rows(R, "shares") == world.n_rows(R, "closed_records") == 0
    codes = _codes(close(world, study, PRODUCTION, attempt=1))
    assert set(codes.values()) == {"CLOSING_UNFINISHED"}
    _require_ended(world, study, "UNFINISHED")


def test_a_cohort_whose_closing_is_unfinished_at_the_modeler_ends_at_the_regulator(
    world: World, study: Configuration
) -> None:
    """The last opening was lost for seven days: nobody could ever ask anything of the cohort."""
    with cut_line(OPENING, nth=2):
        close(world, study, PRODUCTION)
    assert _states(world) == {M: "OPENED", R: "AGREED"}
    world.later(seconds=OPENING_LIMIT.total_seconds() + 1)
    codes = _codes(close(world, study, PRODUCTION, attempt=1))
    assert set(codes.values()) == {"CLOSING_UNFINISHED"}
    _require_ended(world, study, "UNFINISHED")


def test_an_opening_of_the_last_second_counts(world: World, study: Configuration) -> None:
    with cut_line(OPENING):
        close(world, study, PRODUCTION)
    world.later(seconds=timedelta(days=7).total_seconds())
    assert _codes(close(world, study, PRODUCTION, attempt=1)) == {M: "", R: ""}


@pytest.mark.parametrize("why", ["asked", "other run"])
def test_a_closed_study_is_not_ended_by_the_other_partys_word(
    world: World, study: Configuration, why: str
) -> None:
    """Something was asked of the cohort, so the modeler had closed it; or it ended another run."""
    close(world, study)
    if why == "asked":
        with world.parties[R].database.transaction() as connection:
            columns = [row["name"] for row in connection.execute("PRAGMA table_info(questions)")]
            values = dict.fromkeys(columns, b"") | {"study_id": study.study_id}
            marks = ", ".join("?" * len(values))
            connection.execute(f"INSERT INTO questions VALUES ({marks})", [*values.values()])
    else:
        with world.parties[M].database.transaction() as connection:
            connection.execute("UPDATE closings SET run = x'00', sealed = x''")
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE closings SET state = 'UNFINISHED'")
    assert _codes(close(world, study, attempt=1))[R] == "CLOSING_WAITS"
    assert _states(world)[R] == "AGREED"
    assert _study_states(world, study)[R] is StudyState.CLOSED


def test_a_closing_with_nobody_valid_is_final_too(world: World, study: Configuration) -> None:
    """Another run would be another bit for who deviates."""

    nobody = partial(plain_protocols.run_closing, valid=0)
    reports = close(world, study, with_protocols(run_closing=nobody))
    assert _codes(reports) == dict.fromkeys(Role, "NO_VALID_RECORDS")
    _require_ended(world, study, "NOBODY_VALID")
    assert set(_codes(close(world, study, attempt=1)).values()) == {"NO_VALID_RECORDS"}
