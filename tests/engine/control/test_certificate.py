from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mpc_engine.control.files.certificate import (
    SecurityModel,
    ThresholdVerdict,
    certificate_file,
    certificate_text,
    check_against_configuration,
    check_certificate_file,
    parse_certificate,
    sign_certificate,
)
from mpc_engine.control.texts.canonical import canonical_text
from mpc_engine.crypto.signatures import Ed25519SigningKey
from mpc_engine.errors import EngineError, InvalidCertificateError
from mpc_engine.roles import Role
from mpc_engine.testing.randomness import seeded_randomness
from tests.builders.study_drafts import completed, make_configuration, make_draft

M, R, OTHER = (Ed25519SigningKey.generate(seeded_randomness(seed)) for seed in (1, 2, 3))
KEYS = {Role.MODELER: M.public_bytes, Role.REGULATOR: R.public_bytes}
NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
STUDY = completed(make_draft(), KEYS)
VERDICTS = [
    ThresholdVerdict(criterion, threshold, verdict)
    for (criterion, threshold), verdict in zip(
        STUDY.policy.limits, ("PASS", "PASS", "FAIL", "FAIL", "PASS"), strict=True
    )
]
MODELS = [
    SecurityModel("p_rule", "malicious modeler"),
    SecurityModel("acceptance_rate_difference", "malicious modeler, 2^-61"),
]


def _text() -> str:
    return certificate_text(
        STUDY,
        certificate_id=b"c" * 16,
        record_set=b"r" * 32,
        n_records=7,
        model_id=b"m" * 16,
        model_signature=b"s" * 32,
        thresholds=VERDICTS,
        code_digest=b"d" * 32,
        security_models=MODELS,
        valid_from=NOW,
        valid_until=NOW + timedelta(days=30),
    )


def _file(text: str, m: Ed25519SigningKey = M, r: Ed25519SigningKey = R) -> bytes:
    return certificate_file(text, sign_certificate(text, m), sign_certificate(text, r)).encode()


def test_a_file_with_both_signatures_checks_offline() -> None:
    certificate = check_certificate_file(_file(_text()), KEYS, at=NOW, configuration=STUDY)
    assert certificate.n_records == 7
    assert parse_certificate(certificate.text) == certificate


@pytest.mark.parametrize(
    ("m", "r", "code"),
    [
        (OTHER, R, "CERTIFICATE_MODELER_SIGNATURE_INVALID"),
        (M, OTHER, "CERTIFICATE_REGULATOR_SIGNATURE_INVALID"),
    ],
)
def test_the_party_whose_signature_is_wrong_is_named(
    m: Ed25519SigningKey, r: Ed25519SigningKey, code: str
) -> None:
    with pytest.raises(InvalidCertificateError) as caught:
        check_certificate_file(_file(_text(), m, r), KEYS, at=NOW)
    assert caught.value.code == code


def test_an_unpublished_key_is_named() -> None:
    keys = {**KEYS, Role.REGULATOR: OTHER.public_bytes}
    with pytest.raises(InvalidCertificateError) as caught:
        check_certificate_file(_file(_text()), keys, at=NOW)
    assert caught.value.code == "CERTIFICATE_REGULATOR_KEY_DIFFERENT"


@pytest.mark.parametrize("days", [-1, 30])
def test_dates_are_checked(days: int) -> None:
    with pytest.raises(InvalidCertificateError) as caught:
        check_certificate_file(_file(_text()), KEYS, at=NOW + timedelta(days=days))
    assert caught.value.code == "CERTIFICATE_NOT_CURRENT"


def test_any_altered_byte_of_the_text_is_noticed() -> None:
    text = _text()
    for position in range(0, len(text), 7):
        altered = text[:position] + chr(ord(text[position]) ^ 1) + text[position + 1 :]
        value = {**json.loads(_file(text)), "text": altered}
        with pytest.raises(EngineError):
            check_certificate_file(json.dumps(value).encode(), KEYS, at=NOW)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"configuration": "00" * 32}, "configuration"),
        ({"study_id": "00" * 16}, "study_id"),
        ({"protocol_version": "bj1"}, "protocol_version"),
        ({"base_ots": "Masny-Rindal 2019 from edwards25519"}, "base_ots"),
        ({"thresholds": [VERDICTS[0].to_json()]}, "thresholds"),
        ({"thresholds": [row.to_json() for row in reversed(VERDICTS)]}, "thresholds"),
        ({"policy": {**STUDY.policy.to_json(), "minimum_group": 3}}, "policy"),
        ({"security_models": [MODELS[0].to_json()]}, "security_models"),
    ],
)
def test_a_field_that_differs_from_the_study_is_named(change: dict[str, Any], named: str) -> None:
    certificate = parse_certificate(canonical_text({**json.loads(_text()), **change}))
    with pytest.raises(InvalidCertificateError, match=named):
        check_against_configuration(certificate, STUDY)


def test_a_certificate_carries_the_policy_and_the_security_of_each_criterion() -> None:
    certificate = parse_certificate(_text())
    assert certificate.policy == STUDY.policy
    assert certificate.thresholds == tuple(VERDICTS)
    assert certificate.security_models == tuple(MODELS)


def test_another_study_is_noticed() -> None:
    with pytest.raises(InvalidCertificateError):
        check_certificate_file(_file(_text()), KEYS, at=NOW, configuration=make_configuration())


@pytest.mark.parametrize("data", [b"", b"{}", b"null", b"[1]", b"\xff", b'{"text":1}'])
def test_files_that_are_no_certificate_are_refused(data: bytes) -> None:
    with pytest.raises(EngineError):
        check_certificate_file(data, KEYS, at=NOW)
