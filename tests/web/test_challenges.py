"""Challenges: a person's case from the sealed claim to the signed answer."""

from __future__ import annotations

import html
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.challenges.models import Challenge
from blindjustice_web.conduct.watchdog import look_once
from blindjustice_web.jobs.models import Job
from tests.web.drafts import envelope, some_id
from tests.web.parties import asked_now, line_report
from tests.web.stories import World

pytestmark = pytest.mark.database


def _answered(world: World, outcome: str, **read: str) -> tuple[Certificate, Challenge]:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    world.challenge_read(certificate, challenge_id, **read)
    world.verification_result(Job.objects.get(kind="verification"), {challenge_id: outcome})
    return certificate, Challenge.objects.get(pk=challenge_id)


def test_the_sealed_claim_goes_to_the_regulator_s_party_only(world: World) -> None:
    certificate = world.certified()
    world.challenge("uma", certificate)
    (task,) = world.broker.of_kind("challenge")
    assert task.role.value == "regulator"
    assert task.payload["envelope"] == envelope("challenge uma ")


def test_a_challenge_needs_a_log_in(world: World) -> None:
    certificate = world.certified()
    body = {
        "challenge_id": some_id("c"),
        "certificate_id": certificate.id,
        "envelope": envelope("c"),
        "source": "typed",
    }
    answer = world.post("anonymous", "/challenges", body)
    assert (answer.status_code, answer.json()["code"]) == (401, "LOG_IN_NEEDED")


def test_a_readable_challenge_is_verified_by_a_job(world: World) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    assert world.get("uma", f"/challenges/{challenge_id}").json()["state"] == "RECEIVED"
    world.challenge_read(certificate, challenge_id)
    assert world.get("uma", f"/challenges/{challenge_id}").json()["state"] == "RUNNING"
    job = Job.objects.get(kind="verification")
    assert challenge_id in job.spec
    assert job.subject_id == certificate.id
    assert world.broker.of_kind("run_job")[-1].payload["approvals"] == []


@pytest.mark.parametrize("outcome", ["CONFIRMED", "DIFFERENT_DECISION", "DIFFERENT_MODEL"])
def test_the_outcome_is_the_regulator_s_signed_word(world: World, outcome: str) -> None:
    _certificate, challenge = _answered(world, outcome)
    shown = world.get("uma", f"/challenges/{challenge.id}").json()
    assert (shown["state"], shown["outcome"]) == ("ANSWERED", outcome)
    assert outcome in shown["answer"]["body"]
    assert shown["answer"]["role"] == "regulator"
    assert shown["sentence"]


def test_a_modeler_can_not_answer_a_challenge(world: World) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    said = world.parties.modeler.says(
        "challenge_accepted",
        challenge_id=challenge_id,
        certificate_id=certificate.id,
        source="record",
    )
    assert not said
    assert Challenge.objects.get().state == "RECEIVED"


def test_a_refused_challenge_says_why(world: World) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    world.parties.regulator.says(
        "challenge_refused",
        challenge_id=challenge_id,
        code="RECORD_SIGNATURE_INVALID",
        sentence="The decision record is not signed by the modeler.",
    )
    shown = world.get("uma", f"/challenges/{challenge_id}").json()
    assert shown["state"] == "REFUSED"
    assert shown["refusal"]["code"] == "RECORD_SIGNATURE_INVALID"


def test_waiting_challenges_share_one_job(world: World) -> None:
    certificate = world.certified()
    ids = [world.challenge("uma", certificate, tag) for tag in ("one", "two", "three")]
    for challenge_id in ids:
        world.challenge_read(certificate, challenge_id)
    first, second = Job.objects.filter(kind="verification").order_by("created_at")
    assert ids[0] in first.spec
    assert all(challenge_id in second.spec for challenge_id in ids[1:])
    assert second.state == "QUEUED"
    world.verification_result(first, {ids[0]: "CONFIRMED"})
    second.refresh_from_db()
    assert second.state == "RUNNING"
    world.verification_result(second, {ids[1]: "CONFIRMED", ids[2]: "DIFFERENT_DECISION"})
    outcomes = dict(Challenge.objects.values_list("id", "outcome"))
    assert outcomes == {ids[0]: "CONFIRMED", ids[1]: "CONFIRMED", ids[2]: "DIFFERENT_DECISION"}


def test_a_case_the_report_leaves_out_is_not_answered(world: World) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    world.challenge_read(certificate, challenge_id)
    job = Job.objects.get(kind="verification")
    world.verification_result(job, {some_id("another"): "CONFIRMED"})
    assert Challenge.objects.get(pk=challenge_id).outcome == "NOT_ANSWERED"


def test_the_regulator_s_word_counts_even_if_the_modeler_hangs_up(world: World) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    world.challenge_read(certificate, challenge_id)
    job = Job.objects.get(kind="verification")
    world.parties.modeler.says(
        "job_failed", job_id=job.id, attempt=1, code="CHANNEL_CLOSED", sentence="."
    )
    world.verification_result(job, {challenge_id: "DIFFERENT_MODEL"})
    job.refresh_from_db()
    assert job.state == "DONE"
    assert Challenge.objects.get(pk=challenge_id).outcome == "DIFFERENT_MODEL"


def test_a_deadline_that_passes_answers_not_answered(world: World) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    Challenge.objects.update(deadline=timezone.now() - timedelta(seconds=1))
    look_once()
    assert Challenge.objects.get(pk=challenge_id).outcome == "NOT_ANSWERED"


@pytest.mark.parametrize(
    ("outcome", "source", "n_alarms"),
    [
        ("CONFIRMED", "record", 0),
        ("DIFFERENT_DECISION", "record", 1),
        ("DIFFERENT_MODEL", "record", 1),
        ("NOT_ANSWERED", "record", 1),
        ("DIFFERENT_DECISION", "typed", 0),
    ],
)
def test_alarms_come_from_signed_records_only(
    world: World, outcome: str, source: str, n_alarms: int
) -> None:
    certificate, _challenge = _answered(world, outcome, source=source)
    shown = world.get("anonymous", f"/certificates/{certificate.id}").json()
    assert shown["alarms"] == n_alarms
    page = world.clients["rae"].get("/regulator/")
    assert len(page.context["alarms"]) == n_alarms


def test_typed_challenges_are_limited_per_certificate(world: World) -> None:
    certificate = world.certified()
    for tag in ("one", "two"):
        world.challenge("uma", certificate, tag, source="typed")
    body = {
        "challenge_id": some_id("c"),
        "certificate_id": certificate.id,
        "envelope": envelope("c"),
        "source": "typed",
    }
    answer = world.post("umar", "/challenges", body)
    assert (answer.status_code, answer.json()["code"]) == (429, "TYPED_CHALLENGE_LIMIT")
    assert world.post("umar", "/challenges", body | {"source": "record"}).status_code == 202


def test_an_expired_certificate_takes_no_challenge(world: World) -> None:
    certificate = world.certified()
    Certificate.objects.update(valid_until=timezone.now() - timedelta(days=1))
    body = {
        "challenge_id": some_id("c"),
        "certificate_id": certificate.id,
        "envelope": envelope("c"),
        "source": "record",
    }
    refused = world.post("uma", "/challenges", body).json()
    assert refused["code"] == "CERTIFICATE_NOT_CURRENT"
    assert "Ask the modeler" in refused["next"]
    for party in world.parties:
        party.clock_ahead = timedelta(hours=-1)
        meeting = {"check_id": some_id("c"), "asked_at": asked_now(), "report": line_report()}
        assert party.says("line_checked", **meeting)
    refused = world.post("uma", "/challenges", body).json()
    assert "modeler" not in refused["next"]
    assert "This site's clock is off" in refused["next"]


def test_a_case_is_opened_once_and_is_its_owner_s(world: World) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    world.challenge("uma", certificate)
    assert Challenge.objects.count() == 1
    body = {
        "challenge_id": challenge_id,
        "certificate_id": certificate.id,
        "envelope": envelope("c"),
        "source": "record",
    }
    assert world.post("umar", "/challenges", body).json()["code"] == "CHALLENGE_ID_TAKEN"


def test_a_person_can_not_see_another_s_case(world: World) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    for who in ("umar", "mo", "mia"):
        assert world.get(who, f"/challenges/{challenge_id}").status_code == 404
    assert world.get("rae", f"/challenges/{challenge_id}").status_code == 200
    assert world.get("umar", "/challenges").json() == []


def test_the_owner_s_page_has_the_signed_answer(world: World) -> None:
    _certificate, challenge = _answered(world, "CONFIRMED")
    page = world.clients["uma"].get(f"/me/challenges/{challenge.id}/")
    receipt = page.context["receipt"]
    assert receipt["key"] == world.parties.regulator.signing_key.public_bytes.hex()
    assert challenge.id in receipt["body"]


def _typed(world: World, who: str, certificate: Certificate, tag: str) -> Any:
    body = {
        "challenge_id": some_id(f"typed {who} {tag}"),
        "certificate_id": certificate.id,
        "envelope": envelope(f"typed {who} {tag}"),
        "source": "typed",
    }
    return world.post(who, "/challenges", body)


def test_typed_challenges_are_limited_per_person_over_all_certificates(
    world: World, settings: Any
) -> None:
    settings.TYPED_CHALLENGES_PER_PERSON = 2
    first = world.certified(typed_challenge_limit=10)
    second = world.certified(typed_challenge_limit=10, title="Another study")
    assert _typed(world, "uma", first, "one").status_code == 202
    assert _typed(world, "uma", second, "two").status_code == 202
    refused = _typed(world, "uma", second, "three")
    assert (refused.status_code, refused.json()["code"]) == (429, "TYPED_CHALLENGE_LIMIT_PERSON")
    assert "2 decisions" in refused.json()["detail"]
    assert "signed record" in refused.json()["next"]
    page = world.clients["uma"].get(f"/me/challenges/new/?certificate={second.id}")
    assert refused.json()["detail"] in page.content.decode()
    assert _typed(world, "umar", second, "one").status_code == 202
    world.challenge("uma", second, "with a record")
    assert Challenge.objects.count() == 4


def test_a_month_later_a_person_may_type_again(world: World, settings: Any) -> None:
    settings.TYPED_CHALLENGES_PER_PERSON = 1
    certificate = world.certified(typed_challenge_limit=10)
    assert _typed(world, "uma", certificate, "one").status_code == 202
    assert _typed(world, "uma", certificate, "two").status_code == 429
    Challenge.objects.update(created_at=timezone.now() - timedelta(days=31))
    assert _typed(world, "uma", certificate, "three").status_code == 202


def test_what_could_not_be_read_is_not_counted(world: World, settings: Any) -> None:
    settings.TYPED_CHALLENGES_PER_PERSON = 1
    certificate = world.certified(typed_challenge_limit=10)
    challenge_id = _typed(world, "uma", certificate, "one").json()["challenge_id"]
    world.parties.regulator.says(
        "challenge_refused", challenge_id=challenge_id, code="DECODE_FAILED", sentence="."
    )
    assert _typed(world, "uma", certificate, "two").status_code == 202


@pytest.mark.parametrize(("limit", "state"), [(1, "REFUSED"), (2, "QUEUED")])
def test_a_typed_decision_that_was_said_to_be_a_record_is_counted(
    world: World, settings: Any, limit: int, state: str
) -> None:
    settings.TYPED_CHALLENGES_PER_PERSON = limit
    certificate = world.certified(typed_challenge_limit=10)
    assert _typed(world, "uma", certificate, "one").status_code == 202
    challenge_id = world.challenge("uma", certificate)
    assert world.challenge_read(certificate, challenge_id, source="typed")
    challenge = Challenge.objects.get(pk=challenge_id)
    assert (challenge.state, challenge.source) == (state, "typed")
    refused = state == "REFUSED"
    assert challenge.refusal_code == ("TYPED_CHALLENGE_LIMIT_PERSON" if refused else "")
    assert Job.objects.filter(kind="verification").exists() is not refused


def test_the_same_case_is_shown_though_the_limit_is_used_up(world: World, settings: Any) -> None:
    settings.TYPED_CHALLENGES_PER_PERSON = 1
    certificate = world.certified(typed_challenge_limit=10)
    first = _typed(world, "uma", certificate, "one")
    assert _typed(world, "uma", certificate, "one").json() == first.json()


@pytest.mark.parametrize(
    "outcome", ["CONFIRMED", "DIFFERENT_DECISION", "DIFFERENT_MODEL", "NOT_ANSWERED"]
)
def test_every_outcome_says_what_it_means_and_what_to_do(world: World, outcome: str) -> None:
    certificate = world.certified()
    before = world.clients["uma"].get("/me/challenges/new/").context["outcomes"]
    (told,) = [view for view in before if view.outcome.value == outcome]
    assert told.sentence
    assert told.next
    case = world.challenge("uma", certificate)
    world.challenge_read(certificate, case)
    world.verification_result(Job.objects.get(kind="verification"), {case: outcome})
    page = world.clients["uma"].get(f"/me/challenges/{case}/")
    assert page.context["challenge"].outcome_next == told.next
    assert told.next in html.unescape(page.content.decode())


def test_the_signed_answer_is_a_qr_code_of_its_owner(world: World) -> None:
    certificate = world.certified()
    case = world.challenge("uma", certificate)
    address = f"/me/challenges/{case}/qr.svg"
    assert world.clients["uma"].get(address).status_code == 404
    world.challenge_read(certificate, case)
    world.verification_result(Job.objects.get(kind="verification"), {case: "CONFIRMED"})
    assert world.clients["uma"].get(address)["Content-Type"] == "image/svg+xml"
    for who in ("umar", "mo", "rae"):
        assert world.clients[who].get(address).status_code == 404
    assert world.clients["anonymous"].get(address).status_code == 302


def test_an_answer_that_fits_no_qr_code_offers_none_and_says_so(world: World) -> None:
    _certificate, challenge = _answered(world, "CONFIRMED")
    address = f"/me/challenges/{challenge.id}/"
    assert "/qr.svg" in world.clients["uma"].get(address).content.decode()
    Challenge.objects.update(answer_body=challenge.answer_body * 10)
    page = world.clients["uma"].get(address).content.decode()
    assert "/qr.svg" not in page
    assert "too long for a QR code" in page
    assert world.clients["uma"].get(f"{address}qr.svg").status_code == 404
