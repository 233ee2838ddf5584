"""A certification as a question to the ledger: what it can tell, and when an answer proves itself.

With adaptive questions a party could learn a single person's bit from verdicts, so each is charged
log2(number of its possible answers).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from mpc_engine.control.files.certificate import (
    MAX_CERTIFICATE_BYTES,
    MAX_THRESHOLD_ROWS,
    parse_certificate,
    read_group_reports,
    verify_certificate_signature,
)
from mpc_engine.control.policies.charge import certification_bits
from mpc_engine.control.policies.questions import QuestionEntry, millibits, rule_digest
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import Fields
from mpc_engine.crypto.signatures import SIGNATURE_BYTES
from mpc_engine.errors import InvalidCertificateError
from mpc_engine.party.jobs.certificate_exchange import check_certificate_fields
from mpc_engine.party.jobs.work import JobRun
from mpc_engine.party.ledger.asking import Asking
from mpc_engine.party.services.certificates import SignedCertificate, store_certificate
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import QuestionKind, QuestionOutcome

_SIGNATURES = {role: f"{role.value}_signature" for role in Role}


def certification_asking(
    run: JobRun,
    record_ids: Sequence[bytes],
    is_paid: Callable[[sqlite3.Connection, QuestionEntry], bool],
) -> Asking:
    """Return the question that an attempt at a certification asks; ``is_paid`` as of `Asking`."""
    configuration = run.study.configuration
    question = QuestionEntry(
        study_id=configuration.study_id,
        kind=QuestionKind.CERTIFICATION,
        job_id=run.spec.job_id,
        attempt=run.order.attempt,
        cohort=run.spec.record_set,
        n_people=len(record_ids),
        rule=rule_digest(configuration.policy.to_json()),
        model_id=run.spec.model_id,
        millibits=millibits(
            certification_bits(configuration.policy, len(configuration.groups), len(record_ids))
        ),
    )
    return Asking(
        run.party,
        configuration,
        question,
        record_ids,
        is_proved=lambda answer: "certificate" in answer,
        is_paid=is_paid,
    )


def check_answer(
    run: JobRun, answer: JsonObject
) -> tuple[QuestionOutcome, Callable[[sqlite3.Connection], None]]:
    """Check a recorded PASS that this party lost: both parties signed its certificate.

    Returns its outcome and what stores the certificate. Raises InvalidCertificateError naming what
    does not match the job, UsageError for an answer that does not parse.
    """
    fields = Fields(answer, "answer", code="NOT_DECODABLE")
    fields.choice("verdict", ("PASS",))
    fields.choice("reason", ("",))
    model_id = fields.hex("model_id", 16)
    thresholds = fields.items("thresholds", 1, MAX_THRESHOLD_ROWS)
    groups = read_group_reports(fields)
    text = fields.raw_text("certificate", maximum=MAX_CERTIFICATE_BYTES)
    signatures = {role: fields.hex(name, SIGNATURE_BYTES) for role, name in _SIGNATURES.items()}
    fields.end()
    certificate = parse_certificate(text)
    configuration = run.study.configuration
    check_certificate_fields(
        certificate,
        configuration,
        {
            "record_set": run.spec.record_set,
            "n_records": run.study.n_records,
            "model_id": run.spec.model_id,
        },
    )
    for role, signature in signatures.items():
        verify_certificate_signature(text, role, signature, configuration.party(role).signing_key)
    stated = [row.to_json() for row in certificate.thresholds]
    if (model_id, thresholds, groups) != (run.spec.model_id, stated, certificate.groups):
        raise InvalidCertificateError("The answer on record is not what the certificate says.")
    signed = SignedCertificate(text, signatures[Role.MODELER], signatures[Role.REGULATOR])
    return (
        QuestionOutcome.PASS,
        lambda connection: store_certificate(run.party, connection, signed, None),
    )
