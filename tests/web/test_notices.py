"""Notices by e-mail: to the right people, once, and without a word about anybody."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone

from blindjustice_web.jobs.models import Job
from blindjustice_web.notices import services
from blindjustice_web.notices.models import Notice
from blindjustice_web.notices.services import send_due_notices
from tests.web.stories import World

pytestmark = pytest.mark.database

MEMBERS = ["mo@example.org", "rae@example.org"]


@pytest.fixture
def outbox(world: World) -> list[Any]:
    """Return the mails that are sent, with people's addresses verified as at a sign-up."""
    for name in ("uma", "umar"):
        user = world.users[name]
        EmailAddress.objects.create(user=user, email=user.email, verified=name == "uma")
    return mail.outbox


def _sent(outbox: list[Any]) -> list[tuple[str, str]]:
    """Send what is due; return new mails as receiver and sentence."""
    before = len(outbox)
    while send_due_notices():
        pass
    new = [(m.to[0], m.subject.removeprefix("Blind Justice: ")) for m in outbox[before:]]
    return sorted(new)


def test_both_sides_hear_of_what_waits_for_approval(world: World, outbox: list[Any]) -> None:
    study = world.submitted()
    words = "Something waits for your organisation's approval"
    assert _sent(outbox) == [(to, words) for to in MEMBERS]
    for message in outbox:
        role = "modeler" if message.to == ["mo@example.org"] else "regulator"
        assert f"http://127.0.0.1:8000/{role}/studies/{study.id}/\n" in message.body
        assert "http://127.0.0.1:8000/me/" in message.body
    assert not _sent(outbox)


def test_a_run_that_ended_and_its_certificate_are_told_to_both(
    world: World, outbox: list[Any]
) -> None:
    study = world.closed()
    _sent(outbox)
    world.judged(study)
    told = _sent(outbox)
    for to in MEMBERS:
        assert (to, "A run has finished") in told
        assert (to, "A certificate was issued") in told


def test_a_training_that_finished_or_failed_is_told(world: World, outbox: list[Any]) -> None:
    _, job = world.training()
    _sent(outbox)
    for party in world.parties:
        party.says("job_failed", job_id=job.id, attempt=1, code="CHANNEL_CLOSED", sentence="No.")
    assert not _sent(outbox), "it is tried again"
    job.refresh_from_db()
    for party in world.parties:
        party.says(
            "job_failed", job_id=job.id, attempt=job.attempt, code="CHECK_FAILED", sentence="No."
        )
    assert _sent(outbox) == [(to, "A training has failed") for to in MEMBERS]


def test_a_case_is_told_to_the_regulator_and_its_end_to_its_owner(
    world: World, outbox: list[Any]
) -> None:
    certificate = world.certified()
    _sent(outbox)
    case = world.challenge("uma", certificate)
    assert _sent(outbox) == [("rae@example.org", "A decision was challenged")]
    world.challenge_read(certificate, case)
    world.verification_result(Job.objects.get(kind="verification"), {case: "DIFFERENT_DECISION"})
    assert _sent(outbox) == [
        ("rae@example.org", "A challenge was answered"),
        ("uma@example.org", "Your challenge was answered"),
    ]
    assert f"/me/challenges/{case}/" in outbox[-1].body + outbox[-2].body


@pytest.mark.slow
def test_an_address_that_nobody_verified_gets_nothing(world: World, outbox: list[Any]) -> None:
    certificate = world.certified()
    case = world.challenge("umar", certificate)
    world.parties.regulator.says(
        "challenge_refused", challenge_id=case, code="RECORD_NOT_SIGNED", sentence="No."
    )
    assert "umar@example.org" not in {to for to, _words in _sent(outbox)}


@pytest.mark.slow
def test_a_mail_names_nobody_and_nothing(world: World, outbox: list[Any]) -> None:
    study = world.closed(title="Credit and age", purpose="Find out whether age matters.")
    world.judged(study, "Secret model name")
    case = world.challenge("uma", study.certificates.get())
    world.parties.regulator.says(
        "challenge_refused", challenge_id=case, code="RECORD_NOT_SIGNED", sentence="No reason."
    )
    _sent(outbox)
    for message in outbox:
        text = message.subject + message.body
        for secret in ("age", "Credit", "Secret", "RECORD_NOT_SIGNED", "reason", "Meridian"):
            assert not re.search(rf"\b{secret}\b", text), secret
        assert "?" not in text
        assert message.content_subtype == "plain"
        assert len(message.to) == 1


def test_who_switches_notices_off_gets_none(world: World, outbox: list[Any]) -> None:
    world.submitted()
    answer = world.clients["rae"].post("/me/mail/", {"wants": "no"})
    assert (answer.status_code, answer["Location"]) == (302, "/me/")
    assert {to for to, _words in _sent(outbox)} == {"mo@example.org"}
    assert 'data-wants="no"' in world.page("rae", "/me/")
    world.submitted(title="Another")
    assert {to for to, _words in _sent(outbox)} == {"mo@example.org"}
    world.clients["rae"].post("/me/mail/", {"wants": "yes"})
    world.submitted(title="A third")
    assert {to for to, _words in _sent(outbox)} == set(MEMBERS)


def test_a_mail_server_that_is_away_breaks_nothing_and_gets_it_once_when_it_is_back(
    world: World, outbox: list[Any], monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    def away(*_: Any) -> int:
        raise ConnectionRefusedError("secret host")

    with monkeypatch.context() as patched:
        patched.setattr(EmailBackend, "send_messages", away)
        study = world.submitted()
        assert study.state == "AWAITING_APPROVAL"
        assert send_due_notices() == 0
        assert send_due_notices() == 0
    assert "secret host" not in caplog.text
    assert {notice.times_failed for notice in Notice.objects.all()} == {1}
    Notice.objects.update(due_at=timezone.now())
    assert len(_sent(outbox)) == 2
    Notice.objects.update(due_at=timezone.now())
    assert not _sent(outbox)


def test_a_mail_that_never_goes_is_given_up(
    world: World, outbox: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmailBackend, "send_messages", lambda *_: 1 / 0)
    world.submitted()
    for _ in range(services.MOST_FAILURES + 2):
        Notice.objects.update(due_at=timezone.now())
        send_due_notices()
    assert {notice.times_failed for notice in Notice.objects.all()} == {services.MOST_FAILURES}


def test_a_notice_that_another_worker_took_is_not_sent(world: World, outbox: list[Any]) -> None:
    world.submitted()
    notices = list(Notice.objects.select_related("entry", "user"))
    Notice.objects.update(taken_at=timezone.now())
    assert not any(services._send(notice) for notice in notices)
    assert not outbox
