from __future__ import annotations

import pytest

from mpc_engine.control.post.jobs import parse_job
from mpc_engine.errors import ResourceError, UsageError
from mpc_engine.party.jobs.attempts import (
    abandon_attempt,
    abandon_attempts,
    begin_attempt,
    end_attempt,
)
from mpc_engine.party.services.study_keys import renew_noted_keys
from mpc_engine.party.studies.closing_states import note_key_to_destroy
from mpc_engine.party.studies.known_study import StudyState, load_study
from mpc_engine.roles import Role
from tests.engine.party.stories import close, closed_study, closing_spec
from tests.engine.party.world import World

M = Role.MODELER


def _begun(world: World) -> bytes:
    study = world.open_study()
    spec = parse_job(closing_spec(world, study))
    begin_attempt(world.parties[M], spec, 0)
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE studies SET state = 'CLOSING'")
    return study.study_id


def test_an_attempt_begins_once(world: World) -> None:
    study = world.open_study()
    spec = parse_job(closing_spec(world, study))
    begin_attempt(world.parties[M], spec, 3)
    with pytest.raises(UsageError) as caught:
        begin_attempt(world.parties[M], spec, 3)
    assert caught.value.code == "ATTEMPT_REPEATED"


def test_an_attempt_older_than_one_made_is_refused(world: World) -> None:
    study = world.open_study()
    spec = parse_job(closing_spec(world, study))
    begin_attempt(world.parties[M], spec, 3)
    with pytest.raises(UsageError) as caught:
        begin_attempt(world.parties[M], spec, 2)
    assert caught.value.code == "ATTEMPT_REPEATED"


@pytest.mark.parametrize("ended_by", ["a report", "a later attempt"])
def test_an_attempt_that_was_ended_cannot_conclude(world: World, ended_by: str) -> None:
    """The process of an attempt may have been stopped or orphaned meanwhile."""
    study = world.open_study()
    party, spec = world.parties[M], parse_job(closing_spec(world, study))
    begin_attempt(party, spec, 0)
    if ended_by == "a report":
        abandon_attempts(party)
    else:
        begin_attempt(party, spec, 1)
    with pytest.raises(ResourceError) as caught, party.database.transaction() as connection:
        end_attempt(party, connection, spec.job_id, 0, succeeded=True)
    assert caught.value.code == "ATTEMPT_OVERTAKEN"


def test_what_a_killed_worker_left_is_reported_and_reopened(world: World) -> None:
    study_id = _begun(world)
    assert abandon_attempts(world.parties[M]) == 1
    message = world.messages(M)[-1]
    assert (message.kind, message.text("code")) == ("job_failed", "WORKER_LOST")
    assert load_study(world.parties[M], study_id).state is StudyState.OPEN
    assert abandon_attempts(world.parties[M]) == 0


def test_a_lost_task_is_reported_once_and_a_finished_one_never(world: World) -> None:
    _begun(world)
    for _ in range(2):
        abandon_attempt(world.parties[M], b"j" * 16, 0)
    assert len(world.messages(M, "job_failed")) == 1


def test_after_a_lost_attempt_the_next_one_works(world: World) -> None:
    study = world.open_study()
    world.submit(study, world.answer(study, 0))
    spec = parse_job(closing_spec(world, study))
    for party in world.parties.values():
        begin_attempt(party, spec, 0)
        abandon_attempts(party)
    reports = close(world, study, attempt=1)
    assert {report.kind for report in reports.values()} == {"job_result"}


def test_a_key_whose_renewal_was_interrupted_is_renewed_at_the_next_start(world: World) -> None:
    study = world.open_study()
    with world.parties[M].database.transaction() as connection:
        note_key_to_destroy(connection, M, study.study_id)
    renew_noted_keys(world.parties[M])
    first = world.messages(M, "study_key")[-1].text("key_id")
    assert first != study.modeler.key_id.hex()
    renew_noted_keys(world.parties[M])
    assert world.messages(M, "study_key")[-1].text("key_id") == first
    with pytest.raises(ResourceError) as caught:
        world.parties[M].keys.study_key(study.study_id, study.modeler.key_id)
    assert caught.value.code == "FILE_MISSING"


def test_closing_renews_each_key_once(world: World) -> None:
    closed_study(world)
    assert len(world.messages(M, "study_key")) == 2
