"""A revocation reaches both parties, whatever happens on the way, and everybody sees it."""

from __future__ import annotations

import hashlib
import html
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from blindjustice_web.audit.models import AuditEntry, EntryKind
from blindjustice_web.certificates.models import (
    Certificate,
    Revocation,
    RevocationDelivery,
    RevocationList,
)
from blindjustice_web.certificates.revocations import TRY_AGAIN_AFTER
from blindjustice_web.conduct.watchdog import look_once
from blindjustice_web.jobs.models import Job
from blindjustice_web.post.models import OutgoingTask
from blindjustice_web.studies.models import PartyRefusal
from mpc_engine.control.files.certificate import parse_certificate
from mpc_engine.control.files.revocation import (
    check_revocation_file,
    check_revocation_list_file,
    sign_revocation,
)
from mpc_engine.control.post.orders import read_order
from tests.web.revocations import REASON, acknowledge, revocation, revoke, sign, tell_list
from tests.web.stories import World

pytestmark = pytest.mark.database


def _revoked(world: World, **changes: Any) -> Certificate:
    certificate = world.certified(**changes)
    assert revoke(world, certificate) == 201
    return certificate


def _states(certificate: Certificate) -> dict[str, str]:
    rows = RevocationDelivery.objects.filter(revocation=certificate.pk)
    return {row.role: row.state for row in rows}


def _parties(world: World, certificate: Certificate) -> dict[str, tuple[str, str]]:
    shown = world.get("anonymous", f"/certificates/{certificate.id}").json()
    parties = shown["revocation"]["parties"]
    return {party["role"]: (party["state"], party["code"]) for party in parties}


def test_a_revocation_goes_to_the_regulators_party_and_its_statement_to_the_modelers(
    world: World,
) -> None:
    certificate = _revoked(world)
    (order,) = world.broker.of_kind("sign_revocation")
    assert order.role.value == "regulator"
    assert read_order(order.kind, order.payload)
    assert not world.broker.of_kind("take_revocation")
    assert _states(certificate) == {"regulator": "SENT"}
    assert sign(world, certificate)
    (order,) = world.broker.of_kind("take_revocation")
    assert order.role.value == "modeler"
    assert read_order(order.kind, order.payload)
    assert _states(certificate) == {"regulator": "ACKNOWLEDGED", "modeler": "SENT"}
    assert acknowledge(world, certificate)
    assert _states(certificate) == {"regulator": "ACKNOWLEDGED", "modeler": "ACKNOWLEDGED"}
    assert [task.kind for task in OutgoingTask.objects.all()] == ["list_revocations"]
    taken = AuditEntry.objects.filter(kind=EntryKind.REVOCATION_ACKNOWLEDGED)
    assert taken.count() == 2


@pytest.mark.slow
def test_a_revocation_is_sent_until_it_is_answered(world: World) -> None:
    world.broker.is_away = True
    certificate = _revoked(world)
    assert not world.broker.of_kind("sign_revocation")
    world.broker.is_away = False
    for sent in (1, 2):
        OutgoingTask.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        look_once()
        assert len(world.broker.of_kind("sign_revocation")) == sent
    assert sign(world, certificate)
    OutgoingTask.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    look_once()
    assert len(world.broker.of_kind("sign_revocation")) == 2
    assert len(world.broker.of_kind("take_revocation")) == 2


def test_an_answer_that_comes_again_changes_nothing(world: World) -> None:
    certificate = _revoked(world)
    for _ in range(2):
        assert sign(world, certificate)
        assert acknowledge(world, certificate)
    assert len(world.broker.of_kind("take_revocation")) == 1
    assert AuditEntry.objects.filter(kind=EntryKind.REVOCATION_ACKNOWLEDGED).count() == 2


@pytest.mark.slow
def test_only_the_right_party_speaks_and_only_of_what_is_revoked(world: World) -> None:
    certificate = _revoked(world)
    other = world.certified(title="Another study")
    values = {
        "study_id": certificate.study_id,
        "certificate_id": certificate.id,
        "revocation": hashlib.sha256(Revocation.objects.get().text.encode()).hexdigest(),
    }
    signed = {**values, "statement_signature": "00" * 64}
    assert not world.parties.modeler.says("revocation_signed", **signed)
    assert not world.parties.regulator.says("certificate_revoked", **values)
    assert not world.parties.modeler.says("certificate_revoked", **values), "never sent there"
    assert not sign(world, certificate, certificate_id=other.id)
    assert not sign(world, certificate, study_id=other.study_id)
    assert _states(certificate) == {"regulator": "SENT"}


def test_a_statement_that_does_not_verify_is_not_passed_on(world: World) -> None:
    certificate = _revoked(world)
    text = Revocation.objects.get().text
    by_modeler = sign_revocation(text, world.parties.modeler.signing_key).hex()
    assert sign(world, certificate, statement_signature=by_modeler)
    assert _parties(world, certificate)["regulator"] == ("REFUSED", "REVOCATION_SIGNATURE_INVALID")
    assert not world.broker.of_kind("take_revocation")
    assert world.get("anonymous", f"/certificates/{certificate.id}/revocation").status_code == 404


def test_an_acknowledgement_of_another_text_does_not_count(world: World) -> None:
    certificate = _revoked(world)
    assert sign(world, certificate)
    assert acknowledge(world, certificate, revocation="00" * 32)
    assert _parties(world, certificate)["modeler"] == ("REFUSED", "REVOCATION_OF_ANOTHER_TEXT")


@pytest.mark.slow
def test_what_a_party_refuses_is_told_once_and_sent_again_every_hour(world: World) -> None:
    certificate = _revoked(world)
    refusal = {
        "study_id": certificate.study_id,
        "certificate_id": certificate.id,
        "code": "APPROVER_UNKNOWN",
        "sentence": "The approval names a key that is no approver.",
    }
    for n_sent in (1, 2, 3):
        assert world.parties.regulator.says("revocation_refused", **refusal)
        look_once()
        assert len(world.broker.of_kind("sign_revocation")) == n_sent, "not before an hour"
        before = timezone.now() - TRY_AGAIN_AFTER - timedelta(seconds=1)
        RevocationDelivery.objects.update(at=before)
        look_once()
        assert len(world.broker.of_kind("sign_revocation")) == n_sent + 1
    assert PartyRefusal.objects.filter(about="revocation").count() == 1
    page = Client().get(f"/certificates/{certificate.id}/").content.decode()
    assert "APPROVER_UNKNOWN" in page
    assert sign(world, certificate)
    assert _parties(world, certificate)["regulator"] == ("ACKNOWLEDGED", "")


def test_a_late_refusal_does_not_undo_an_acknowledgement(world: World) -> None:
    certificate = _revoked(world)
    assert sign(world, certificate)
    assert world.parties.regulator.says(
        "revocation_refused",
        study_id=certificate.study_id,
        certificate_id=certificate.id,
        code="CERTIFICATE_UNKNOWN",
        sentence="No.",
    )
    assert _states(certificate)["regulator"] == "ACKNOWLEDGED"


@pytest.mark.slow
def test_a_revocation_of_an_earlier_version_is_passed_on_too(world: World) -> None:
    certificate = world.certified()
    sent = revocation(world, certificate)
    row = Revocation.objects.create(
        certificate=certificate, reason=REASON, revoked_at=timezone.now(), **sent
    )
    look_once()
    look_once()
    (order,) = world.broker.of_kind("sign_revocation")
    assert order.payload["text"] == row.text


def test_everybody_downloads_the_signed_revocation_and_checks_its_bytes(world: World) -> None:
    certificate = _revoked(world)
    assert sign(world, certificate)
    checked = parse_certificate(certificate.text)
    page = Client().get(f"/certificates/{certificate.id}/revocation")
    assert f"revocation-{certificate.id}.json" in page["Content-Disposition"]
    answer = world.get("anonymous", f"/certificates/{certificate.id}/revocation")
    assert page.content == answer.content
    assert check_revocation_file(page.content, checked).reason == REASON
    shown = html.unescape(Client().get(f"/certificates/{certificate.id}/").content.decode())
    row = Revocation.objects.get()
    for told in (
        hashlib.sha256(row.text.encode()).hexdigest(),
        checked.regulator_key.hex(),
        json.loads(page.content)["signature"],
        "blindjustice/v1/revocation",
        f"check-certificate certificate-{row.pk}.json --modeler-key ",
        f" --revocation revocation-{row.pk}.json",
    ):
        assert told in shown


def test_before_it_is_signed_nothing_is_handed_out_and_the_page_says_so(world: World) -> None:
    certificate = _revoked(world)
    for address in ("revocation", "revocation/"):
        assert Client().get(f"/certificates/{certificate.id}/{address}").status_code == 404
    page = Client().get(f"/certificates/{certificate.id}/").content.decode()
    assert 'data-testid="revocation-not-signed"' in page
    assert page.count("has not acknowledged this yet") == 2


def test_both_sides_see_whether_the_parties_know_of_it(world: World) -> None:
    certificate = _revoked(world)
    assert sign(world, certificate)
    for who, role in (("mo", "modeler"), ("rae", "regulator")):
        path = f"/{role}/studies/{certificate.study_id}/"
        (model,) = world.clients[who].get(path).context["models"]
        states = {row.role.value: row.state.value for row in model.acknowledgements}
        assert states == {"regulator": "ACKNOWLEDGED", "modeler": "SENT"}
    assert acknowledge(world, certificate)
    page = world.page("mo", f"/modeler/studies/{certificate.study_id}/")
    assert "makes no new decisions under the certificate" in html.unescape(page)


def test_a_person_s_answer_names_the_revocation_and_its_day(world: World) -> None:
    certificate = world.certified()
    case = world.challenge("uma", certificate)
    page = world.page("uma", f"/me/challenges/{case}/")
    assert "challenge-revoked" not in page
    assert world.get("uma", f"/challenges/{case}").json()["revocation"] is None
    assert revoke(world, certificate) == 201
    world.challenge_read(certificate, case)
    world.verification_result(Job.objects.get(kind="verification"), {case: "CONFIRMED"})
    page = world.page("uma", f"/me/challenges/{case}/")
    assert 'data-testid="challenge-revoked"' in page
    assert "sample &lt;b&gt;itself&lt;/b&gt;." in page
    shown = world.get("uma", f"/challenges/{case}").json()
    row = Revocation.objects.get()
    assert shown["revocation"] == {"revoked_at": row.revoked_at.isoformat(), "reason": REASON}
    assert shown["outcome"] == "CONFIRMED"


@pytest.mark.slow
def test_the_list_is_asked_for_when_something_is_certified_and_twice_a_day(world: World) -> None:
    look_once()
    assert not world.broker.of_kind("list_revocations")
    world.certified()
    look_once()
    look_once()
    assert len(world.broker.of_kind("list_revocations")) == 1
    assert tell_list(world, 1)
    look_once()
    assert len(world.broker.of_kind("list_revocations")) == 1
    RevocationList.objects.update(issued_at=timezone.now() - timedelta(hours=13))
    look_once()
    assert len(world.broker.of_kind("list_revocations")) == 1, "asked less than an hour ago"
    cache.clear()
    look_once()
    assert len(world.broker.of_kind("list_revocations")) == 2


def test_a_list_is_asked_for_after_every_revocation_though_another_is_awaited(
    world: World,
) -> None:
    certificate = _revoked(world)
    look_once()
    assert len(world.broker.of_kind("list_revocations")) == 1
    assert sign(world, certificate)
    assert len(world.broker.of_kind("list_revocations")) == 2


def test_what_the_regulators_party_forgot_is_sent_again(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    certificate = _revoked(world)
    assert sign(world, certificate)
    assert tell_list(world, 1)
    assert len(world.broker.of_kind("sign_revocation")) == 1, "acknowledged just now"
    RevocationDelivery.objects.update(at=timezone.now() - timedelta(hours=2))
    assert tell_list(world, 2, [certificate.id])
    assert len(world.broker.of_kind("sign_revocation")) == 1
    assert tell_list(world, 3)
    assert len(world.broker.of_kind("sign_revocation")) == 2
    assert f"List 3 lacks the revocation of {certificate.id}" in caplog.text
    assert world.get("anonymous", f"/certificates/{certificate.id}/revocation").status_code == 200
    assert sign(world, certificate)
    assert _states(certificate)["regulator"] == "ACKNOWLEDGED"
    Certificate.objects.update(valid_until=timezone.now() - timedelta(days=1))
    RevocationDelivery.objects.update(at=timezone.now() - timedelta(hours=2))
    assert tell_list(world, 4)
    assert len(world.broker.of_kind("sign_revocation")) == 2, "ended: no list names it"


def test_the_newest_list_is_handed_out_and_an_older_one_is_not_taken(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    certificate = world.certified()
    assert world.get("anonymous", "/revocations").status_code == 404
    assert tell_list(world, 5, [certificate.id])
    tell_list(world, 4)
    assert "List 4 came after list 5" in caplog.text
    key = world.parties.regulator.signing_key.public_bytes
    for answer in (
        world.get("anonymous", "/revocations"),
        Client().get("/certificates/revocation-list"),
    ):
        found = check_revocation_list_file(answer.content, key, at=timezone.now())
        assert (found.number, list(found.revoked)) == (5, [bytes.fromhex(certificate.id)])
    assert tell_list(world, 6)
    assert RevocationList.objects.get().number == 6
    for path in ("/certificates/", f"/certificates/{certificate.id}/"):
        assert 'data-testid="revocation-list"' in Client().get(path).content.decode()


def test_a_forged_list_is_not_kept(world: World) -> None:
    certificate = world.certified()
    assert world.parties.regulator.says("revocation_list", text="{}", list_signature="00" * 64)
    assert tell_list(world, 2, [certificate.id])
    row = RevocationList.objects.get()
    world.parties.regulator.says(
        "revocation_list",
        text=row.text.replace('"number":2', '"number":3'),
        list_signature=row.signature,
    )
    assert RevocationList.objects.get().number == 2
    modeler = {"text": row.text, "list_signature": row.signature}
    assert not world.parties.modeler.says("revocation_list", **modeler)
