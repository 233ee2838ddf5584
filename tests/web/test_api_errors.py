"""Every error of the API is a problem document with code, detail, kept and next; never a 500."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.web.drafts import API, draft, some_id
from tests.web.stories import World


def _check(answer: Any, status: int, code: str) -> None:
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == code
    assert problem["status"] == status
    for member in ("type", "title", "detail", "kept", "next"):
        assert problem[member]


def test_a_stranger_must_log_in(world: World) -> None:
    _check(world.get("anonymous", "/studies"), 401, "LOG_IN_NEEDED")


def test_what_is_hidden_looks_like_what_is_missing(world: World) -> None:
    study = world.drafted()
    hidden = world.get("mia", f"/studies/{study.id}")
    missing = world.get("mia", f"/studies/{some_id('none')}")
    _check(hidden, 404, "NOT_FOUND")
    assert hidden.json() == missing.json()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"a":NaN}', b'{"title":1e400}']
)
def test_a_body_that_is_no_object_is_refused(world: World, body: bytes) -> None:
    answer = world.clients["mo"].post(f"{API}/studies", body, content_type="application/json")
    assert 400 <= answer.status_code < 500, answer.content
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "changes",
    [
        {"features": None},
        {"features": {}},
        {"features": [{"name": "x"}]},
        {"attributes": [None]},
        {"policy": []},
        {"title": "\x00"},
        {"title": "\ud800"},
        {"retention_days": True},
        {"retention_days": 10**30},
        {"unknown": 1},
        {"policy": {"criteria": [], "comparison": "each_pair"}},
        {"policy": {"criteria": [None], "comparison": "each_pair"}},
        {"label": "credit"},
        {"regulator": []},
    ],
)
def test_a_faulty_draft_never_gives_a_500(world: World, changes: dict[str, Any]) -> None:
    answer = world.post("mo", "/studies", draft(**changes))
    if changes == {"regulator": []}:
        assert answer.status_code == 201
        return
    assert answer.status_code == 422, answer.content
    assert answer.json()["code"]


@pytest.mark.parametrize("path", ["/studies/abc", "/studies/" + "G" * 32, "/jobs/" + "a" * 31])
def test_a_malformed_id_is_refused(world: World, path: str) -> None:
    assert world.get("mo", path).status_code in {404, 422}


def test_a_missing_csrf_token_is_refused(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.users["mo"])
    answer = client.post(f"{API}/studies", draft(), content_type="application/json")
    assert answer.status_code == 403


def test_people_send_without_cookie_or_token(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    study = world.opened()
    answer = client.post(
        f"{API}/studies/{study.id}/submissions", {}, content_type="application/json"
    )
    _check(answer, 422, "INPUT_INVALID")


def test_a_defect_says_nothing_about_itself(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("blindjustice_web.api.studies.counts_of", fail)
    study = world.drafted()
    answer = world.get("mo", f"/studies/{study.id}")
    _check(answer, 500, "SITE_FAILED")
    assert "secret detail" not in answer.content.decode()


def test_the_description_of_the_api_names_every_address(world: World) -> None:
    answer = Client().get(f"{API}/openapi.json")
    assert answer.status_code == 200
    paths = answer.json()["paths"]
    assert "/api/v1/studies/{study_id}/submissions" in paths
    assert len(paths) >= 20


def test_parties_are_public(world: World) -> None:
    found = Client().get(f"{API}/parties").json()
    assert [party["role"] for party in found] == ["modeler", "regulator"]
    assert found[0]["approvers"][0]["key_id"] == world.parties.modeler.approver.key_id.hex()
