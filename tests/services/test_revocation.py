"""On a running installation a revocation reaches both parties, one of them down when it is made."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from demo.decisions import decide_by_command
from demo.stack import read_stack
from mpc_engine.control.files.certificate import parse_certificate
from mpc_engine.control.files.revocation import check_revocation_file, check_revocation_list_file
from mpc_engine.errors import ResourceError
from mpc_engine.roles import Role
from tests.relay import Relay
from tests.running_stack import RunningStack
from tests.services.crash_study import CrashStudy, study_on, wait_for
from tests.services.leak_study import N_FEATURES

LIMIT_S = 180
REASON = "The sample was wrong."
X = [1] * N_FEATURES


@pytest.fixture(scope="module")
def study(patient_stack: tuple[RunningStack, Relay]) -> Iterator[CrashStudy]:
    """Return a study with a certified model in use."""
    with study_on(*patient_stack, {"title": "To be revoked"}) as made:
        model_id = made.hand_in()
        assert made.wait_until_ended(made.certify(model_id), LIMIT_S) == ("DONE", "")
        ((certificate_id,),) = made.site("SELECT id FROM certificates_certificate")
        made.deploy(model_id, str(certificate_id))
        yield made


def _decide(study: CrashStudy, case: str) -> Any:
    stack = read_stack(study.stack.description_path)
    certificate = bytes.fromhex(study.certificate_id)
    return decide_by_command(stack, study.study, certificate, {case: X})[case]


def _shown(study: CrashStudy) -> dict[str, Any]:
    shown: dict[str, Any] = study.uma.get_json(f"/api/v1/certificates/{study.certificate_id}")
    return shown


def _states(study: CrashStudy) -> dict[str, str]:
    return {row["role"]: row["state"] for row in _shown(study)["revocation"]["parties"]}


def _answer_of(study: CrashStudy, case: str) -> str | None:
    outcome = study.uma.get_json(f"/api/v1/challenges/{case}")["outcome"]
    return str(outcome) or None


def test_a_revocation_reaches_a_party_that_was_down_and_stops_its_decisions(
    study: CrashStudy,
) -> None:
    before = _decide(study, "before")
    down = study.family_of(Role.MODELER)
    for process in down:
        os.kill(process, signal.SIGSTOP)
    study.rae.revoke(study.certificate_id, REASON)

    def signed() -> bool:
        return _states(study)["regulator"] == "ACKNOWLEDGED"

    wait_for("the regulator's party signs", signed, LIMIT_S)
    assert _states(study)["modeler"] == "SENT"
    os.kill(study.worker(Role.MODELER), signal.SIGKILL)
    for process in down:
        _go_on(process)
    wait_for(
        "the modeler's party acknowledges",
        lambda: _states(study)["modeler"] == "ACKNOWLEDGED",
        LIMIT_S,
    )
    with pytest.raises(ResourceError, match="CERTIFICATE_REVOKED"):
        _decide(study, "after")
    assert _decide(study, "before") == before
    _checks_offline(study)
    case = study.challenge()
    answer = wait_for("an answer", lambda: _answer_of(study, case), LIMIT_S)
    assert answer in ("CONFIRMED", "DIFFERENT_DECISION")
    assert study.uma.get_json(f"/api/v1/challenges/{case}")["revocation"]["reason"] == REASON


def _checks_offline(study: CrashStudy) -> None:
    """Check what the register hands out against the certificate's own key."""
    certificate = parse_certificate(_shown(study)["text"])
    path = f"/api/v1/certificates/{study.certificate_id}/revocation"
    revocation = check_revocation_file(study.uma.get(path).body, certificate)
    assert revocation.reason == REASON

    def listed() -> bool:
        data = study.uma.get("/api/v1/revocations").body
        found = check_revocation_list_file(data, certificate.regulator_key, at=datetime.now(UTC))
        return certificate.certificate_id in found.revoked

    wait_for("the list names it", listed, LIMIT_S)


def _go_on(process: int) -> None:
    """Let a stopped process notice that its parent is gone."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)
