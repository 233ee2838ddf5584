from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from mpc_engine.control.post.jobs import (
    attempt_digest,
    certification_text,
    closing_text,
    parse_job,
    required_approvals,
    training_text,
    verification_text,
)
from mpc_engine.control.studies.training_terms import TrainingTerms
from mpc_engine.control.texts.canonical import JsonObject, JsonValue, canonical_text
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind, JobState
from tests.builders.sealing_keys import sealing_key

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
JOB, STUDY, DIGEST = b"j" * 16, b"s" * 16, b"c" * 32

CLOSING = closing_text(
    job_id=JOB, study_id=STUDY, configuration=DIGEST, created_at=NOW, time_limit_s=60
)
CERTIFICATION = certification_text(
    job_id=JOB,
    study_id=STUDY,
    configuration=DIGEST,
    created_at=NOW,
    time_limit_s=60,
    model_id=b"m" * 16,
    record_set=b"r" * 32,
)
TERMS = TrainingTerms("recommended", 300, 64, (("0.01", "1"), ("0.1", "1")), 16, b"o" * 16)
TRAINING = training_text(
    job_id=JOB,
    study_id=STUDY,
    configuration=DIGEST,
    created_at=NOW,
    time_limit_s=60,
    model_ids=[b"m" * 16, b"n" * 16],
    record_set=b"r" * 32,
    recipient=sealing_key(),
    terms=TERMS,
)
VERIFICATION = verification_text(
    job_id=JOB,
    study_id=STUDY,
    configuration=DIGEST,
    created_at=NOW,
    time_limit_s=60,
    certificate_id=b"z" * 16,
    challenges=[b"1" * 16, b"2" * 16],
)


def test_each_kind_reads_back() -> None:
    closing, certification, verification = map(parse_job, (CLOSING, CERTIFICATION, VERIFICATION))
    assert (closing.kind, closing.job_id, closing.created_at) == (JobKind.CLOSING, JOB, NOW)
    assert (certification.model_id, certification.record_set) == (b"m" * 16, b"r" * 32)
    assert (certification.training, verification.training) == (None, None)
    training = parse_job(TRAINING)
    assert (training.kind, training.training) == (JobKind.TRAINING, TERMS)
    assert training.recipient == sealing_key()
    assert (training.model_ids, training.record_set) == ((b"m" * 16, b"n" * 16), b"r" * 32)
    assert (training.model_id, certification.model_ids) == (b"", ())
    assert verification.challenges == (b"1" * 16, b"2" * 16)


def test_only_a_verification_needs_no_approvals() -> None:
    assert required_approvals(JobKind.VERIFICATION) == ()
    assert set(required_approvals(JobKind.CERTIFICATION)) == set(Role)
    assert set(required_approvals(JobKind.TRAINING)) == set(Role)


def test_final_states_are_final() -> None:
    assert {state for state in JobState if state.is_final} == {
        JobState.DONE,
        JobState.FAILED,
        JobState.CANCELLED,
    }


@pytest.mark.parametrize(
    "change",
    [
        {"format": "bj2 job"},
        {"kind": "training"},
        {"job_id": "00"},
        {"time_limit_s": 0},
        {"created_at": "2026-01-31 12:00:00"},
        {"created_at": "2026-02-30T12:00:00Z"},
        {"challenges": []},
        {"challenges": ["31" * 16, "31" * 16]},
        {"challenges": ["zz" * 16]},
        {"extra": "x"},
    ],
)
def test_a_fault_is_named(change: JsonObject) -> None:
    with pytest.raises(UsageError) as caught:
        parse_job(canonical_text({**json.loads(VERIFICATION), **change}))
    assert caught.value.code == "JOB_INVALID"


def test_a_field_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError):
        parse_job(canonical_text({**json.loads(CLOSING), "model_id": "00" * 16}))


@pytest.mark.parametrize(
    "ids", [[], ["6d" * 16], ["6d" * 16] * 2, ["6d" * 16, "6e"], ["6d" * 16, "6e" * 16, "6f" * 16]]
)
def test_a_training_names_one_model_for_every_point(ids: list[JsonValue]) -> None:
    with pytest.raises(UsageError) as caught:
        parse_job(canonical_text({**json.loads(TRAINING), "model_ids": ids}))
    assert caught.value.code == "JOB_INVALID"
    assert "model_ids" in caught.value.sentence


def test_attempts_and_jobs_have_different_digests() -> None:
    digests = {attempt_digest(text, n) for text in (CLOSING, CERTIFICATION) for n in (0, 1)}
    assert len(digests) == 4


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"preset": "quick"}, "preset"),
        ({"steps": 0}, "steps"),
        ({"steps": 1_000_001}, "steps"),
        ({"batch_size": 48}, "batch_size"),
        ({"batch_size": 4}, "batch_size"),
        ({"points": []}, "points"),
        ({"points": [["0.01"]] * 13}, "points"),
        ({"points": [["0.01"], "0.1"]}, "points[1]"),
        ({"points": [[]]}, "points[0]"),
        ({"points": [["0.01"], ["0.01", "-0.1"]]}, "points[1][1]"),
        ({"points": [[1]]}, "points[0][0]"),
        ({"points": [["1e-2"]]}, "points[0][0]"),
        ({"points": [["65536"]]}, "points[0][0]"),
        ({"points": [["0.01"], ["0.01"]]}, "points"),
        ({"output_frac_bits": 0}, "output_frac_bits"),
        ({"output_frac_bits": 23}, "output_frac_bits"),
        ({"order_seed": "00"}, "order_seed"),
        ({"learning_rate": "0.1"}, "learning_rate"),
    ],
)
def test_a_fault_in_the_settings_of_a_training_is_named(change: JsonObject, named: str) -> None:
    value = json.loads(TRAINING)
    with pytest.raises(UsageError) as caught:
        parse_job(canonical_text({**value, "training": {**value["training"], **change}}))
    assert caught.value.code == "JOB_INVALID"
    assert f"training.{named} must" in caught.value.sentence or named == "learning_rate"


@pytest.mark.parametrize(
    "key",
    [
        sealing_key()[:-32] + bytes(32),
        sealing_key()[:-32] + b"\1" + bytes(31),
        b"\xff" * 1184 + sealing_key()[-32:],
        sealing_key()[:-1],
        sealing_key()[-32:],
    ],
    ids=["point of low order", "point one", "not reduced", "cut off", "X25519 alone"],
)
def test_a_model_is_sealed_to_a_usable_key_only(key: bytes) -> None:
    with pytest.raises(UsageError) as caught:
        parse_job(canonical_text({**json.loads(TRAINING), "recipient": key.hex()}))
    assert caught.value.code == "JOB_INVALID"
    assert "job.recipient" in caught.value.sentence
