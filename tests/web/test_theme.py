"""Light or dark: follows the system, or a choice that a cookie keeps; works without a script."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.web.stories import World


def _root(client: Client) -> str:
    content = client.get("/certificates/").content.decode()
    return content[content.index("<html") : content.index(">", content.index("<html"))]


@pytest.mark.django_db
def test_a_choice_is_kept_and_stands_on_the_page() -> None:
    client = Client()
    assert "data-theme" not in _root(client)
    answer = client.post("/theme/", {"theme": "dark", "next": "/certificates/?q=a"})
    assert answer["Location"] == "/certificates/?q=a"
    cookie = answer.cookies["theme"]
    assert (cookie["samesite"], cookie["max-age"]) == ("Lax", 31_536_000)
    assert 'data-theme="dark"' in _root(client)
    client.post("/theme/", {"theme": "system"})
    assert "data-theme" not in _root(client)


@pytest.mark.django_db
def test_only_light_and_dark_reach_the_page() -> None:
    client = Client()
    client.cookies["theme"] = '"><script>'
    assert "data-theme" not in _root(client)


@pytest.mark.parametrize("target", ["https://elsewhere.example/", "//elsewhere.example", "x:y", ""])
def test_the_way_back_never_leaves_the_site(target: str) -> None:
    assert Client().post("/theme/", {"theme": "dark", "next": target})["Location"] == "/"


def test_a_choice_needs_a_form_of_this_site(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/theme/", {"theme": "dark"}).status_code == 403
    client.get("/certificates/")
    token = client.cookies["csrftoken"].value
    form = {"theme": "dark", "csrfmiddlewaretoken": token}
    assert client.post("/theme/", form).status_code == 302
