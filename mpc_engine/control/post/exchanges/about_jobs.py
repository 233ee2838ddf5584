"""Orders and messages about jobs: run, stopped, how far they are, and how they ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from mpc_engine.control.post.declarations import Content, Lane, Order, Refusal, Subject
from mpc_engine.control.post.exchanges.job_results import JobMetrics, read_metrics, read_outcome
from mpc_engine.control.post.jobs import MAX_SPEC_BYTES, parse_job
from mpc_engine.control.post.shapes import (
    Approvals,
    Id,
    Natural,
    Plain,
    Record,
    Shape,
    Signature,
    list_of,
    object_by,
    one_of,
    text_up_to,
    whole_number,
)
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import EngineError
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind

MAX_ATTEMPT = 1 << 20
MAX_RECEIPT_CHARACTERS = 4096
RUN = Subject("run_job", ("job_id", "attempt"))


def _read_outcome(fields: Fields, name: str) -> dict[str, Any]:
    kind = JobKind(fields.choice("job_kind", list(JobKind)))
    read_outcome(kind, fields.inner(name))
    return fields.object(name)


@dataclass(frozen=True, kw_only=True)
class JobProgress(Content, kind="job_progress", is_repeatable=True):
    """How far an attempt is."""

    job_id: Id
    attempt: Natural
    stage: Plain
    done: Natural
    total: Natural


@dataclass(frozen=True, kw_only=True)
class JobResult(Content, kind="job_result"):
    """An attempt succeeded: what came of it, and what it cost."""

    job_id: Id
    attempt: Natural
    job_kind: Annotated[JobKind, one_of(JobKind)]
    outcome: Annotated[dict[str, Any], Shape(_read_outcome, dict)]
    metrics: Annotated[JobMetrics, object_by(read_metrics)]


@dataclass(frozen=True, kw_only=True)
class JobFailed(Refusal, kind="job_failed"):
    """An attempt failed, or was not begun."""

    job_id: Id
    attempt: Natural


@dataclass(frozen=True, kw_only=True)
class PeerReceipt(Record):
    """A receipt the other party signed, as the web keeps it."""

    body: Annotated[str, text_up_to(MAX_RECEIPT_CHARACTERS)]
    signature: Signature


@dataclass(frozen=True)
class RunJob(
    Order,
    kind="run_job",
    subject=RUN,
    answered_by=(JobResult,),
    refused_by=JobFailed,
    shown_by=(JobProgress,),
):
    """Run one attempt at a job with the other party."""

    spec: Annotated[str, text_up_to(MAX_SPEC_BYTES)]
    attempt: Annotated[int, whole_number(0, MAX_ATTEMPT)]
    approvals: Approvals
    receipts: Annotated[tuple[PeerReceipt, ...], list_of(PeerReceipt.read, PeerReceipt.write)]

    @property
    def job_id(self) -> bytes:
        """Return the job's id; UsageError or DecodeError where the specification is none."""
        return parse_job(self.spec).job_id

    @classmethod
    def lane_of(cls, payload: object) -> Lane:
        """Return the lane of a job; a closing stays behind the answers that came before it."""
        spec = payload.get("spec") if isinstance(payload, Mapping) else None
        try:
            is_closing = isinstance(spec, str) and parse_job(spec).kind is JobKind.CLOSING
        except EngineError:
            return cls.lane
        return Lane.PEOPLE if is_closing else cls.lane

    @classmethod
    def ids_to_refuse(cls, payload: Mapping[str, object]) -> dict[str, object]:
        """Return the job's id, out of its specification, and the attempt."""
        job_id = parse_job(str(payload.get("spec"))).job_id
        return {"job_id": job_id.hex(), "attempt": payload.get("attempt")}


@dataclass(frozen=True, kw_only=True)
class JobCancelled(Content, kind="job_cancelled"):
    """No attempt at a job begins or concludes any more; ``by``: at whose word."""

    job_id: Id
    by: Annotated[Role, one_of(Role)]


@dataclass(frozen=True, kw_only=True)
class CancelRefused(Refusal, kind="cancel_refused"):
    """A job was not stopped."""

    job_id: Id


@dataclass(frozen=True)
class CancelJob(
    Order,
    kind="cancel_job",
    subject=Subject("cancel_job", ("job_id",)),
    answered_by=(JobCancelled,),
    refused_by=CancelRefused,
):
    """Stop a job for good: no attempt at it begins or concludes any more. ``by``: which side."""

    job_id: Id
    by: Annotated[Role, one_of(Role)]
