"""Headers of every page: a strict policy, and nothing a browser could be talked into."""

from __future__ import annotations

import re
from typing import Any
from wsgiref.headers import Headers

import pytest
from django.test import Client

from blindjustice_web.config.csp import static_headers
from tests.web.stories import World

pytestmark = pytest.mark.django_db


def _policy(path: str = "/") -> dict[str, list[str]]:
    header = Client().get(path)["Content-Security-Policy"]
    parts = [part.split() for part in header.split(";") if part.strip()]
    return {name: sources for name, *sources in parts}


def test_scripts_come_from_here_or_carry_the_nonce() -> None:
    answer = Client().get("/")
    policy = answer["Content-Security-Policy"]
    nonces = re.findall(r"'nonce-([^']+)'", policy)
    assert len(nonces) == 1
    assert f'nonce="{nonces[0]}"' in answer.content.decode()
    script = _policy()["script-src"]
    assert "'self'" in script
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*"} & set(script)


def test_a_nonce_is_used_once() -> None:
    assert _policy()["script-src"] != _policy()["script-src"]


def test_everything_else_is_ours_or_nothing() -> None:
    policy = _policy()
    assert policy["default-src"] == ["'none'"]
    assert policy["object-src"] == ["'none'"]
    assert policy["base-uri"] == ["'none'"]
    assert policy["frame-ancestors"] == ["'none'"]
    assert policy["style-src"] == ["'self'"]
    assert policy["connect-src"] == ["'self'"]
    assert policy["form-action"] == ["'self'"]


@pytest.mark.parametrize("path", ["/", "/health/", "/accounts/login/", "/api/v1/certificates"])
def test_every_answer_has_the_headers(path: str) -> None:
    answer = Client().get(path)
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in answer["Permissions-Policy"]
    assert "Content-Security-Policy" in answer


def test_pages_are_compressed_and_the_api_is_not() -> None:
    client = Client(headers={"Accept-Encoding": "gzip"})
    assert client.get("/")["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in client.get("/api/v1/openapi.json")


def test_static_files_have_headers_of_their_own() -> None:
    headers = Headers()
    static_headers(headers, "", "")
    assert headers["Content-Security-Policy"] == "default-src 'self'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "Cross-Origin-Opener-Policy" not in headers, "only documents obey it"


@pytest.mark.parametrize("preload", [True, False])
@pytest.mark.parametrize("subdomains", [True, False])
def test_static_files_tell_browsers_to_use_https_as_pages_do(
    settings: Any, *, subdomains: bool, preload: bool
) -> None:
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = subdomains
    settings.SECURE_HSTS_PRELOAD = preload
    headers = Headers()
    static_headers(headers, "", "")
    page = Client().get("/", secure=True)
    name = "Strict-Transport-Security"
    assert headers[name] == page[name]
    settings.SECURE_HSTS_SECONDS = 0
    headers = Headers()
    static_headers(headers, "", "")
    assert name not in headers


def test_pages_of_one_person_are_not_cached(world: World) -> None:
    assert "no-store" in world.clients["uma"].get("/me/")["Cache-Control"]
