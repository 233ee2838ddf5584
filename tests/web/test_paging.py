"""Long lists come in pages, and cost no more queries than short ones."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from blindjustice_web.accounts.models import User
from blindjustice_web.lib.paging import API_ROWS, ROWS, SHARED_ROWS, page_of
from tests.web.many_rows import add_rows, base, pages_of
from tests.web.stories import World

FEW = 10
MOST_QUERIES = 60


def _warm(world: World, who: str) -> None:
    """Let a log-in be noted as in use, which is written once a minute at most."""
    assert world.clients[who].get("/health/").status_code == 200


def _n_queries(world: World, who: str, path: str) -> int:
    _warm(world, who)
    with CaptureQueriesContext(connection) as captured:
        answer = world.clients[who].get(path)
    assert answer.status_code == 200, path
    return len(captured)


@pytest.mark.slow
@pytest.mark.parametrize("many", [1_000, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_a_long_list_costs_no_more_queries_than_one_of_ten(
    world: World, django_assert_max_num_queries: Any, many: int
) -> None:
    certificate = base(world)
    add_rows(world, certificate, "few", FEW)
    pages = pages_of(certificate)
    few = {name: _n_queries(world, *page) for name, page in pages.items()}
    add_rows(world, certificate, "many", many)
    for name, (who, path) in pages.items():
        _warm(world, who)
        with django_assert_max_num_queries(min(few[name], MOST_QUERIES), info=name):
            answer = world.clients[who].get(path)
        assert answer.status_code == 200, name
        if path.startswith("/api/"):
            assert len(answer.json()) == API_ROWS, name
            assert int(answer["X-Total-Count"]) > many, name
            assert 'rel="next"' in answer["Link"], name
        else:
            assert 'data-testid="pager"' in answer.content.decode(), name
            assert len(answer.content) < 200_000, name


@pytest.mark.database
def test_every_row_is_on_one_page(world: World) -> None:
    certificate = base(world)
    add_rows(world, certificate, "some", ROWS + 7)
    for who, path, key in (
        ("rae", "/regulator/challenges/", "challenges"),
        ("uma", "/me/", "challenges"),
        ("anonymous", "/certificates/", "certificates"),
    ):
        ids: list[str] = []
        answer = world.clients[who].get(path)
        while True:
            ids += [row.id for row in answer.context[key]]
            following = answer.context["page"].next_url
            if not following:
                break
            answer = world.clients[who].get(path + following)
        assert len(ids) == len(set(ids)) == answer.context["page"].n_rows, path


@pytest.mark.slow
def test_the_api_leads_from_page_to_page(world: World) -> None:
    certificate = base(world)
    add_rows(world, certificate, "some", API_ROWS + 3)
    first = world.get("anonymous", "/certificates")
    assert first["Link"] == '</api/v1/certificates?page=2>; rel="next"'
    second = world.get("anonymous", "/certificates?page=2")
    assert second["Link"] == '</api/v1/certificates?page=1>; rel="prev"'
    ids = [row["certificate_id"] for row in (*first.json(), *second.json())]
    assert len(set(ids)) == int(first["X-Total-Count"]) == API_ROWS + 4


@pytest.mark.database
def test_the_lists_of_one_page_turn_one_by_one(world: World) -> None:
    certificate = base(world)
    add_rows(world, certificate, "some", ROWS + 7)
    answer = world.clients["rae"].get("/regulator/?waiting=2&certificates=2")
    assert answer.context["waiting_page"].number == 2
    assert answer.context["certificate_page"].number == 2
    assert answer.context["study_page"].number == 1
    assert answer.context["study_page"].next_url == "?waiting=2&certificates=2&studies=2"


def test_a_live_region_stays_on_its_page(world: World) -> None:
    certificate = base(world)
    add_rows(world, certificate, "some", ROWS + 7)
    path = f"/regulator/studies/{certificate.study_id}/"
    answer = world.clients["rae"].get(f"{path}?runs=2")
    partial = answer.context["live"].partial
    assert partial == f"{path}?runs=2&partial=1"
    region = world.clients["rae"].get(partial)
    assert region.context["job_page"].number == 2
    assert region.context["job_page"].previous_url == "?runs=1"


@pytest.mark.slow
def test_models_come_in_pages_with_what_may_be_done_with_each(world: World) -> None:
    certificate = base(world)
    add_rows(world, certificate, "some", 2 * SHARED_ROWS)
    path = f"/modeler/studies/{certificate.study_id}/"
    seen: dict[str, tuple[bool, bool, bool]] = {}
    for number in (1, 2, 3):
        answer = world.clients["mo"].get(f"{path}?models={number}")
        shown = answer.context["models"]
        seen |= {m.id: (m.can_certify, m.refusal is not None, m.verdict is not None) for m in shown}
        ready = [m.id for m in shown if m.can_certify]
        to_ask = answer.context["certify_all"]
        assert (to_ask.models if to_ask else []) == (ready if len(ready) > 1 else [])
    one_of_each = {(True, False, False), (False, True, False), (False, False, True)}
    assert len(seen) == 2 * SHARED_ROWS + 1
    assert set(seen.values()) == one_of_each
    assert "on this page" in world.page("mo", path)
    assert answer.context["model_page"].previous_url == "?models=2"
    regulator = world.clients["rae"].get(f"/regulator/studies/{certificate.study_id}/?models=2")
    assert regulator.context["live"].partial.endswith("?models=2&partial=1")
    assert len(regulator.context["models"]) == SHARED_ROWS


def test_runs_and_approvals_name_models_of_other_pages(world: World) -> None:
    certificate = base(world)
    add_rows(world, certificate, "some", SHARED_ROWS + 1)
    path = f"/modeler/studies/{certificate.study_id}/"
    name = certificate.model.name
    answer = world.clients["mo"].get(f"{path}?runs=9&approvals=9")
    assert certificate.model_id not in {model.id for model in answer.context["models"]}
    assert name in {job.model_name for job in answer.context["jobs"]}
    assert name in {proposal.model_name for proposal in answer.context["proposals"]}


@pytest.mark.parametrize("asked", ["", "0", "-1", "x", "1e9", "99999999999999999999", "%00", "2"])
def test_nonsense_leads_to_a_page_that_is_there(db: None, rf: Any, asked: str) -> None:
    User.objects.create_user("uma@example.org", "uma's password")
    page = page_of(rf.get(f"/?page={asked}"), User.objects.order_by("pk"))
    assert (page.number, page.n_pages, page.n_rows) == (1, 1, 1)
    assert Client().get(f"/certificates/?page={asked}").status_code == 200
