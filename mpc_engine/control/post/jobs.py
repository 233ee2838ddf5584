"""Job specifications: the exact text that approvers sign and both parties run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from mpc_engine.control.studies.training_terms import MAX_POINTS, TrainingTerms, read_training_terms
from mpc_engine.control.texts.approvals import BOTH_ROLES
from mpc_engine.control.texts.canonical import JsonObject, canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields, format_time, parse_hex
from mpc_engine.crypto.hpke import PUBLIC_KEY_BYTES, check_public_key
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind

FORMAT = "bj1 job"
CODE = "JOB_INVALID"
JOB_LABEL = b"blindjustice/v1/job"
MAX_SPEC_BYTES = 1 << 18
MAX_CHALLENGES = 1000
MAX_TIME_LIMIT_S = 86_400


CANCELLABLE_KINDS = (JobKind.CERTIFICATION, JobKind.TRAINING)
"""Either side may stop these; closings and verifications concern people, and go on."""


def required_approvals(kind: JobKind) -> tuple[Role, ...]:
    """Return the roles that must approve; a verification is authorised by the configuration."""
    return () if kind is JobKind.VERIFICATION else BOTH_ROLES


@dataclass(frozen=True)
class JobSpec:
    """A job; ``text`` is the exact canonical text. Fields of other kinds are empty.

    ``model_id``: the model to certify; ``model_ids``: of a training, the models it will open.
    """

    text: str
    kind: JobKind
    job_id: bytes
    study_id: bytes
    configuration: bytes
    created_at: datetime
    time_limit_s: int
    model_id: bytes = b""
    model_ids: tuple[bytes, ...] = ()
    record_set: bytes = b""
    recipient: bytes = b""
    certificate_id: bytes = b""
    challenges: tuple[bytes, ...] = ()
    training: TrainingTerms | None = None

    @property
    def trained_models(self) -> dict[str, tuple[str, ...]]:
        """Return the point of each model of a training, by model id in hex, in order."""
        points = self.training.points if self.training else ()
        return dict(zip((model_id.hex() for model_id in self.model_ids), points, strict=True))


def closing_text(
    *, job_id: bytes, study_id: bytes, configuration: bytes, created_at: datetime, time_limit_s: int
) -> str:
    """Return the specification of a closing job."""
    return _text(JobKind.CLOSING, job_id, study_id, configuration, created_at, time_limit_s, {})


def certification_text(
    *,
    job_id: bytes,
    study_id: bytes,
    configuration: bytes,
    created_at: datetime,
    time_limit_s: int,
    model_id: bytes,
    record_set: bytes,
) -> str:
    """Return the specification of a certification job on the closed set of records."""
    own: JsonObject = {"model_id": model_id.hex(), "record_set": record_set.hex()}
    return _text(
        JobKind.CERTIFICATION, job_id, study_id, configuration, created_at, time_limit_s, own
    )


def training_text(
    *,
    job_id: bytes,
    study_id: bytes,
    configuration: bytes,
    created_at: datetime,
    time_limit_s: int,
    model_ids: Sequence[bytes],
    record_set: bytes,
    recipient: bytes,
    terms: TrainingTerms,
) -> str:
    """Return the specification of a training job; ``model_ids`` are those of its points' models.

    ``recipient``: the X-Wing key of the modeler's member that the models are sealed to.
    """
    own: JsonObject = {
        "model_ids": [model_id.hex() for model_id in model_ids],
        "record_set": record_set.hex(),
        "recipient": recipient.hex(),
        "training": terms.to_json(),
    }
    return _text(JobKind.TRAINING, job_id, study_id, configuration, created_at, time_limit_s, own)


def verification_text(
    *,
    job_id: bytes,
    study_id: bytes,
    configuration: bytes,
    created_at: datetime,
    time_limit_s: int,
    certificate_id: bytes,
    challenges: Sequence[bytes],
) -> str:
    """Return the specification of a verification job for one or more challenges."""
    own: JsonObject = {
        "certificate_id": certificate_id.hex(),
        "challenges": [challenge.hex() for challenge in challenges],
    }
    return _text(
        JobKind.VERIFICATION, job_id, study_id, configuration, created_at, time_limit_s, own
    )


def parse_job(text: str) -> JobSpec:
    """Return the job of a canonical specification; UsageError (``JOB_INVALID``) names the fault."""
    fields = Fields(parse_canonical(text, limit=MAX_SPEC_BYTES), "job", code=CODE)
    fields.choice("format", (FORMAT,))
    kind = JobKind(fields.choice("kind", [kind.value for kind in JobKind]))
    is_training = kind is JobKind.TRAINING
    is_certification = kind is JobKind.CERTIFICATION
    is_verification = kind is JobKind.VERIFICATION
    spec = JobSpec(
        text=text,
        kind=kind,
        job_id=fields.hex("job_id", 16),
        study_id=fields.hex("study_id", 16),
        configuration=fields.hex("configuration", 32),
        created_at=fields.time("created_at"),
        time_limit_s=fields.integer("time_limit_s", 1, MAX_TIME_LIMIT_S),
        model_id=fields.hex("model_id", 16) if is_certification else b"",
        model_ids=_read_ids(fields, "model_ids", MAX_POINTS) if is_training else (),
        record_set=fields.hex("record_set", 32) if is_certification or is_training else b"",
        certificate_id=fields.hex("certificate_id", 16) if is_verification else b"",
        challenges=_read_ids(fields, "challenges", MAX_CHALLENGES) if is_verification else (),
        recipient=_read_recipient(fields) if is_training else b"",
        training=read_training_terms(fields.inner("training")) if is_training else None,
    )
    fields.end()
    if spec.training is not None and len(spec.model_ids) != len(spec.training.points):
        raise UsageError("job.model_ids must name one model for every point.", code=CODE)
    return spec


def attempt_digest(spec_text: str, attempt: int) -> bytes:
    """Return the 32-byte name of one attempt at a job."""
    spec_digest = hashlib.sha256(spec_text.encode("utf-8")).digest()
    return hashlib.sha256(JOB_LABEL + b"\0" + spec_digest + attempt.to_bytes(4, "little")).digest()


def _text(
    kind: JobKind,
    job_id: bytes,
    study_id: bytes,
    configuration: bytes,
    created_at: datetime,
    time_limit_s: int,
    own: JsonObject,
) -> str:
    return canonical_text(
        {
            "format": FORMAT,
            "kind": kind.value,
            "job_id": job_id.hex(),
            "study_id": study_id.hex(),
            "configuration": configuration.hex(),
            "created_at": format_time(created_at),
            "time_limit_s": time_limit_s,
            **own,
        }
    )


def _read_recipient(fields: Fields) -> bytes:
    recipient = fields.hex("recipient", PUBLIC_KEY_BYTES)
    try:
        check_public_key(recipient)
    except UsageError as error:
        raise UsageError(f"job.recipient: {error.sentence}", code=CODE) from None
    return recipient


def _read_ids(fields: Fields, name: str, maximum: int) -> tuple[bytes, ...]:
    values: Iterable[object] = fields.items(name, 1, maximum)
    ids = tuple(parse_hex(value, 16, f"job.{name}", code=CODE) for value in values)
    if len(set(ids)) < len(ids):
        raise UsageError(f"job.{name} names one twice.", code=CODE)
    return ids
