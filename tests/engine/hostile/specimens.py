"""One valid text of every kind, with the keys that signed it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from mpc_engine.control.files.certificate import (
    SecurityModel,
    ThresholdVerdict,
    certificate_file,
    certificate_text,
    sign_certificate,
)
from mpc_engine.control.files.decision_record import sign_decision_record
from mpc_engine.control.files.descriptor import PartyDescriptor
from mpc_engine.control.files.revocation import (
    ListedRevocation,
    RevocationList,
    revocation_file,
    revocation_list_file,
    revocation_list_text,
    sign_revocation,
    sign_revocation_list,
)
from mpc_engine.control.policies.questions import QuestionEntry
from mpc_engine.control.post.jobs import (
    certification_text,
    closing_text,
    training_text,
    verification_text,
)
from mpc_engine.control.studies.study_texts import (
    Challenge,
    Revocation,
    challenge_text,
    revocation_text,
)
from mpc_engine.control.studies.training_terms import TrainingTerms
from mpc_engine.control.texts.approvals import sign_approval
from mpc_engine.control.texts.canonical import canonical_text
from mpc_engine.crypto.signatures import Ed25519SigningKey, P256SigningKey
from mpc_engine.roles import Role
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.runs import QuestionKind
from tests.builders.sealing_keys import sealing_key
from tests.builders.study_drafts import STUDY_ID, completed, make_draft

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
ID, DIGEST = b"\xab" * 16, b"\xcd" * 32
M = Ed25519SigningKey.generate(seeded_randomness(1))
R = Ed25519SigningKey.generate(seeded_randomness(2))
KEYS = {Role.MODELER: M.public_bytes, Role.REGULATOR: R.public_bytes}
APPROVER = P256SigningKey.generate(seeded_randomness(3))
TRUSTED = {Role.MODELER: {APPROVER.key_id: APPROVER.public_bytes}}
STUDY = completed(make_draft(), KEYS)
POLICY = STUDY.policy.to_json()
_JOB: dict[str, Any] = {
    "job_id": ID,
    "study_id": STUDY_ID,
    "configuration": DIGEST,
    "created_at": NOW,
    "time_limit_s": 60,
}
JOBS = [
    closing_text(**_JOB),
    certification_text(**_JOB, model_id=ID, record_set=DIGEST),
    verification_text(**_JOB, certificate_id=ID, challenges=[ID, bytes(16)]),
    training_text(
        **_JOB,
        model_ids=[ID, bytes(16)],
        record_set=DIGEST,
        terms=TrainingTerms("paper", 300, 64, (("0.01", "1"), ("0.1", "1")), 16, ID),
        recipient=sealing_key(),
    ),
]
CERTIFICATE = certificate_text(
    STUDY,
    certificate_id=ID,
    record_set=DIGEST,
    n_records=500,
    model_id=ID,
    model_signature=DIGEST,
    thresholds=[ThresholdVerdict(*question, "PASS") for question in STUDY.policy.limits],
    code_digest=DIGEST,
    security_models=[SecurityModel(name, "x") for name in ("p_rule", "acceptance_rate_difference")],
    valid_from=NOW,
    valid_until=NOW + timedelta(days=30),
)
SIGNATURES = sign_certificate(CERTIFICATE, M), sign_certificate(CERTIFICATE, R)
CERTIFICATE_FILE = certificate_file(CERTIFICATE, *SIGNATURES).encode()
REVOCATION = revocation_text(Revocation(ID, "The sample was wrong.", NOW))
REVOCATION_FILE = revocation_file(REVOCATION, sign_revocation(REVOCATION, R)).encode()
REVOCATION_LIST = revocation_list_text(
    RevocationList(
        3,
        NOW,
        NOW + timedelta(days=2),
        R.public_bytes,
        {name: ListedRevocation(name, DIGEST, NOW) for name in (ID, b"z" * 16)},
    )
)
REVOCATION_LIST_FILE = revocation_list_file(
    REVOCATION_LIST, sign_revocation_list(REVOCATION_LIST, R)
).encode()
RECORD = sign_decision_record(
    certificate_id=ID,
    configuration=DIGEST,
    case_id="7",
    decision=1,
    x=[1, -2],
    issued_at=NOW,
    key=M,
).to_json()
MODEL = {
    "format": "bj1 model",
    "configuration": STUDY.digest.hex(),
    "intercept": "-1.25",
    "coefficients": {"duration": "-0.03", "amount": 0.0001},
}
DESCRIPTOR = (
    PartyDescriptor(
        Role.MODELER, "Bank", M.public_bytes, "PEM", {}, "bank.example:7000", 64, 10_000
    )
    .with_approver(APPROVER.public_bytes)
    .to_text()
)
APPROVAL = sign_approval("model", "text", Role.MODELER, APPROVER)
BODY = canonical_text({"body": "text", "approval": APPROVAL.to_json()})
CHALLENGE = challenge_text(Challenge(ID, ID, (1, -2), 0, RECORD))
QUESTION = QuestionEntry(
    study_id=ID,
    kind=QuestionKind.CERTIFICATION,
    job_id=ID,
    attempt=1,
    cohort=DIGEST,
    n_people=300,
    rule=DIGEST,
    model_id=ID,
    millibits=4000,
)
