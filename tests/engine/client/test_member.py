"""Members sign what they checked, and nothing else; parties' words are verified."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mpc_engine.client.checks import drafted_configuration, job_of, training_of
from mpc_engine.client.export import fitted_model_text
from mpc_engine.client.jobs import checked_certificate, wait_for_job
from mpc_engine.client.member import Member
from mpc_engine.control.files.certificate import (
    SecurityModel,
    ThresholdVerdict,
    certificate_text,
    sign_certificate,
)
from mpc_engine.control.files.descriptor import approver_file
from mpc_engine.control.post.jobs import certification_text, training_text
from mpc_engine.control.studies.configuration import (
    Configuration,
    complete_draft,
    party_without_keys,
)
from mpc_engine.control.studies.study_texts import (
    Revocation,
    parse_approved_body,
    parse_deployment,
    parse_invitations,
    parse_revocation,
)
from mpc_engine.control.studies.takeover import parse_takeover
from mpc_engine.control.studies.training_terms import TrainingTerms
from mpc_engine.control.texts.approvals import Approval, verify_approval
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import parse_time
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.errors import (
    InvalidCertificateError,
    InvalidSignatureError,
    SiteRefusalError,
    UsageError,
)
from mpc_engine.roles import Role
from mpc_engine.sharing.credentials import credential
from mpc_engine.sharing.sealed import open_sealed, unpad_message
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.runs import JobKind
from tests.builders.sealing_keys import sealing_key

NOW = parse_time("2026-06-01T00:00:00Z")
JOB, MODEL, RECORDS = bytes([1] * 16), bytes([2] * 16), bytes([3] * 32)
KEY = P256SigningKey.generate(seeded_randomness(9))
TRUSTED = {Role.MODELER: {KEY.key_id: KEY.public_bytes}}
RECIPIENT = sealing_key()
SETTINGS = {"steps": 300, "points": [["0.01"]], "output_frac_bits": 16}
METRICS = dict.fromkeys(
    ("elapsed_ms", "bytes_sent", "bytes_received", "rounds", "and_gates", "ots"), 5
)


@pytest.fixture
def mo(site: Any, tmp_path: Path) -> Member:
    path = tmp_path / "approver.json"
    path.write_text(approver_file(Role.MODELER, KEY) + "\n", encoding="utf-8")
    return Member.with_key_file(site, path)


def proposed(site: Any, kind: str, text: str) -> None:
    site.pages["/api/v1/proposals/p1"] = {"id": "p1", "kind": kind, "text": text}


def verified(kind: str, text: str, posted: Any) -> None:
    signature = base64.b64decode(posted["signature"])
    approval = Approval(Role.MODELER, bytes.fromhex(posted["key_id"]), signature)
    verify_approval(kind, text, approval, TRUSTED)


def training(configuration: Configuration, *, other: bool = False, **changes: Any) -> str:
    terms = {
        "preset": "recommended",
        "steps": 300,
        "batch_size": 64,
        "points": (("0.01",),),
        "output_frac_bits": 16,
        "order_seed": bytes(16),
    }
    return training_text(
        job_id=JOB,
        study_id=configuration.study_id,
        configuration=configuration.digest,
        created_at=NOW,
        time_limit_s=60,
        model_ids=[MODEL],
        record_set=bytes(32) if other else RECORDS,
        recipient=RECIPIENT,
        terms=TrainingTerms(**{**terms, **changes}),
    )


def certification(configuration: Configuration, model_id: bytes = MODEL) -> str:
    return certification_text(
        job_id=JOB,
        study_id=configuration.study_id,
        configuration=configuration.digest,
        created_at=NOW,
        time_limit_s=60,
        model_id=model_id,
        record_set=RECORDS,
    )


def test_approval_signs_the_exact_text_of_the_proposal(site: Any, mo: Member) -> None:
    text = certification(site.study.configuration)
    proposed(site, "certification", text)
    check = job_of(
        site.study, JobKind.CERTIFICATION, model_id=MODEL.hex(), record_set=RECORDS.hex()
    )
    assert mo.approve("p1", "certification", check) == text
    path, posted = site.posted[-1]
    assert path == "/api/v1/proposals/p1/approvals"
    verified("certification", text, posted)


def test_job_on_another_model_is_not_signed(site: Any, mo: Member) -> None:
    proposed(site, "certification", certification(site.study.configuration, bytes(16)))
    check = job_of(
        site.study, JobKind.CERTIFICATION, model_id=MODEL.hex(), record_set=RECORDS.hex()
    )
    with pytest.raises(UsageError) as caught:
        mo.approve("p1", "certification", check)
    assert caught.value.code == "PROPOSAL_DIFFERENT"
    assert site.posted == []


def test_a_training_is_proposed_as_asked(site: Any, mo: Member) -> None:
    site.answers[f"{site.study.path}/trainings"] = {"id": "p1"}
    assert mo.propose_training(site.study, SETTINGS, RECIPIENT) == "p1"
    sent = {**SETTINGS, "recipient": RECIPIENT.hex()}
    assert site.posted[-1] == (f"{site.study.path}/trainings", sent)


def test_trained_models_are_handed_over_by_a_signed_text(site: Any, mo: Member) -> None:
    site.answers[f"{site.study.path}/takeovers"] = []
    trained = [MODEL.hex(), "ab" * 16]
    ids = mo.take_over(site.study, trained)
    path, posted = site.posted[-1]
    assert path == f"{site.study.path}/takeovers"
    takeover = parse_takeover(posted["text"])
    configuration = site.study.configuration
    assert (takeover.study_id, takeover.configuration) == (
        configuration.study_id,
        configuration.digest,
    )
    found = {new.hex(): old.hex() for new, old in takeover.trained_as.items()}
    assert found == dict(zip(ids, trained, strict=True))
    verified("takeover", posted["text"], posted)


def test_a_revocation_is_signed_with_its_reason(site: Any, mo: Member) -> None:
    path = f"/api/v1/certificates/{MODEL.hex()}/revocation"
    site.answers[path] = {}
    mo.revoke(MODEL.hex(), "The sample was wrong.", NOW)
    address, posted = site.posted[-1]
    assert address == path
    assert parse_revocation(posted["text"]) == Revocation(MODEL, "The sample was wrong.", NOW)
    verified("revocation", posted["text"], posted)


def test_dates_that_nobody_gave_are_the_sites(
    site: Any, mo: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mpc_engine.client.member.time.sleep", lambda _: None)
    site.pages["/api/v1/clock"] = {"now": "2026-03-04T05:06:07Z"}
    site.answers[f"/api/v1/certificates/{MODEL.hex()}/revocation"] = {}
    mo.revoke(MODEL.hex(), "The sample was wrong.")
    stated = parse_revocation(site.posted[-1][1]["text"]).revoked_at
    assert stated == datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    site.answers[f"/api/v1/models/{MODEL.hex()}/deployment"] = {}
    mo.deploy(site.study, MODEL.hex())
    _, _, stated = parse_deployment(site.posted[-1][1]["text"])
    assert stated == datetime(2026, 3, 4, 5, 6, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    "changes", [{"steps": 301}, {"points": (("0.1",),)}, {"output_frac_bits": 17}, {"other": True}]
)
def test_another_training_is_not_signed(site: Any, mo: Member, changes: dict[str, Any]) -> None:
    check = training_of(site.study, SETTINGS, record_set=RECORDS.hex(), recipient=RECIPIENT)
    proposed(site, "training", training(site.study.configuration))
    mo.approve("p1", "training", check)
    site.posted.clear()
    proposed(site, "training", training(site.study.configuration, **changes))
    with pytest.raises(UsageError) as caught:
        mo.approve("p1", "training", check)
    assert caught.value.code == "PROPOSAL_DIFFERENT"
    assert site.posted == []


def test_proposal_of_another_kind_is_not_signed(site: Any, mo: Member) -> None:
    proposed(site, "closing", "{}")
    with pytest.raises(UsageError):
        mo.approve("p1", "certification", lambda text: None)
    assert site.posted == []


def test_configuration_that_differs_from_the_draft_is_not_signed(
    site: Any, draft: dict[str, Any]
) -> None:
    configuration = site.study.configuration
    published: Any = {
        role: SimpleNamespace(signing_key=party.entry.signing_key)
        for role, party in site.parties.items()
    }
    check = drafted_configuration(draft, configuration.study_id, published)
    check(configuration.text)
    parties = {role.value: party.entry for role, party in site.parties.items()}
    other = complete_draft(
        draft | {"retention_days": 31}, study_id=configuration.study_id, **parties
    )
    stranger = parties | {"regulator": party_without_keys("regulator")}
    forged = complete_draft(draft, study_id=configuration.study_id, **stranger)
    for text in (other.text, forged.text):
        with pytest.raises(UsageError) as caught:
            check(text)
        assert caught.value.code == "PROPOSAL_DIFFERENT"


def test_each_party_gets_the_credentials_of_its_role_and_no_code(site: Any, mo: Member) -> None:
    made = mo.invite(site.study, 3)
    path, posted = site.posted[-1]
    assert path == f"{site.study.path}/invitations"
    for role in Role:
        text = posted[f"{role.value}_text"]
        listed = parse_invitations(text)
        assert listed.role is role
        assert listed.credentials == {i.record_id: credential(i.code, role) for i in made}
        signed = {"key_id": posted["key_id"], "signature": posted[f"{role.value}_signature"]}
        verified("invitations", text, signed)
        assert not any(i.code.hex() in text or i.code.hex() in repr(i) for i in made)


def test_model_opens_for_the_modelers_party_with_its_approval(site: Any, mo: Member) -> None:
    configuration = site.study.configuration
    linear = SimpleNamespace(coef_=[[0.5, -1]], intercept_=[0.25], classes_=[0, 1])
    model = fitted_model_text(linear, configuration)
    model_id = bytes.fromhex(mo.hand_in_model(site.study, "First", model))
    _, posted = site.posted[-1]
    party = site.parties[Role.MODELER].sealing_key
    plaintext = open_sealed(
        "model",
        Role.MODELER,
        configuration.study_id,
        configuration.digest,
        party.key_id,
        party,
        model_id,
        base64.b64decode(posted["envelope"]),
    )
    body, approval = parse_approved_body(unpad_message(plaintext), "model", "MODEL_INVALID")
    assert body == model
    verify_approval("model", body, approval, TRUSTED)


def test_model_of_another_study_is_not_sent(site: Any, mo: Member) -> None:
    with pytest.raises(UsageError):
        mo.hand_in_model(site.study, "First", '{"format":"bj1 model"}')
    assert site.posted == []


def test_refused_model_is_told_with_the_partys_reason(site: Any, mo: Member) -> None:
    refusal = {"code": "MODEL_OTHER_CONFIGURATION", "sentence": "Made for another study."}
    site.pages[f"/api/v1/models/{MODEL.hex()}"] = {"state": "REFUSED", "refusal": refusal}
    with pytest.raises(SiteRefusalError, match="another study"):
        mo.wait_for_model(MODEL.hex(), timeout_s=1)


def results(site: Any, job_id: bytes = JOB) -> list[dict[str, str]]:
    outcome = {
        "verdict": "FAIL",
        "reason": "",
        "model_id": MODEL.hex(),
        "thresholds": [{"criterion": "p_rule", "threshold": "80", "verdict": "FAIL"}],
    }
    return [
        party.says(
            "job_result",
            job_id=job_id.hex(),
            attempt=1,
            job_kind="certification",
            outcome=outcome,
            metrics=METRICS,
        )
        for party in site.parties.values()
    ]


def test_report_holds_what_both_parties_signed(site: Any) -> None:
    job = {"state": "DONE", "results": results(site), "failure": None}
    site.pages[f"/api/v1/jobs/{JOB.hex()}"] = job
    report = wait_for_job(site, site.study, JOB.hex(), timeout_s=1)
    assert [report.outcome(role)["verdict"] for role in Role] == ["FAIL", "FAIL"]
    assert report.metric(Role.REGULATOR, "rounds") == 5


def test_altered_or_borrowed_results_are_found(site: Any) -> None:
    path = f"/api/v1/jobs/{JOB.hex()}"
    altered = results(site)
    altered[0]["body"] = altered[0]["body"].replace("FAIL", "PASS")
    borrowed = results(site, bytes(16))
    swapped = [{**row, "role": Role(row["role"]).peer.value} for row in results(site)]
    for statements in (altered, borrowed, swapped):
        site.pages[path] = {"state": "DONE", "results": statements, "failure": None}
        with pytest.raises(InvalidSignatureError):
            wait_for_job(site, site.study, JOB.hex(), timeout_s=1)


def test_failed_job_is_told_with_its_reason(site: Any) -> None:
    failure = {"code": "PEER_TIMEOUT", "sentence": "The other party did not answer."}
    job = {"state": "FAILED", "results": [], "failure": failure}
    site.pages[f"/api/v1/jobs/{JOB.hex()}"] = job
    with pytest.raises(SiteRefusalError) as caught:
        wait_for_job(site, site.study, JOB.hex(), timeout_s=1)
    assert caught.value.code == "PEER_TIMEOUT"


def test_certificate_is_checked_in_both_signatures_and_against_the_study(site: Any) -> None:
    configuration = site.study.configuration
    text = certificate_text(
        configuration,
        certificate_id=bytes(16),
        record_set=RECORDS,
        n_records=9,
        model_id=MODEL,
        model_signature=bytes(32),
        thresholds=[
            ThresholdVerdict(criterion, threshold, "PASS")
            for criterion, threshold in configuration.policy.limits
        ],
        code_digest=bytes(32),
        security_models=[
            SecurityModel(item.criterion, "malicious modeler")
            for item in configuration.policy.criteria
        ],
        valid_from=NOW,
        valid_until=parse_time("2026-07-01T00:00:00Z"),
    )
    outcome: JsonObject = {"certificate": text}
    for role, party in site.parties.items():
        outcome[f"{role.value}_signature"] = sign_certificate(text, party.signing_key).hex()
    assert checked_certificate(site.study, outcome).model_id == MODEL
    broken = outcome | {"certificate": text.replace('"n_records":9', '"n_records":8')}
    swapped = outcome | {"modeler_signature": outcome["regulator_signature"]}
    for forged in (broken, swapped):
        with pytest.raises(InvalidCertificateError):
            checked_certificate(site.study, forged)
