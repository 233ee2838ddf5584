"""Fifty people share at once through the site while another study is certified again and again.

Whole installation, real time: web server, web worker, both parties. Every person gets two valid
receipts for what she sent, twice; closing finds each of her answers once; no log speaks of a lock.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo.stack import Stack, read_stack
from mpc_engine.client.checks import drafted_configuration, job_of
from mpc_engine.client.http import Session
from mpc_engine.client.jobs import wait_for_job
from mpc_engine.client.member import Invitation, Member
from mpc_engine.client.person import accept_invitation
from mpc_engine.client.study import (
    PublicStudy,
    fetch_parties,
    fetch_study,
    wait_for_renewed_keys,
)
from mpc_engine.control.policies.policy import MIN_DECIDED
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind
from tests.running_stack import RunningStack
from tests.services.leak_study import DRAFT, N_FEATURES

N_PEOPLE = 50
N_CERTIFIED = 4 * MIN_DECIDED
"""Of each group as few people of each decision as a verdict needs."""
WAIT_S = 80.0
_TROUBLE = ("database is locked", "OperationalError", "upkeep failed", "Traceback")


@dataclass
class _Members:
    """Both organisations' people, signed in."""

    told: Stack
    by_role: dict[Role, Member]

    @property
    def mo(self) -> Member:
        return self.by_role[Role.MODELER]

    def open_study(self, title: str) -> PublicStudy:
        draft = {**DRAFT, "title": title}
        study_id = self.mo.draft_study(draft)
        self.mo.submit_study(study_id)
        proposal = self.mo.wait_for_proposal(study_id, "configuration")
        check = drafted_configuration(draft, study_id, fetch_parties(self.mo.session))
        for member in self.by_role.values():
            member.approve(proposal, "configuration", check)
        self.mo.wait_for_state(study_id, "OPEN")
        return fetch_study(self.mo.session, study_id)

    def run_job(self, study: PublicStudy, proposal: str, kind: JobKind, **of: str) -> Any:
        check = job_of(study, kind, **of)
        texts = [m.approve(proposal, kind.value, check) for m in self.by_role.values()]
        job_id = parse_job(texts[0]).job_id.hex()
        return wait_for_job(self.mo.session, study, job_id).outcome(Role.MODELER)

    def close(self, study: PublicStudy) -> dict[str, Any]:
        return dict(self.run_job(study, self.mo.propose_closing(study), JobKind.CLOSING))

    def certify(self, study: PublicStudy, record_set: str, number: int) -> dict[str, Any]:
        model = {
            "format": "bj1 model",
            "configuration": study.configuration.digest.hex(),
            "intercept": f"-{number + 1}",
            "coefficients": {feature["name"]: "40" for feature in DRAFT["features"]},
        }
        model_id = self.mo.hand_in_model(study, f"Model {number}", json.dumps(model))
        self.mo.wait_for_model(model_id)
        proposal = self.mo.propose_certification(study, model_id)
        known = {"model_id": model_id, "record_set": record_set}
        return dict(self.run_job(study, proposal, JobKind.CERTIFICATION, **known))


def _sign_in(told: Stack, kept: ExitStack) -> _Members:
    members = {}
    for role in Role:
        session = kept.enter_context(Session(told.base_url))
        log_in = told.log_ins[role.value]
        session.log_in(log_in.email, log_in.password)
        members[role] = Member.with_key_file(session, told.approver_keys[role])
    return _Members(told, members)


def _share_twice(
    base_url: str, study: PublicStudy, number: int, invitation: Invitation, start: threading.Barrier
) -> None:
    """Share, wait for both receipts, change the answer, and look at what the record lists."""
    with Session(base_url) as session:
        person = accept_invitation(session, invitation.link(session, study.configuration.study_id))
        start.wait(WAIT_S)
        sent = []
        for answer in (number % 3, number % 2):
            features = [number % 4 // 2 * 256] * N_FEATURES
            submission = person.share(session, [answer], features=features, label=1)
            receipts = person.wait_for_receipts(session, submission, timeout_s=WAIT_S)
            assert set(receipts) == set(Role)
            sent.append(submission.submission_id.hex())
        record = session.get_json(f"{study.path}/records/{person.record_id.hex()}")
        listed = {row["submission_id"]: row for row in record["submissions"]}
        assert list(listed) == sent[-1:], "nobody is told of what was replaced"
        for row in listed.values():
            assert sorted(receipt["role"] for receipt in row["receipts"]) == [
                Role.MODELER.value,
                Role.REGULATOR.value,
            ]
            assert row["refusals"] == []


def _in_background(work: Callable[[], None]) -> Callable[[], None]:
    """Start ``work`` in a thread; return what waits for its end and raises its error."""
    pool = ThreadPoolExecutor(1)
    future = pool.submit(work)

    def finish() -> None:
        future.result(WAIT_S)
        pool.shutdown()

    return finish


def _logs(stack: RunningStack) -> list[Path]:
    return list((stack.state / "logs").glob("*/*.log"))


def test_fifty_people_share_at_once_while_another_study_is_certified(stack: RunningStack) -> None:
    told = read_stack(stack.description_path)
    before = {path: len(path.read_text("utf-8", "replace")) for path in _logs(stack)}
    with ExitStack() as kept:
        members = _sign_in(told, kept)
        certified = members.open_study("Certified meanwhile")
        for number, invitation in enumerate(members.mo.invite(certified, N_CERTIFIED)):
            _share_twice(told.base_url, certified, number, invitation, threading.Barrier(1))
        record_set = str(members.close(certified)["record_set"])
        certified = wait_for_renewed_keys(members.mo.session, certified)
        study = members.open_study("Fifty at once")
        invitations = members.mo.invite(study, N_PEOPLE)

        ended = threading.Event()
        running: list[tuple[float, float]] = []
        verdicts: list[str] = []
        own = _sign_in(told, kept)

        def certify_again_and_again() -> None:
            number = 0
            while not ended.is_set() or not verdicts:
                begun = time.monotonic()
                verdicts.append(own.certify(certified, record_set, number)["verdict"])
                running.append((begun, time.monotonic()))
                number += 1

        finish = _in_background(certify_again_and_again)
        start = threading.Barrier(N_PEOPLE)
        begun = time.monotonic()
        try:
            with ThreadPoolExecutor(N_PEOPLE) as crowd:
                people = [
                    crowd.submit(_share_twice, told.base_url, study, number, invitation, start)
                    for number, invitation in enumerate(invitations)
                ]
                for person in people:
                    person.result(WAIT_S)
            shared = time.monotonic()
        finally:
            ended.set()
            finish()
        assert any(first < shared and last > begun for first, last in running)
        assert set(verdicts) == {"PASS"}
        outcome = members.close(study)
        assert outcome["n_records"] == N_PEOPLE
        assert (outcome["n_invalid"], outcome["n_disagreed"]) == (0, 0)
    written = {path: path.read_text("utf-8", "replace") for path in _logs(stack)}
    assert any("party" in path.name for path in written)
    for path, text in written.items():
        new = text[before.get(path, 0) :]
        assert not [word for word in _TROUBLE if word in new], path.name
