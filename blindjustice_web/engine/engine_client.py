"""The one door from the site to the engine: texts, signatures, descriptors, tasks for the parties.

Engine errors leave here as problems of `lib.problems`, with the engine's code and sentence.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from celery import Celery
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.lib.labels import QuestionOutcome
from blindjustice_web.lib.problems import Refused, Unusable
from mpc_engine.control.files.certificate import (
    Certificate,
    certificate_file,
    check_against_configuration,
    parse_certificate,
    verify_certificate_signature,
)
from mpc_engine.control.files.descriptor import PartyDescriptor, key_fingerprint, parse_descriptor
from mpc_engine.control.policies.questions import QuestionEntry, parse_question, rule_digest
from mpc_engine.control.post import orders, queues
from mpc_engine.control.post.jobs import (
    certification_text,
    closing_text,
    parse_job,
    training_text,
    verification_text,
)
from mpc_engine.control.post.messages import MESSAGE_TASK
from mpc_engine.control.post.shapes import SEALING_KEY_BYTES
from mpc_engine.control.post.upkeep import add_upkeep, end_with_parent
from mpc_engine.control.studies.configuration import (
    Configuration,
    StudyParty,
    complete_draft,
    parse_configuration,
    party_without_keys,
)
from mpc_engine.control.studies.training_terms import (
    TrainingTerms,
    check_training,
    constrained_categories,
    read_training_terms,
    recommended_steps,
    training_bits,
)
from mpc_engine.control.texts.approvals import Approval as EngineApproval
from mpc_engine.control.texts.approvals import verify_approval
from mpc_engine.control.texts.canonical import canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import EngineError, named
from mpc_engine.roles import Role as EngineRole

__all__ = [
    "RECEIVE_TASK",
    "Certificate",
    "Configuration",
    "EngineApproval",
    "EngineRole",
    "PartyDescriptor",
    "end_with_parent",
    "QuestionEntry",
    "QuestionOutcome",
    "TrainingTerms",
    "constrained_categories",
    "named",
    "recommended_steps",
    "training_bits",
]

RECEIVE_TASK = MESSAGE_TASK
SIGNATURE_BYTES = 64


@contextmanager
def unusable_input() -> Iterator[None]:
    """Turn an engine error into a problem with the same code and sentence."""
    try:
        yield
    except EngineError as error:
        raise Unusable(error.code, error.sentence) from None


# Parties


def find_parties() -> dict[Role, PartyDescriptor]:
    """Return the published descriptors of the parties; one that isn't published yet is missing."""
    found = {}
    for path in sorted(Path(settings.PUBLIC_DIR).glob("*.json")):
        descriptor = _descriptor(path, path.stat().st_mtime_ns)
        if descriptor is not None:
            found[Role(descriptor.role.value)] = descriptor
    return found


@lru_cache(maxsize=16)
def _descriptor(path: Path, changed_ns: int) -> PartyDescriptor | None:
    """Read one file again whenever it changed; files that are no descriptors are passed over."""
    try:
        return parse_descriptor(path.read_bytes())
    except EngineError:
        return None


def party(role: Role) -> PartyDescriptor:
    """Return a party's descriptor; Refused while the party isn't set up."""
    descriptor = find_parties().get(role)
    if descriptor is None:
        raise Refused(
            "PARTY_NOT_SET_UP",
            _("This party has not published its keys to this site yet."),
            next_step=_("Ask the operator of the party to set it up, then try again."),
        )
    return descriptor


def fingerprint(signing_key: bytes) -> str:
    """Return a party's signing key as people compare it: 32 hex digits."""
    return key_fingerprint(signing_key)


# Signatures


def check_approval(kind: str, text: str, role: Role, key_id: str, signature: str) -> None:
    """Return if a published approver of the role signed the text; Unusable otherwise."""
    descriptor = party(role)
    approval = read_approval_of(role, key_id, signature)
    with unusable_input():
        verify_approval(kind, text, approval, {EngineRole(role.value): descriptor.approvers})


def read_approval_of(role: Role, key_id: str, signature: str) -> EngineApproval:
    """Return an approval from the hex and the base64 of its parts, not verified."""
    return EngineApproval(
        EngineRole(role.value), read_hex(key_id, 16, "key_id"), read_base64(signature, "signature")
    )


def check_certificate(
    text: str, modeler_signature: str, regulator_signature: str, configuration_text: str
) -> Certificate:
    """Return a certificate if it fits the study and both signatures verify; Unusable otherwise."""
    with unusable_input():
        certificate = parse_certificate(text)
        check_against_configuration(certificate, parse_configuration(configuration_text))
        for role, signature, key in (
            (EngineRole.MODELER, modeler_signature, certificate.modeler_key),
            (EngineRole.REGULATOR, regulator_signature, certificate.regulator_key),
        ):
            raw = read_hex(signature, SIGNATURE_BYTES, f"{role.value}_signature")
            verify_certificate_signature(text, role, raw, key)
    return certificate


# Texts


def text_digest(text: str) -> str:
    """Return SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def freeze_draft(
    draft: Mapping[str, Any], study_id: str, parties: Mapping[Role, StudyParty]
) -> Configuration:
    """Return the configuration a draft becomes with the parties' names and keys."""
    with unusable_input():
        return complete_draft(
            draft,
            study_id=bytes.fromhex(study_id),
            modeler=parties[Role.MODELER],
            regulator=parties[Role.REGULATOR],
        )


def preview_draft(
    draft: Mapping[str, Any], study_id: str, modeler: str, regulator: str
) -> Configuration:
    """Return what a draft would become, with zeros where the parties' keys will be."""
    with unusable_input():
        return complete_draft(
            draft,
            study_id=bytes.fromhex(study_id),
            modeler=party_without_keys(modeler),
            regulator=party_without_keys(regulator),
        )


def study_party(role: Role, name: str, key_id: str, hpke_key: str) -> StudyParty:
    """Return a party as a configuration names it; its signing key comes from its descriptor."""
    return StudyParty(
        name=name,
        key_id=bytes.fromhex(key_id),
        hpke_key=bytes.fromhex(hpke_key),
        signing_key=party(role).signing_key,
    )


@lru_cache(maxsize=64)
def read_configuration(text: str) -> Configuration:
    """Return the configuration of a stored text."""
    return parse_configuration(text)


def read_question(text: str) -> QuestionEntry:
    """Return an entry of the parties' ledgers; Unusable names the fault."""
    with unusable_input():
        return parse_question(text)


def policy_rule(configuration: Configuration) -> bytes:
    """Return what a question about a study's policy names as its rule."""
    return rule_digest(configuration.policy.to_json())


def certificate_as_file(text: str, modeler_signature: str, regulator_signature: str) -> str:
    """Return the file anyone can check offline."""
    return certificate_file(
        text, bytes.fromhex(modeler_signature), bytes.fromhex(regulator_signature)
    )


def closing_spec(job_id: str, configuration: Configuration, at: datetime) -> str:
    """Return the text of a closing job."""
    return closing_text(**_common("closing", job_id, configuration, at))


def certification_spec(
    job_id: str, configuration: Configuration, model_id: str, record_set: str, at: datetime
) -> str:
    """Return the text of a certification job."""
    return certification_text(
        **_common("certification", job_id, configuration, at),
        model_id=bytes.fromhex(model_id),
        record_set=bytes.fromhex(record_set),
    )


def training_terms(configuration: Configuration, values: Mapping[str, Any]) -> TrainingTerms:
    """Return the settings of a training of this study; Unusable names the first fault."""
    with unusable_input():
        terms = read_training_terms(Fields(dict(values), "training", code="TRAINING_INVALID"))
        check_training(configuration, terms)
    return terms


def training_spec(
    job_id: str,
    configuration: Configuration,
    model_ids: Sequence[str],
    record_set: str,
    recipient: str,
    terms: TrainingTerms,
    at: datetime,
) -> str:
    """Return the text of a training job; Unusable unless ``recipient`` can be sealed to."""
    text = training_text(
        **_common("training", job_id, configuration, at),
        model_ids=[bytes.fromhex(model_id) for model_id in model_ids],
        record_set=bytes.fromhex(record_set),
        recipient=read_hex(recipient, SEALING_KEY_BYTES, "recipient"),
        terms=terms,
    )
    with unusable_input():
        parse_job(text)
    return text


def verification_spec(
    job_id: str,
    configuration: Configuration,
    certificate_id: str,
    challenges: Sequence[str],
    at: datetime,
) -> str:
    """Return the text of a verification job."""
    return verification_text(
        **_common("verification", job_id, configuration, at),
        certificate_id=bytes.fromhex(certificate_id),
        challenges=[bytes.fromhex(challenge) for challenge in challenges],
    )


def _common(kind: str, job_id: str, configuration: Configuration, at: datetime) -> dict[str, Any]:
    """Return what the text of every kind of job says."""
    return {
        "job_id": bytes.fromhex(job_id),
        "study_id": configuration.study_id,
        "configuration": configuration.digest,
        "created_at": at,
        "time_limit_s": settings.JOB_TIME_LIMIT_S[kind],
    }


def job_id_of(spec: str) -> str:
    """Return the id inside a job's text."""
    return parse_job(spec).job_id.hex()


def training_terms_of(spec: str) -> TrainingTerms | None:
    """Return the settings inside a training job's text; None for other kinds of job."""
    return parse_job(spec).training


def trained_models_of(spec: str) -> dict[str, tuple[str, ...]]:
    """Return the bounds that each model of a training is trained under, by model id, in order."""
    return parse_job(spec).trained_models


def challenges_of(spec: str) -> list[str]:
    """Return the challenge ids a job answers; empty for other kinds of job."""
    return [challenge.hex() for challenge in parse_job(spec).challenges]


def stored_body(body: str) -> dict[str, Any]:
    """Return the members of a stored text: a verified message's body, or a job's."""
    value = parse_canonical(body)
    if not isinstance(value, dict):
        raise TypeError("a message body is an object")
    return dict(value)


def canonical(value: Any) -> str:
    """Return the canonical text of a value, to compare two values by."""
    return canonical_text(value)


# Tasks


@lru_cache(maxsize=1)
def celery_app() -> Celery:
    """Return the Celery application of the web zone."""
    app = queues.make_celery("web", settings.REDIS_URL)
    add_upkeep(app)
    return app


def hand_to_broker(role: Role, kind: str, payload: Mapping[str, Any]) -> None:
    """Put a task on a party's queue, within seconds.

    Raises what the broker's client raises when it is away, hangs, or lets too many wait.
    """
    app = celery_app()
    with app.amqp.producer_pool.acquire(block=True, timeout=queues.ANSWER_LIMIT_S) as producer:
        app.send_task(
            orders.ORDER_TASK,
            kwargs={"kind": kind, "payload": payload},
            queue=queues.queue_of_order(EngineRole(role.value), kind, payload),
            producer=producer,
            retry=False,
        )


def n_orders_waiting(role: Role) -> int:
    """Return how many orders a party has not taken from its queue yet."""
    with celery_app().connection_for_write() as connection:
        size = connection.default_channel._size
        return sum(int(size(queue)) for queue in queues.consumed_queues(queues.Zone(role.value)))


def read_hex(text: str, n_bytes: int, name: str) -> bytes:
    """Return so many bytes from lower-case hex; Unusable (``INPUT_INVALID``) names the field."""
    try:
        raw = bytes.fromhex(text)
    except (ValueError, TypeError):
        raw = b""
    if len(raw) != n_bytes or raw.hex() != text:
        raise Unusable("INPUT_INVALID", _("“%(name)s” is not as it should be.") % {"name": name})
    return raw


def read_base64(text: str, name: str) -> bytes:
    """Return the bytes of base64; Unusable (``INPUT_INVALID``) names the field."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Unusable(
            "INPUT_INVALID", _("“%(name)s” is not as it should be.") % {"name": name}
        ) from None
