"""On a running installation: a killed training goes on from its last epoch, a stopped one ends."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from mpc_engine.control.post.jobs import parse_job
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind
from tests.builders.sealing_keys import sealing_key
from tests.relay import Relay
from tests.running_stack import RunningStack
from tests.services.crash_study import CrashStudy, study_on, wait_for

LIMIT_S = 240
BEGUN_STEPS = 100
SETTINGS: dict[str, Any] = {"steps": 1200, "batch_size": 16, "points": [["0.01"]]}
SHORT: dict[str, Any] = {**SETTINGS, "steps": 40}
"""Six people, 16 rows a batch: every step ends an epoch."""


@pytest.fixture(scope="module")
def study(patient_stack: tuple[RunningStack, Relay]) -> Iterator[CrashStudy]:
    """Return a closed study whose data the modeler holds."""
    changes = {"title": "Trained together", "data_holder": "modeler"}
    with study_on(*patient_stack, changes) as made:
        yield made


def _train(study: CrashStudy, settings: dict[str, Any]) -> str:
    """Let both approve a training; return the job's id."""
    proposal = study.mo.propose_training(study.study, settings, sealing_key())

    def check(text: str) -> None:
        assert parse_job(text).kind is JobKind.TRAINING

    for member in (study.mo, study.rae):
        text = member.approve(proposal, "training", check)
    return parse_job(text).job_id.hex()


def _progress(study: CrashStudy, job_id: str, attempt: int) -> int | None:
    """Return the last step that an attempt told of, None before the first."""
    rows = study.site(
        "SELECT done FROM jobs_job WHERE id = ? AND attempt = ? AND stage LIKE 'epoch%'",
        job_id,
        attempt,
    )
    return int(rows[0][0]) if rows else None


def _wait_until_begun(study: CrashStudy, job_id: str) -> int:
    def begun() -> int | None:
        done = _progress(study, job_id, 1)
        return done if done is not None and done >= BEGUN_STEPS else None

    return wait_for("the first steps", begun, LIMIT_S)


def _charges(study: CrashStudy, role: Role, job_id: str) -> list[tuple[int, str]]:
    rows = study.party(
        role,
        "SELECT entry, outcome FROM questions WHERE job_id = ? ORDER BY number",
        bytes.fromhex(job_id),
    )
    return [(json.loads(entry)["millibits"], outcome) for entry, outcome in rows]


def _kept(study: CrashStudy, role: Role, table: str, job_id: str) -> int:
    query = f"SELECT COUNT(*) FROM {table} WHERE job_id = ?"
    return int(study.party(role, query, bytes.fromhex(job_id))[0][0])


@pytest.mark.parametrize("role", Role)
def test_a_killed_slot_is_followed_by_an_attempt_that_goes_on(
    study: CrashStudy, role: Role
) -> None:
    study.wait_until_ready()
    job_id = _train(study, SETTINGS)
    done = _wait_until_begun(study, job_id)
    assert _kept(study, role, "checkpoints", job_id)
    os.kill(study.slot(role, job_id), signal.SIGKILL)
    first = wait_for("the next attempt", lambda: _progress(study, job_id, 2), LIMIT_S)
    assert first >= done
    assert study.wait_until_ended(job_id, LIMIT_S) == ("DONE", "")
    for each in Role:
        assert study.attempt_of(each, job_id) == ["FAILED", "DONE"]
        (charged, first_end), (again, last_end) = _charges(study, each, job_id)
        assert charged > again == 0
        assert (first_end, last_end) == ("ABORTED", "MODEL_OPENED")
        assert not _kept(study, each, "checkpoints", job_id)


@pytest.mark.parametrize("by", Role)
def test_either_side_stops_a_running_training(study: CrashStudy, by: Role) -> None:
    study.wait_until_ready()
    n_models = len(study.party(Role.MODELER, "SELECT model_id FROM models"))
    job_id = _train(study, SETTINGS)
    _wait_until_begun(study, job_id)
    session = (study.mo if by is Role.MODELER else study.rae).session
    session.post_json(f"/api/v1/jobs/{job_id}/cancel", {})
    assert study.wait_until_ended(job_id, 15) == ("CANCELLED", "")
    assert study.site("SELECT cancelled_by FROM jobs_job WHERE id = ?", job_id) == [(by.value,)]
    for role in Role:
        wait_for("an end at the party", partial(_is_over, study, role, job_id), 15)
        assert study.attempt_of(role, job_id) == ["FAILED"]
        assert [outcome for _, outcome in _charges(study, role, job_id)] == ["ABORTED"]
        assert not _kept(study, role, "checkpoints", job_id)
    assert len(study.party(Role.MODELER, "SELECT model_id FROM models")) == n_models
    again = _train(study, SHORT)
    assert study.wait_until_ended(again, LIMIT_S) == ("DONE", "")


def _is_over(study: CrashStudy, role: Role, job_id: str) -> bool:
    told = _kept(study, role, "cancellations", job_id)
    return bool(told) and not _kept(study, role, "running", job_id)
