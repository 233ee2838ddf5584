"""Texts of another version: every page that shows one says so, in a sentence."""

from __future__ import annotations

from html import unescape
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.core.management.base import CommandError
from django.db import connection
from django.test import Client

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.studies.models import Configuration, PublishedPolicy
from tests.web.drafts import terms
from tests.web.stories import World

SENTENCE = "a text that this version of the site can't read"


def _says_so(world: World, who: str, path: str) -> None:
    answer = world.clients[who].get(path)
    assert answer.status_code == 409, path
    assert SENTENCE in unescape(answer.content.decode()), path


def test_pages_of_a_study_of_another_version_say_so(world: World) -> None:
    certificate = world.certified()
    study = certificate.study_id
    old = certificate.study.configuration.text.replace("configuration", "bj0 configuration", 1)
    Configuration.objects.update(text=old)
    for who, path in (
        ("mo", f"/modeler/studies/{study}/"),
        ("rae", f"/regulator/studies/{study}/"),
        ("anonymous", f"/take-part/{study}/"),
        ("anonymous", f"/certificates/{certificate.id}/"),
        ("uma", f"/me/challenges/new/?certificate={certificate.id}"),
    ):
        _says_so(world, who, path)
    refused = world.get("mo", f"/studies/{study}/questions")
    assert (refused.status_code, refused.json()["code"]) == (409, "TEXT_NOT_READABLE")


def test_the_log_shows_where_a_text_could_not_be_read(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    study = world.opened()
    Configuration.objects.update(text="{}")
    for answer in (
        world.clients["mo"].get(f"/modeler/studies/{study.id}/"),
        world.get("mo", f"/studies/{study.id}/questions"),
    ):
        assert answer.status_code == 409
    told = [entry for entry in caplog.records if "TEXT_NOT_READABLE" in entry.getMessage()]
    assert len(told) == 2
    assert all(entry.exc_info and "parse_configuration" in caplog.text for entry in told)


def test_a_certificate_of_another_version_is_not_taken_for_missing(world: World) -> None:
    certificate = world.certified()
    old = certificate.text.replace('"bj', '"old bj', 1)
    Certificate.objects.update(text=old)
    assert certificate.id in Client().get("/certificates/").content.decode()
    _says_so(world, "anonymous", f"/certificates/{certificate.id}/")


def test_a_policy_of_another_version_hides_no_other_and_can_be_withdrawn(world: World) -> None:
    older, later = world.published(title="Older"), world.published(title="Later")
    text = PublishedPolicy.objects.get(pk=older).terms.replace('"question":', '"unasked":')
    PublishedPolicy.objects.filter(pk=older).update(terms=text)
    told = {row["title"]: row for row in world.get("anonymous", "/policies").json()}
    assert told["Later"]["terms"] == terms()
    assert (told["Older"]["terms"], told["Older"]["learners"]) == ({}, [])
    assert SENTENCE in told["Older"]["sentences"][0]
    rae = world.clients["rae"]
    assert later in rae.get("/regulator/policies/").content.decode()
    for path in ("/regulator/policies/", f"/regulator/policies/{older}/"):
        assert SENTENCE in unescape(rae.get(path).content.decode())
    _says_so(world, "rae", f"/regulator/policies/new/?start={older}")
    assert rae.post(f"/regulator/policies/{older}/withdraw/").status_code == 302
    assert PublishedPolicy.objects.get(pk=older).withdrawn_at is not None


@pytest.mark.database
@pytest.mark.django_db
def test_a_database_of_an_earlier_version_is_refused_by_name() -> None:
    """Its post would be left behind in tables that nobody reads."""
    first = import_module("blindjustice_web.post.migrations.0001_initial")
    editor = SimpleNamespace(connection=connection)
    first.refuse_older(None, editor)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE jobs_outgoingtask (id integer)")
    with pytest.raises(CommandError, match=r"remove \.state"):
        first.refuse_older(None, editor)
