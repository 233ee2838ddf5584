"""Follow a job to its end and read what both parties signed about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mpc_engine.client.http import Session
from mpc_engine.client.study import PublicStudy, wait_until
from mpc_engine.control.files.certificate import (
    Certificate,
    check_against_configuration,
    parse_certificate,
    verify_certificate_signature,
)
from mpc_engine.control.post.exchanges.about_jobs import JobResult
from mpc_engine.control.post.messages import Message
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import InvalidSignatureError, SiteRefusalError
from mpc_engine.roles import Role

WAIT_S = 600.0


@dataclass(frozen=True)
class JobReport:
    """Both parties' signed results of one job, verified."""

    results: Mapping[Role, Message[JobResult]]

    def outcome(self, role: Role) -> JsonObject:
        """Return what a party says came out."""
        return self.results[role].content.outcome

    def metric(self, role: Role, name: str) -> int:
        """Return one of a party's measurements (milliseconds, bytes or counts)."""
        value = self.results[role].content.metrics.to_json()[name]
        return value if isinstance(value, int) else 0


@dataclass(frozen=True)
class Progress:
    """Where a job stands: its state, what its attempt is at, and how far it is with that."""

    state: str
    stage: str
    done: int
    total: int


def wait_for_job(
    session: Session,
    study: PublicStudy,
    job_id: str,
    *,
    timeout_s: float = WAIT_S,
    progress: Callable[[Progress], None] = lambda _: None,
) -> JobReport:
    """Return both parties' results of a job when it is done; ``progress`` is told how it goes.

    Raises:
        SiteRefusalError: the job failed or was cancelled (its code and sentence).
        InvalidSignatureError: a result isn't signed by its party, or is of another job.
    """

    def report() -> JobReport | None:
        job = session.get_json(f"/api/v1/jobs/{job_id}")
        if job["state"] in ("FAILED", "CANCELLED"):
            failure = job["failure"] or {"sentence": "The job was cancelled.", "code": "CANCELLED"}
            raise SiteRefusalError(str(failure["sentence"]), code=str(failure["code"]))
        if job["state"] != "DONE":
            progress(_progress_of(job))
            return None
        messages = [study.verified_as(JobResult, statement) for statement in job["results"]]
        for message in messages:
            if message.content.job_id.hex() != job_id:
                raise InvalidSignatureError("A result is of another job.", code="RESULT_DIFFERENT")
        results = {message.role: message for message in messages}
        return JobReport(results) if len(results) == len(Role) else None

    return wait_until(report, timeout_s=timeout_s, what="both parties' results")


def _progress_of(job: Mapping[str, Any]) -> Progress:
    told = job["progress"]
    return Progress(str(job["state"]), str(told["stage"]), int(told["done"]), int(told["total"]))


def checked_certificate(study: PublicStudy, outcome: JsonObject) -> Certificate:
    """Return the certificate in an outcome, both signatures and every field of the study checked.

    Raises:
        InvalidCertificateError: names what does not match.
    """
    text = str(outcome["certificate"])
    for role in Role:
        signature = bytes.fromhex(str(outcome[f"{role.value}_signature"]))
        verify_certificate_signature(text, role, signature, study.signing_keys[role])
    certificate = parse_certificate(text)
    check_against_configuration(certificate, study.configuration)
    return certificate
