"""A closed study on a running installation, certified and challenged while its processes die."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from demo.stack import PERSON, read_stack
from mpc_engine.client.checks import drafted_configuration, job_of
from mpc_engine.client.http import Session
from mpc_engine.client.jobs import wait_for_job
from mpc_engine.client.member import Member
from mpc_engine.client.person import Participation, accept_invitation, challenge_decision
from mpc_engine.client.study import fetch_parties, fetch_study, wait_for_renewed_keys
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.errors import SiteRefusalError, TransportError
from mpc_engine.party.zone.config import load_config
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind
from tests.leak_search import copy_of_sqlite
from tests.relay import Relay
from tests.running_stack import RunningStack, running_stack
from tests.services.leak_study import ANSWERS, DRAFT, N_FEATURES

LIMIT_S = 5
"""What a job may take here; a party that is stopped for longer is given up."""
READY_LIMIT_S = 120
START_LIMIT_S = 30
VARIABLES = {
    "BLINDJUSTICE_JOB_CERTIFICATION_S": str(LIMIT_S),
    "BLINDJUSTICE_JOB_VERIFICATION_S": str(LIMIT_S),
    "BLINDJUSTICE_JOB_CLOSING_S": "60",
    "BLINDJUSTICE_JOB_ATTEMPTS": "1",
    "BLINDJUSTICE_JOB_CHALLENGE_RETRY_S": "2",
    "BLINDJUSTICE_LIMIT_CHALLENGES_ACCOUNT": "10000/1h",
    "BLINDJUSTICE_LIMIT_UPLOADS_ACCOUNT": "10000/1h",
}
PATIENT = {
    **VARIABLES,
    "BLINDJUSTICE_JOB_CERTIFICATION_S": "120",
    "BLINDJUSTICE_JOB_VERIFICATION_S": "120",
    "BLINDJUSTICE_JOB_TRAINING_S": "240",
    "BLINDJUSTICE_JOB_ATTEMPTS": "2",
}
"""The same with time, and with a second attempt after a failure of a party or the line."""
_TICK_S = 0.05
_MODEL = {"intercept": "-2.5", **dict.fromkeys(("income", "savings", "rent", "debt"), "1.5")}
Found = TypeVar("Found")


def wait_for(what: str, look: Callable[[], Found | None], limit_s: float) -> Found:
    """Return what ``look`` finds; the site may be away in between."""
    deadline = time.monotonic() + limit_s
    while True:
        with suppress(TransportError, SiteRefusalError, LookupError):
            found = look()
            if found is not None and found is not False:
                return found
        assert time.monotonic() < deadline, f"{what} did not happen within {limit_s} s"
        time.sleep(_TICK_S)


@dataclass(frozen=True)
class Stage:
    """A place in mid-message: after how many bytes, and who waits for the rest."""

    position: int
    receiver: Role


@dataclass
class CrashStudy:
    """The installation, its relay between the parties, and a study that is closed."""

    stack: RunningStack
    relay: Relay
    stages: dict[str, list[Stage]] = field(default_factory=dict)
    """The stages of each protocol."""

    def begin(self, kept: ExitStack, changes: Mapping[str, Any]) -> None:
        """Play a study until it is closed; ``changes`` are those of its draft."""
        self.open(kept, changes)
        self._share()
        self._close()

    def open(self, kept: ExitStack, changes: Mapping[str, Any]) -> None:
        """Play a study until it is open; ``changes`` are those of its draft."""
        told = read_stack(self.stack.description_path)
        mo, rae, self.uma = (kept.enter_context(Session(told.base_url)) for _ in range(3))
        for session, role in ((mo, "modeler"), (rae, "regulator"), (self.uma, PERSON)):
            session.log_in(told.log_ins[role].email, told.log_ins[role].password)
        self.mo, self.rae = (
            Member.with_key_file(session, told.approver_keys[role])
            for session, role in ((mo, Role.MODELER), (rae, Role.REGULATOR))
        )
        draft = {
            **DRAFT,
            "typed_challenge_limit": 1000,
            "question_bits_limit": 10_000,
            **changes,
        }
        study_id = self.mo.draft_study(draft)
        self.mo.submit_study(study_id)
        proposal = self.mo.wait_for_proposal(study_id, "configuration")
        check = drafted_configuration(draft, study_id, fetch_parties(self.uma))
        for member in (self.mo, self.rae):
            member.approve(proposal, "configuration", check)
        self.mo.wait_for_state(study_id, "OPEN")
        self.study = fetch_study(self.uma, study_id)

    def _close(self) -> None:
        job_id = self._approved(self.mo.propose_closing(self.study), JobKind.CLOSING)
        report = wait_for_job(self.mo.session, self.study, job_id)
        self.record_set = str(report.outcome(Role.MODELER)["record_set"])
        self.study = wait_for_renewed_keys(self.uma, self.study)

    def _share(self) -> None:
        invitations = self.mo.invite(self.study, len(ANSWERS))
        for number, (answer, invitation) in enumerate(zip(ANSWERS, invitations, strict=True)):
            with Session(self.stack.base_url) as session:
                link = invitation.link(session, self.study.configuration.study_id)
                person = accept_invitation(session, link)
                self._share_one(session, person, answer, 256 * (number % 2))

    def _share_one(
        self, session: Session, person: Participation, answer: int, feature: int
    ) -> None:
        """Share an answer; a party that does not know the invitation yet is asked again."""

        def shared() -> bool:
            sent = person.share(session, [answer], features=[feature] * N_FEATURES, label=1)
            person.wait_for_receipts(session, sent)
            return True

        wait_for("a share", shared, 30)

    def _approved(self, proposal: str, kind: JobKind, **of: str) -> str:
        check = job_of(self.study, kind, **of)
        texts = [
            wait_for("an approval", partial(member.approve, proposal, kind.value, check), 30)
            for member in (self.mo, self.rae)
        ]
        return parse_job(texts[0]).job_id.hex()

    def hand_in(self) -> str:
        """Hand in a model that passes; return its id."""
        text = json.dumps(
            {
                "format": "bj1 model",
                "configuration": self.study.configuration.digest.hex(),
                "intercept": _MODEL["intercept"],
                "coefficients": {k: v for k, v in _MODEL.items() if k != "intercept"},
            }
        )
        model_id = wait_for(
            "a model", lambda: self.mo.hand_in_model(self.study, "The model", text), 30
        )
        self.mo.wait_for_model(model_id)
        return model_id

    def certify(self, model_id: str) -> str:
        """Let both approve a certification; return the job's id."""
        proposal = wait_for(
            "a proposal", lambda: self.mo.propose_certification(self.study, model_id), 30
        )
        return self._approved(
            proposal, JobKind.CERTIFICATION, model_id=model_id, record_set=self.record_set
        )

    def deploy(self, model_id: str, certificate_id: str) -> None:
        """Put a certified model into use; challenges are about this certificate from now on."""
        self.mo.deploy(self.study, model_id)
        self.mo.wait_for_deployment(model_id)
        self.certificate_id = certificate_id

    def challenge(self) -> str:
        """Challenge a decision; return the id of the case."""
        return challenge_decision(
            self.uma,
            self.study,
            bytes.fromhex(self.certificate_id),
            x=[256] * N_FEATURES,
            decision=1,
        ).hex()

    def outcome_of(self, case: str) -> str | None:
        """Return how a case was answered; None for one that is not yet."""
        query = "SELECT state, outcome FROM challenges_challenge WHERE id = ?"
        ((state, outcome),) = self.site(query, case)
        return str(outcome) if state == "ANSWERED" else None

    def verification_of(self, case: str) -> str | None:
        """Return the job that answers a case, once there is one."""
        rows = self.site("SELECT job_id FROM challenges_challenge WHERE id = ?", case)
        return str(rows[0][0]) if rows and rows[0][0] else None

    # What the parties and the site hold, read from copies of their files

    def site(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return rows of the site's database."""
        return _rows(self.stack.state / "web" / "site.sqlite3", query, *values)

    def party(self, role: Role, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return rows of a party's store."""
        return _rows(self.stack.state / role.value / "data" / "party.sqlite3", query, *values)

    def attempt_of(self, role: Role, job_id: str) -> list[str]:
        """Return the states of a job's attempts at a party."""
        query = "SELECT state FROM attempts WHERE job_id = ? ORDER BY attempt"
        return [state for (state,) in self.party(role, query, bytes.fromhex(job_id))]

    def job(self, job_id: str) -> tuple[str, str]:
        """Return a job's state and failure code, as the site has it."""
        ((state, code),) = self.site(
            "SELECT state, failure_code FROM jobs_job WHERE id = ?", job_id
        )
        return str(state), str(code)

    def wait_until_ended(self, job_id: str, limit_s: float) -> tuple[str, str]:
        """Return how a job ended at the site."""

        def ended() -> tuple[str, str] | None:
            state, code = self.job(job_id)
            return (state, code) if state in ("DONE", "FAILED", "CANCELLED") else None

        return wait_for("the end of the job", ended, limit_s)

    # Processes

    def worker(self, role: Role) -> int:
        """Return the main process of a party."""
        return self._first("mpc_engine.party", f"/{role.value}/")

    def slot(self, role: Role, job_id: str) -> int:
        """Return the process in which a party runs a job."""
        query = "SELECT process FROM running WHERE job_id = ?"
        return int(self.party(role, query, bytes.fromhex(job_id))[0][0])

    def redis(self) -> int:
        """Return the broker's process."""
        return self._first("redis-server")

    def site_worker(self) -> int:
        """Return the main process of the site's worker."""
        return self._first("--app=blindjustice_web.config.celery")

    def family_of(self, role: Role) -> list[int]:
        """Return a party's main process and its slots."""
        return [pid for pid, line in self._processes() if _is_party(line, role)]

    def _processes(self) -> list[tuple[int, str]]:
        return [(pid, " ".join(command)) for pid, command in self.stack.processes().items()]

    def _first(self, *words: str) -> int:
        """Return the process with these words that the supervisor itself started."""
        supervisor = self.stack.supervisor.pid
        found = [pid for pid, line in self._processes() if all(word in line for word in words)]
        for pid in found:
            if _parent(pid) == supervisor:
                return pid
        raise LookupError(" ".join(words))

    def orphans(self) -> list[str]:
        """Return what still runs on this state directory without the supervisor.

        Who belongs to the supervisor is asked last: what it starts meanwhile is no orphan.
        """
        found = {}
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
                ours = str(self.stack.state) in line or "blindjustice_web.config.celery" in line
                pid = int(path.parent.name)
                if ours and pid not in (os.getpid(), os.getppid()):
                    environment = (path.parent / "environ").read_bytes()
                    if str(self.stack.state).encode() in environment:
                        found[pid] = line
        family = set(self.stack.processes())
        return [
            line
            for pid, line in found.items()
            if pid not in family and Path(f"/proc/{pid}").exists()
        ]

    def wait_until_ready(self) -> None:
        """Return when both parties have their slots and have met, and the site's worker is up.

        A party that starts meets the other one on the line whose bytes are counted here.
        """
        for role in Role:
            data = self.stack.state / role.value / "data"
            slots = load_config(self.stack.state / role.value / "party.toml").slots

            def ready(role: Role = role, data: Path = data, slots: int = slots) -> bool:
                warm = {int(path.name) for path in (data / "warm").glob("[0-9]*")}
                alive = warm & set(self.family_of(role))
                return (data / "ready").exists() and len(alive) >= slots

            wait_for(f"the {role.value}'s slots", ready, READY_LIMIT_S)
        for name in ("redis", "site-worker"):
            wait_for(name, partial(self._is_up, name), READY_LIMIT_S)
        wait_for("the parties' meeting", self._have_met, READY_LIMIT_S)

    def _have_met(self) -> bool:
        """Return whether the site heard that both parties started, and has them meet no more."""
        for role in Role:
            ready = self.stack.state / role.value / "data" / "ready"
            query = (
                "SELECT (julianday(at) - 2440587.5) * 86400 FROM post_partystatus WHERE role = ?"
            )
            if self.site(query, role.value)[0][0] < ready.stat().st_mtime:
                return False
        return not self.site("SELECT id FROM post_outgoingtask WHERE kind = 'check_line'")

    def _is_up(self, name: str) -> bool:
        if name == "redis":
            return bool(self.redis()) and self.uma.get("/health/").status == 200
        log = (self.stack.state / "logs" / "web" / "site-worker.log").read_text("utf-8")
        return bool(self.site_worker()) and log.rfind(" ready.") > log.rfind("[queues]")


def _parent(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[1])
    return 0


def _is_party(line: str, role: Role) -> bool:
    return "mpc_engine.party" in line and f"/{role.value}/" in line


def _rows(path: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """Query a copy of a database; one that was torn by a write is made again."""
    limit = time.monotonic() + START_LIMIT_S
    while True:
        changed = path.stat().st_mtime_ns
        with copy_of_sqlite(path) as copy, suppress(sqlite3.DatabaseError):
            if path.stat().st_mtime_ns == changed:
                with closing(sqlite3.connect(copy)) as connection:
                    return connection.execute(query, values).fetchall()
        assert time.monotonic() < limit, f"{path.name} cannot be copied whole"
        time.sleep(_TICK_S)


@contextmanager
def relayed_stack(
    variables: Mapping[str, str], stock_items: int = 0
) -> Iterator[tuple[RunningStack, Relay]]:
    """Start an installation whose parties talk through a relay.

    ``stock_items``: what the parties prepare. Stages are counted in bytes, which are others where
    prepared material is used.
    """
    relay = Relay(None)
    program = ("tests.services.relayed_stack", str(relay.port))
    try:
        with running_stack(variables, {"stock_items": stock_items}, program) as stack:
            told = load_config(stack.state / Role.REGULATOR.value / "party.toml")
            relay.target = (told.host, told.port)
            yield stack, relay
    finally:
        relay.close()


@contextmanager
def study_on(
    stack: RunningStack, relay: Relay, draft_changes: Mapping[str, Any] | None = None
) -> Iterator[CrashStudy]:
    """Play a study on an installation until it is closed, and give it to the caller."""
    with ExitStack() as kept:
        study = CrashStudy(stack, relay)
        study.begin(kept, draft_changes or {})
        study.wait_until_ready()
        yield study


@contextmanager
def crash_study(
    variables: Mapping[str, str] | None = None, stock_items: int = 0
) -> Iterator[CrashStudy]:
    """Start an installation whose parties talk through a relay, with a closed study on it."""
    with (
        relayed_stack({**VARIABLES, **(variables or {})}, stock_items) as (stack, relay),
        study_on(stack, relay) as study,
    ):
        yield study
