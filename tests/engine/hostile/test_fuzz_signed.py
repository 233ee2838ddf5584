"""Signed texts: damaged, or signed by a key holder who states nonsense."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.files.certificate import (
    certificate_file,
    check_certificate_file,
    parse_certificate,
    read_certificate_file,
    sign_certificate,
)
from mpc_engine.control.files.decision_record import parse_decision_record
from mpc_engine.control.files.revocation import (
    read_revocation_file,
    read_revocation_list_file,
    revocation_list_text,
)
from mpc_engine.control.studies.study_texts import revocation_text
from mpc_engine.control.texts.approvals import (
    Approval,
    read_approval,
    require_approvals,
    verify_approval,
)
from mpc_engine.control.texts.canonical import canonical_bytes
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import (
    DecodeError,
    EngineError,
    InvalidCertificateError,
    InvalidSignatureError,
    UsageError,
)
from mpc_engine.roles import Role
from tests.engine.hostile.mutations import (
    damaged,
    damaged_json,
    fuzzing,
    json_text,
    json_values,
    read_or_refuse,
)
from tests.engine.hostile.specimens import (
    APPROVAL,
    APPROVER,
    BODY,
    CERTIFICATE,
    CERTIFICATE_FILE,
    KEYS,
    NOW,
    RECORD,
    REVOCATION,
    REVOCATION_FILE,
    REVOCATION_LIST,
    REVOCATION_LIST_FILE,
    STUDY,
    TRUSTED,
    M,
    R,
)


@fuzzing(80)
@given(damaged_json(APPROVAL.to_json()) | json_values())
def test_a_damaged_approval_reads_as_itself_or_is_refused(value: Any) -> None:
    approval = read_or_refuse(
        lambda: read_approval(Fields(value, "approval", code="X")), UsageError
    )
    if approval is not None:
        assert approval.to_json() == value
        if approval != APPROVAL:
            with pytest.raises(InvalidSignatureError):
                verify_approval("model", "text", approval, TRUSTED)


@fuzzing(100)
@given(
    st.text(st.characters(), max_size=20) | st.sampled_from(["text", "\ud800"]),
    damaged(APPROVAL.signature),
    st.booleans(),
)
def test_no_other_text_or_signature_is_approved(text: str, signature: bytes, keep: bool) -> None:
    approval = Approval(Role.MODELER, APPROVER.key_id, APPROVAL.signature if keep else signature)
    if (text, approval) != ("text", APPROVAL):
        with pytest.raises((InvalidSignatureError, DecodeError)):
            require_approvals("model", text, [approval], TRUSTED, [Role.MODELER])


@fuzzing(100)
@given(damaged_json(RECORD) | json_values(), st.booleans())
def test_no_damaged_decision_record_is_believed(value: Any, signed: bool) -> None:
    if signed and isinstance(value, dict) and isinstance(value.get("body"), str):
        body = value["body"].encode("utf-8", "surrogatepass")
        value["signature"] = M.sign(b"blindjustice/v1/decision\0" + body).hex()
    try:
        record = parse_decision_record(value, M.public_bytes)
    except (UsageError, DecodeError, InvalidSignatureError):
        return
    assert record.to_json() == value


@fuzzing(70)
@given(damaged_json(json.loads(str(RECORD["body"]))))
def test_a_signer_of_nonsense_is_refused_too(value: Any) -> None:
    body = json_text(value)
    raw = body.encode("utf-8", "surrogatepass")
    signed = {"body": body, "signature": M.sign(b"blindjustice/v1/decision\0" + raw).hex()}
    record = read_or_refuse(
        lambda: parse_decision_record(signed, M.public_bytes), UsageError, DecodeError
    )
    assert record is None or record.to_json() == signed


def _check(data: bytes) -> Any:
    return check_certificate_file(data, KEYS, at=NOW, configuration=STUDY)


@fuzzing(100)
@given(
    damaged(CERTIFICATE_FILE, [CERTIFICATE.encode(), BODY.encode()])
    | damaged_json(json.loads(CERTIFICATE_FILE)).map(
        lambda value: json_text(value).encode("utf-8", "surrogatepass")
    )
)
def test_no_damaged_certificate_file_is_believed(data: bytes) -> None:
    try:
        certificate = _check(data)
    except (UsageError, DecodeError, InvalidCertificateError):
        return
    assert certificate.text == CERTIFICATE
    _certificate, remarks = read_certificate_file(data, KEYS)
    assert bool(remarks) is (data.rstrip(b"\r\n") != CERTIFICATE_FILE)


@fuzzing(70)
@given(damaged_json(json.loads(CERTIFICATE)))
def test_a_certificate_both_parties_forged_is_measured_by_the_study(value: Any) -> None:
    text = json_text(value)
    try:
        signatures = sign_certificate(text, M), sign_certificate(text, R)
        certificate = _check(canonical_bytes(json.loads(certificate_file(text, *signatures))))
    except EngineError as refused:
        assert isinstance(refused, (UsageError, DecodeError, InvalidCertificateError))
        return
    assert certificate.text == text
    assert certificate.policy == STUDY.policy


@fuzzing(100)
@given(
    damaged(REVOCATION_FILE, [REVOCATION.encode(), CERTIFICATE_FILE, REVOCATION_LIST_FILE])
    | damaged_json(json.loads(REVOCATION_FILE)).map(
        lambda value: json_text(value).encode("utf-8", "surrogatepass")
    )
)
def test_no_damaged_revocation_is_believed(data: bytes) -> None:
    certificate = parse_certificate(CERTIFICATE)
    found = read_or_refuse(
        lambda: read_revocation_file(data, certificate),
        UsageError,
        DecodeError,
        InvalidSignatureError,
    )
    if found is not None:
        revocation, remarks = found
        assert revocation_text(revocation) == REVOCATION
        assert bool(remarks) is (data.rstrip(b"\r\n") != REVOCATION_FILE)


@fuzzing(100)
@given(
    damaged(REVOCATION_LIST_FILE, [REVOCATION_LIST.encode(), REVOCATION_FILE])
    | damaged_json(json.loads(REVOCATION_LIST_FILE)).map(
        lambda value: json_text(value).encode("utf-8", "surrogatepass")
    )
)
def test_no_damaged_list_of_revocations_is_believed(data: bytes) -> None:
    found = read_or_refuse(
        lambda: read_revocation_list_file(data, R.public_bytes, at=NOW),
        UsageError,
        DecodeError,
        InvalidSignatureError,
    )
    if found is not None:
        revocations, remarks = found
        assert revocation_list_text(revocations) == REVOCATION_LIST
        assert bool(remarks) is (data.rstrip(b"\r\n") != REVOCATION_LIST_FILE)
