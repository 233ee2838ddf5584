"""Prepared verifications in real workers: made when nothing runs, used once, gone with a worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from mpc_engine.roles import Role
from tests.services.crash_study import CrashStudy, crash_study, wait_for

N_ITEMS = 2
LIMIT_S = 120
VARIABLES = {"BLINDJUSTICE_JOB_VERIFICATION_S": "60"}
"""A job is still running when its slot is looked for, however slow the machine is."""
IN_THE_JOB_BYTES = 12_000
"""A verification from stock has said hello and is sending its labels; one without sends more."""


@pytest.fixture(scope="module")
def study() -> Iterator[CrashStudy]:
    """Return a study with a certified model in use, whose parties keep a stock."""
    with crash_study(variables=VARIABLES, stock_items=N_ITEMS) as made:
        model_id = made.hand_in()
        job_id = made.certify(model_id)
        assert made.wait_until_ended(job_id, LIMIT_S) == ("DONE", "")
        ((certificate_id,),) = made.site("SELECT id FROM certificates_certificate")
        made.deploy(model_id, str(certificate_id))
        yield made


def _ready(study: CrashStudy, role: Role) -> list[bytes]:
    rows = study.party(role, "SELECT stock_id FROM stock WHERE state = 'READY' ORDER BY number")
    return [bytes(stock_id) for (stock_id,) in rows]


def _filled(study: CrashStudy) -> list[bytes]:
    """Let the parties meet until both hold a full stock; return it."""

    def full() -> list[bytes] | None:
        study.rae.session.post_json("/api/v1/health/check", {})
        ready = _ready(study, Role.MODELER)
        return ready if len(ready) == N_ITEMS and ready == _ready(study, Role.REGULATOR) else None

    return wait_for("a full stock", full, LIMIT_S)


def _answered(study: CrashStudy, case: str) -> str:
    return wait_for("an answer", lambda: study.outcome_of(case), LIMIT_S)


def test_a_case_uses_up_an_item_of_both_parties(study: CrashStudy) -> None:
    first, second = _filled(study)
    study.relay.arm()
    assert _answered(study, study.challenge()) == "CONFIRMED"
    assert study.relay.n_bytes < 500_000, "the hash circuit was sent in the job"
    for role in Role:
        assert first not in _ready(study, role)
        assert second in _ready(study, role)


@pytest.mark.parametrize("role", list(Role))
def test_an_item_is_lost_with_a_slot_that_dies_between_its_spending_and_its_use(
    study: CrashStudy, role: Role
) -> None:
    first, second = _filled(study)
    study.relay.arm(IN_THE_JOB_BYTES)
    case = study.challenge()
    job_id = wait_for("a job", lambda: study.verification_of(case), LIMIT_S)
    try:
        assert study.relay.wait_until_halted(LIMIT_S)
        os.kill(study.slot(role, job_id), signal.SIGKILL)
        for party in Role:
            assert first not in _ready(study, party)
    finally:
        study.relay.release()
    assert study.wait_until_ended(job_id, LIMIT_S)[0] == "FAILED"
    study.wait_until_ready()
    assert _answered(study, case) == "CONFIRMED"
    for party in Role:
        assert not {first, second} & set(_ready(study, party))


@pytest.mark.parametrize("role", list(Role))
def test_no_item_outlives_a_worker(study: CrashStudy, role: Role) -> None:
    before = _filled(study)
    os.kill(study.worker(role), signal.SIGKILL)
    wait_for("the stock is gone", lambda: not set(before) & set(_ready(study, role)), LIMIT_S)
    study.wait_until_ready()
    assert not set(before) & set(_filled(study))
    assert _answered(study, study.challenge()) == "CONFIRMED"
