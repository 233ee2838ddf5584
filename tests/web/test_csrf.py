"""Other sites' pages can't act with a reader's cookies, and open addresses don't look at them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from blindjustice_web.enrolment.models import Submission
from tests.web.drafts import API, some_id, submission
from tests.web.stories import World

OPEN = {("post", "/api/v1/studies/{study_id}/submissions")}
UNSAFE = ("post", "put", "patch", "delete")


def _writes(world: World) -> list[tuple[str, str]]:
    paths = world.clients["anonymous"].get(f"{API}/openapi.json").json()["paths"]
    return [(method, path) for path in paths for method in paths[path] if method in UNSAFE]


def _address(path: str) -> str:
    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + some_id("any") + rest.partition("}")[2]
    return path


def _suspicious(world: World, who: str) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.cookies["sessionid"] = world.clients[who].cookies["sessionid"].value
    return client


@pytest.mark.slow
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"HTTP_X_CSRFTOKEN": "c" * 32},
        {"HTTP_X_CSRFTOKEN": "²" * 32},
        {"CONTENT_TYPE": "multipart/form-data"},
        {"CONTENT_TYPE": "multipart/form-data; boundary=x"},
        {"CONTENT_TYPE": "application/x-www-form-urlencoded"},
        {"CONTENT_TYPE": "text/plain"},
    ],
    ids=str,
)
def test_every_write_needs_the_session_s_token(world: World, headers: dict[str, str]) -> None:
    writes = [write for write in _writes(world) if write not in OPEN]
    assert len(writes) >= 10
    client = _suspicious(world, "mo")
    sent: dict[str, Any] = {"CONTENT_TYPE": "application/json", **headers}
    for method, path in writes:
        answer = client.generic(method.upper(), _address(path), b"{}", **sent)
        assert answer.status_code in {400, 403}, (method, path, answer.content)
        assert answer.json()["code"] in {"CSRF_TOKEN_WRONG", "REQUEST_NOT_READABLE"}
        if "multipart" not in headers.get("CONTENT_TYPE", ""):
            assert answer.json()["code"] == "CSRF_TOKEN_WRONG"


def test_a_page_of_another_site_is_refused_though_it_has_the_token(world: World) -> None:
    client = _suspicious(world, "mo")
    token = client.get("/modeler/studies/new/").context["page_data"]["csrf"]
    sent: dict[str, Any] = {"content_type": "application/json", "HTTP_X_CSRFTOKEN": token}
    path = f"{API}/studies"
    assert client.post(path, "{}", HTTP_ORIGIN="https://evil.example", **sent).status_code == 403
    assert client.post(path, "{}", HTTP_ORIGIN="null", **sent).status_code == 403
    assert client.post(path, "{}", HTTP_ORIGIN="http://127.0.0.1:8000", **sent).status_code == 422


def test_open_addresses_are_the_known_ones(world: World) -> None:
    client = Client()
    unguarded = {
        (method, path)
        for method, path in _writes(world)
        if client.generic(method.upper(), _address(path)).status_code != 401
    }
    assert unguarded == OPEN


def test_what_open_addresses_write_does_not_depend_on_who_sends(world: World) -> None:
    study, records = world.invited()
    path = f"{API}/studies/{study.id}/submissions"
    rows: list[dict[str, Any]] = []
    for who, record in zip(("anonymous", "mo", "uma"), records, strict=True):
        body = json.dumps(submission(record))
        client = Client() if who == "anonymous" else _suspicious(world, who)
        answer = client.post(path, body, content_type="application/json")
        assert (answer.status_code, sorted(answer.json())) == (202, ["sequence", "submission_id"])
        assert not answer.cookies
        rows.append(dict(Submission.objects.filter(record_id=record).values().get()))
    personal = {"id", "record_id", "created_at", "submission_id"}
    sealed = {name for name in rows[0] if name.startswith(("envelope_", "digest_"))}
    for row in rows[1:]:
        same = set(row) - personal - sealed
        assert {name: row[name] for name in same} == {name: rows[0][name] for name in same}


def test_log_in_forms_need_the_token_too(world: World) -> None:
    form = {"login": "mo@example.org", "password": "mo's password"}
    answer = Client(enforce_csrf_checks=True).post("/accounts/login/", form)
    assert answer.status_code == 403
    assert b"too old" in answer.content
