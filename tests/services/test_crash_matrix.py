"""Whatever dies, at five stages of certification and verification: a typed end, and one retry.

A relay between the parties halts the protocol in mid-message; then something is killed, stopped or
cut. Each cell must end at the site within the time limit and ten seconds, leave nothing running,
and succeed when it is tried again, with one certificate, or one answer, in all. The ordinary run
meets every fault at every stage of certification, and half of them at each stage of verification;
in either each fault strikes both parties.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import accumulate, product
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.roles import Role
from tests.services.crash_study import LIMIT_S, CrashStudy, Stage, crash_study, wait_for

STAGES = range(5)
PROTOCOLS = ("certification", "verification")
PLACES = (0.15, 0.4, 0.6, 0.8, 1.0)
"""Where the five stages are, as parts of all turns in which a party says something."""
GOODBYE_BYTES = 60
"""What the parties send when all is said: that it is stored, and that the line ends."""
FAULTS = ("slot", "worker", "redis", "site worker", "stopped", "cut")
SPARED = ("redis", "site worker")
"""Without these a protocol that runs goes on."""
CUT_IN_THE_HANDSHAKE = ("cut", STAGES[0])
"""The first stage is in the handshake of TLS: both come again, and the job may go on."""
CODES = {
    "slot": {"WORKER_LOST"},
    "worker": {"WORKER_LOST", "CHANNEL_CLOSED"},
    "stopped": {"JOB_TIME_LIMIT", "JOB_TIMED_OUT", "PEER_TIMEOUT"},
    "cut": {"CHANNEL_CLOSED", "PEER_TIMEOUT"},
}
START_LIMIT_S = 30
ANSWER_LIMIT_S = 90


@pytest.fixture(scope="module")
def study() -> Iterator[CrashStudy]:
    """Return a closed study, with the stages of both protocols measured in one clean run each."""
    with crash_study() as made:
        made.relay.arm()
        model_id = made.hand_in()
        job_id = made.certify(model_id)
        assert made.wait_until_ended(job_id, START_LIMIT_S) == ("DONE", "")
        made.stages["certification"] = _stages(made)
        ((certificate_id,),) = made.site("SELECT id FROM certificates_certificate")
        made.deploy(model_id, str(certificate_id))
        made.relay.arm()
        case = made.challenge()
        wait_for("an answer", lambda: made.outcome_of(case), START_LIMIT_S)
        made.stages["verification"] = _stages(made)
        yield made


def _stages(study: CrashStudy) -> list[Stage]:
    """Return five stages, each in the middle of what one party says in its turn."""
    bursts = study.relay.bursts
    starts = [0, *accumulate(burst.size for burst in bursts)]
    turns = [turn for turn, burst in enumerate(bursts) if burst.size > GOODBYE_BYTES]
    chosen = [turns[round(place * (len(turns) - 1))] for place in PLACES]
    assert len(set(chosen)) == len(PLACES), bursts
    return [
        Stage(
            starts[turn] + bursts[turn].size // 2,
            Role.REGULATOR if bursts[turn].upstream else Role.MODELER,
        )
        for turn in chosen
    ]


def _struck(study: CrashStudy, protocol: str, stage: int, fault: str) -> Role:
    """Return the party to strike: each in turn, but in the last stage the one that still waits.

    Who has said its last word may have ended well before the other one has read it.
    """
    if stage == STAGES[-1]:
        return study.stages[protocol][stage].receiver
    return tuple(Role)[(stage + FAULTS.index(fault)) % 2]


def _kill(find: Callable[[], int]) -> None:
    os.kill(find(), signal.SIGKILL)


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _strike(study: CrashStudy, fault: str, role: Role, job_id: str) -> list[int]:
    """Let the fault happen and the line go on; return the processes that were stopped."""
    stopped: list[int] = []
    if fault == "slot":
        _kill(lambda: study.slot(role, job_id))
    elif fault == "worker":
        slot = study.slot(role, job_id)
        _kill(lambda: study.worker(role))
        wait_for("a slot ends with its worker", lambda: not Path(f"/proc/{slot}").exists(), 10)
    elif fault == "redis":
        _kill(study.redis)
    elif fault == "site worker":
        _kill(study.site_worker)
    elif fault == "stopped":
        stopped = study.family_of(role)
        _signal(stopped, signal.SIGSTOP)
    if fault == "cut":
        study.relay.cut()
    else:
        study.relay.release()
    return stopped


def _halted_job(study: CrashStudy, protocol: str, stage: int, subject: str) -> str:
    """Start a job and return its id when the line is halted at a stage."""
    if protocol == "certification":
        job_id = study.certify(subject)
    else:
        job_id = wait_for("a job", lambda: study.verification_of(subject), START_LIMIT_S)
    assert study.relay.wait_until_halted(START_LIMIT_S)
    return job_id


def _seconds(study: CrashStudy, job_id: str) -> float:
    query = (
        "SELECT (julianday(finished_at) - julianday(started_at)) * 86400 FROM jobs_job WHERE id = ?"
    )
    return float(study.site(query, job_id)[0][0])


def _is_idle(study: CrashStudy, role: Role) -> bool:
    return not study.party(role, "SELECT * FROM running")


def _end_at(study: CrashStudy, role: Role, job_id: str) -> list[str]:
    """Return how attempts ended at a party; one that was stopped is told by its clock first."""

    def ended() -> list[str] | None:
        states = study.attempt_of(role, job_id)
        return None if "RUNNING" in states else states

    return wait_for(f"the end at the {role.value}", ended, 10)


def _assert_nothing_runs(study: CrashStudy) -> None:
    for role in Role:
        wait_for(
            f"nothing runs at the {role.value}",
            partial(_is_idle, study, role),
            10,
        )
        assert not study.party(role, "SELECT * FROM attempts WHERE state = 'RUNNING'")
    assert not study.site("SELECT id FROM jobs_job WHERE state = 'RUNNING' AND kind != ?", "")
    assert study.orphans() == []


def _assert_ledgers_agree(study: CrashStudy) -> None:
    modeler, regulator = (
        study.party(role, "SELECT entry FROM questions ORDER BY number") for role in Role
    )
    shorter = min(len(modeler), len(regulator))
    assert abs(len(modeler) - len(regulator)) <= 1
    assert modeler[:shorter] == regulator[:shorter]


def _finish_certification(study: CrashStudy, model_id: str, ended: str) -> None:
    if ended == "FAILED":
        again = study.certify(model_id)
        assert study.wait_until_ended(again, LIMIT_S + 10) == ("DONE", "")
    held = {
        role: study.party(
            role, "SELECT text FROM certificates WHERE model_id = ?", bytes.fromhex(model_id)
        )
        for role in Role
    }
    query = "SELECT text FROM certificates_certificate WHERE model_id = ?"
    assert len(held[Role.REGULATOR]) == 1
    assert held[Role.MODELER] == held[Role.REGULATOR] == study.site(query, model_id)


def _finish_verification(study: CrashStudy, case: str) -> None:
    assert wait_for("an answer", lambda: study.outcome_of(case), ANSWER_LIMIT_S) == "CONFIRMED"
    jobs = study.site("SELECT state FROM jobs_job WHERE spec LIKE ?", f"%{case}%")
    assert [state for (state,) in jobs].count("DONE") == 1


def _cell(protocol: str, stage: int, fault: str) -> Any:
    """Return a cell of the matrix; the ordinary run has every other pair of verification's.

    In a pair of stages the fault strikes one party after the other.
    """
    in_ordinary = protocol == "certification" or (stage // 2 + FAULTS.index(fault)) % 2 == 0
    marks = () if in_ordinary else pytest.mark.thorough
    return pytest.param(protocol, stage, fault, marks=marks, id=f"{protocol}-{stage}-{fault}")


CELLS = [_cell(*cell) for cell in product(PROTOCOLS, STAGES, FAULTS)]


@pytest.mark.parametrize(("protocol", "stage", "fault"), CELLS)
def test_a_death_ends_typed_and_the_retry_succeeds(
    study: CrashStudy, protocol: str, stage: int, fault: str
) -> None:
    study.wait_until_ready()
    role = _struck(study, protocol, stage, fault)
    position = study.stages[protocol][stage].position
    study.relay.arm(position if protocol == "verification" else None)
    subject = study.challenge() if protocol == "verification" else study.hand_in()
    if protocol == "certification":
        study.relay.arm(position)
    job_id = _halted_job(study, protocol, stage, subject)
    stopped = _strike(study, fault, role, job_id)
    try:
        state, code = study.wait_until_ended(job_id, LIMIT_S + 15)
    finally:
        _signal(stopped, signal.SIGCONT)
    assert _seconds(study, job_id) < LIMIT_S + 10
    study.wait_until_ready()
    if fault in SPARED or (fault, stage) == CUT_IN_THE_HANDSHAKE:
        assert (state, code) == ("DONE", "") or state == "FAILED"
    else:
        assert state == "FAILED"
        assert code in CODES[fault]
        ends = [_end_at(study, party, job_id) for party in Role]
        assert ["FAILED"] in ends
        assert all(end in (["FAILED"], ["DONE"]) for end in ends), ends
    if protocol == "certification":
        _assert_nothing_runs(study)
        _finish_certification(study, subject, state)
    else:
        _finish_verification(study, subject)
    _assert_nothing_runs(study)
    _assert_ledgers_agree(study)
