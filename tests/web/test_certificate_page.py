"""The page of a certificate: the state leads, and the public sees the certified model alone."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from blindjustice_web.certificates.models import Certificate
from tests.web.revocations import revoke
from tests.web.stories import ONLY_DIFFERENCE, World

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.mark.parametrize("who", ["anonymous", "uma"])
def test_the_public_page_shows_the_certified_model_alone(world: World, who: str) -> None:
    study = world.closed()
    world.judged(study, "Old model", ONLY_DIFFERENCE)
    world.judged(study, "New model")
    certificate = Certificate.objects.get()
    answer = world.clients[who].get(f"/certificates/{certificate.id}/")
    page = answer.content.decode()
    assert "Old model" not in page
    assert "How strict a limit this model meets" in page
    for chart in answer.context["charts"]:
        assert [row.model_name for row in chart.rows] == ["New model"]
        assert "asked about" not in chart.summary
        assert "these pass: New model" in chart.summary
    for path in (
        "/certificates",
        f"/certificates/{certificate.id}",
        f"/studies/{study.id}/questions",
    ):
        assert "Old model" not in world.get(who, path).content.decode()


def test_the_two_organisations_see_every_model_in_words_and_a_table(world: World) -> None:
    study = world.closed()
    world.judged(study, "Old model", ONLY_DIFFERENCE)
    world.judged(study, "New model")
    certificate = Certificate.objects.get()
    answer = world.clients["rae"].get(f"/certificates/{certificate.id}/")
    assert answer.status_code == 200
    p_rule, difference = answer.context["charts"]
    assert p_rule.limits == ["70\u00a0%", "80\u00a0%", "90\u00a0%"]
    assert difference.limits == ["5\u00a0points", "10\u00a0points"]
    page = answer.content.decode()
    for chart, old in ((p_rule, ["FAIL"] * 3), (difference, ["PASS"] * 2)):
        rows = {row.model_name: row for row in chart.rows}
        assert rows["New model"].is_this
        assert [cell.verdict.value for cell in rows["Old model"].cells] == old
        for name in ("Old model", "New model", chart.certify_limit):
            assert name in chart.summary
        names = {name for trace in chart.figure["data"] for name in trace["hovertext"]}
        assert names == {"Old model", "New model"}
        assert f'id="figure-{chart.criterion.value}"' in page
        assert f'data-figure="figure-{chart.criterion.value}"' in page
    assert "these do not pass: Old model" in p_rule.summary
    assert "these pass: Old model, New model" in difference.summary
    assert "“New model” passes is 80\u00a0%" in p_rule.summary
    assert "“New model” passes is 10" in difference.summary


def _in_state(world: World, state: str) -> Certificate:
    certificate = world.certified()
    now = timezone.now()
    days = {"EXPIRED": (-2 * DAY, -DAY), "NOT_YET_VALID": (DAY, 2 * DAY)}
    if state == "REVOKED":
        assert revoke(world, certificate) == 201
    elif state in days:
        first, last = days[state]
        Certificate.objects.update(valid_from=now + first, valid_until=now + last)
    return certificate


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "word"),
    [("REVOKED", "Revoked"), ("EXPIRED", "Expired"), ("NOT_YET_VALID", "Not valid yet")],
)
def test_a_certificate_that_is_not_valid_leads_with_that(
    world: World, state: str, word: str
) -> None:
    certificate = _in_state(world, state)
    page = Client().get(f"/certificates/{certificate.id}/").content.decode()
    (verdict,) = re.findall(r'class="verdict" data-state="(\w+)"', page)
    (said,) = re.findall(r'<p class="verdict__word">([^<]+)</p>', page)
    assert (verdict, said) == (state, word)
    assert "It certifies nothing" in page
    for path in ("/", "/certificates/"):
        (row,) = Client().get(path).content.decode().split('data-testid="certificate-row"')[1:]
        shown = re.findall(r'class="badge" data-state="(\w+)"', row)
        assert shown == [state]
    for who, role in (("mo", "modeler"), ("rae", "regulator")):
        page = world.page(who, f"/{role}/studies/{certificate.study_id}/")
        _before, models = page.split('data-testid="model-verdict"')
        assert re.findall(r'class="badge" data-state="(\w+)"', models)[0] == state


def test_a_valid_certificate_leads_with_the_verdict(world: World) -> None:
    certificate = _in_state(world, "VALID")
    page = Client().get(f"/certificates/{certificate.id}/").content.decode()
    assert re.findall(r'class="verdict" data-state="(\w+)"', page) == ["PASS"]
    assert "It certifies nothing" not in page
    (row,) = Client().get("/").content.decode().split('data-testid="certificate-row"')[1:]
    assert re.findall(r'class="badge" data-state="(\w+)"', row) == ["PASS", "VALID"]


def test_a_challenge_is_offered_with_the_state_of_the_certificate(world: World) -> None:
    certificate = _in_state(world, "REVOKED")
    page = world.page("uma", "/me/challenges/new/")
    (option,) = re.findall(rf'<option value="{certificate.id}">([^<]+)<', page)
    assert option.endswith("· Revoked")
