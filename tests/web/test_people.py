"""Accounts: log in and sign up by e-mail, and the cast of a demonstration."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client

from blindjustice_web.accounts.models import Membership, Organisation, User
from tests.web.stories import World

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def _seeded(*arguments: str) -> dict[str, dict[str, str]]:
    printed = io.StringIO()
    call_command("seed_people", *arguments, stdout=printed)
    text = printed.getvalue()
    return {row["email"]: row for row in json.loads(text)["people"]} if text else {}


def test_the_cast_can_log_in_with_the_printed_passwords() -> None:
    people = _seeded()
    assert {row["role"] for row in people.values()} == {"modeler", "regulator", "person"}
    for email, row in people.items():
        answer = Client().post("/accounts/login/", {"login": email, "password": row["password"]})
        assert answer.status_code == 302, email


def test_seeding_again_makes_new_passwords_and_nobody_new() -> None:
    first, second = _seeded(), _seeded()
    assert User.objects.count() == 3
    assert Organisation.objects.count() == 2
    assert Membership.objects.count() == 2
    for email in first:
        assert first[email]["password"] != second[email]["password"]


def test_passwords_can_go_to_a_private_file_instead(tmp_path: Path) -> None:
    path = tmp_path / "log-ins"
    assert _seeded("--passwords-file", str(path)) == {}
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(json.loads(path.read_text(encoding="utf-8"))["people"]) == 3


def test_a_person_signs_up_by_e_mail(world: World) -> None:
    form = {
        "email": "New@Example.org",
        "password1": "a long enough secret",
        "password2": "a long enough secret",
    }
    client = Client()
    assert client.post("/accounts/signup/", form).status_code == 302
    user = User.objects.get(email="new@example.org")
    assert not user.memberships.exists()
    assert client.get("/me/").status_code == 200
    assert len(mail.outbox) == 1


def test_a_short_password_is_refused(world: World) -> None:
    form = {"email": "new@example.org", "password1": "short", "password2": "short"}
    assert Client().post("/accounts/signup/", form).status_code == 200
    assert not User.objects.filter(email="new@example.org").exists()


def test_a_wrong_password_does_not_log_in(world: World) -> None:
    form = {"login": "mo@example.org", "password": "wrong"}
    client = Client()
    assert client.post("/accounts/login/", form).status_code == 200
    assert client.get("/modeler/").status_code == 302


def test_a_user_belongs_to_one_organisation(world: World) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.create(
            user=world.users["mo"], organisation=world.organisations["authority"]
        )


def test_the_log_in_page_leads_back(world: World) -> None:
    answer = Client().get("/modeler/key/")
    assert answer.status_code == 302
    assert answer["Location"] == "/accounts/login/?next=/modeler/key/"
