"""Certificates that the regulator takes back."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from blindjustice_web.audit.models import AuditEntry, EntryKind
from blindjustice_web.certificates.models import Revocation
from blindjustice_web.lib.append_only import ImmutableError
from tests.web.revocations import REASON, revocation, revoke
from tests.web.stories import World

pytestmark = pytest.mark.database


def test_a_revoked_certificate_says_so_everywhere(world: World) -> None:
    certificate = world.certified()
    assert revoke(world, certificate) == 201
    page = Client().get(f"/certificates/{certificate.id}/").content.decode()
    assert 'data-testid="certificate-revoked"' in page
    assert "revocation-unchecked" not in page
    assert "sample &lt;b&gt;itself&lt;/b&gt;." in page
    shown = world.get("anonymous", f"/certificates/{certificate.id}").json()
    assert (shown["status"], shown["revocation"]["reason"]) == ("REVOKED", REASON)
    (row,) = world.get("anonymous", "/certificates").json()
    assert row["status"] == "REVOKED"
    for who, role in (("mo", "modeler"), ("rae", "regulator")):
        study = world.clients[who].get(f"/{role}/studies/{certificate.study_id}/")
        assert study.context["models"][0].can_revoke == ""
        assert 'data-testid="model-revoked"' in study.content.decode()
    entry = AuditEntry.objects.get(kind=EntryKind.CERTIFICATE_REVOKED)
    assert (entry.subject, entry.detail) == (certificate.id, REASON)


@pytest.mark.parametrize(("status", "found"), [("REVOKED", 1), ("VALID", 0), ("EXPIRED", 0)])
def test_the_register_finds_revoked_certificates_under_that_word_alone(
    world: World, status: str, found: int
) -> None:
    assert revoke(world, world.certified()) == 201
    answer = Client().get(f"/certificates/?status={status}")
    assert answer.context["n_found"] == found


def test_the_regulator_alone_is_offered_to_revoke(world: World) -> None:
    certificate = world.certified()
    path = f"studies/{certificate.study_id}/"
    (shown,) = world.clients["rae"].get(f"/regulator/{path}").context["models"]
    assert shown.can_revoke == certificate.id
    (shown,) = world.clients["mo"].get(f"/modeler/{path}").context["models"]
    assert shown.can_revoke == ""


def test_only_an_approver_of_the_regulator_revokes(world: World) -> None:
    certificate = world.certified()
    text = revocation(world, certificate)["text"]
    assert revoke(world, certificate, "mo") == 403
    assert revoke(world, certificate, "uma") == 404
    assert revoke(world, certificate, "anonymous") == 401
    by_modeler = world.parties.modeler.approves("revocation", text)
    assert revoke(world, certificate, **by_modeler) == 422
    other_kind = world.parties.regulator.approves("configuration", text)
    assert revoke(world, certificate, **other_kind) == 422
    assert not Revocation.objects.exists()


def test_a_text_about_another_certificate_or_without_reason_is_refused(world: World) -> None:
    certificate = world.certified()
    other = world.certified(title="Another study")
    sent = revocation(world, other)
    assert revoke(world, certificate, **sent) == 422
    for days in (-1, 1):
        assert revoke(world, certificate, **revocation(world, certificate, days=days)) == 422
    for reason in ("", "x" * 1001, "two\nlines"):
        assert revoke(world, certificate, **revocation(world, certificate, reason)) == 422
    assert not Revocation.objects.exists()


def test_a_replay_changes_nothing(world: World) -> None:
    certificate = world.certified()
    assert revoke(world, certificate) == 201
    again = revocation(world, certificate, "Another reason.")
    assert revoke(world, certificate, **again) == 409
    assert Revocation.objects.get().reason == REASON


def test_a_revocation_is_never_taken_back(world: World) -> None:
    assert revoke(world, world.certified()) == 201
    row = Revocation.objects.get()
    with pytest.raises(ImmutableError):
        row.delete()
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM certificates_revocation")


def test_a_decision_made_with_a_revoked_certificate_can_be_challenged(world: World) -> None:
    certificate = world.certified()
    assert revoke(world, certificate) == 201
    assert world.challenge("uma", certificate)


def test_a_model_whose_certificate_was_revoked_is_not_put_into_use(world: World) -> None:
    certificate = world.certified()
    path = f"/modeler/studies/{certificate.study_id}/"
    assert world.clients["mo"].get(path).context["models"][0].can_deploy
    assert revoke(world, certificate) == 201
    assert not world.clients["mo"].get(path).context["models"][0].can_deploy


def test_a_signature_by_a_key_that_is_not_published_is_shown_as_unchecked(world: World) -> None:
    certificate = world.certified()
    sent = revocation(world, certificate)
    Revocation.objects.create(
        certificate=certificate,
        text=sent["text"],
        key_id=sent["key_id"],
        signature="A" * 86 + "==",
        reason=REASON,
        revoked_at=timezone.now(),
    )
    page = Client().get(f"/certificates/{certificate.id}/").content.decode()
    assert 'data-testid="revocation-unchecked"' in page


def test_a_date_that_is_off_names_the_difference_and_the_clock_to_use(world: World) -> None:
    certificate = world.certified()
    answer = world.post(
        "rae",
        f"/certificates/{certificate.id}/revocation",
        revocation(world, certificate, days=12 / (24 * 60)),
    )
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (422, "REVOCATION_DATE")
    assert re.search(r"signed 1[123] minutes ahead of this site's clock", problem["detail"])
    assert "/api/v1/clock" in problem["next"]
    stated = datetime.fromisoformat(world.get("anonymous", "/clock").json()["now"])
    assert abs(stated - timezone.now()) < timedelta(minutes=10)
    assert stated.microsecond == 0
