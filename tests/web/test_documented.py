"""The pages on pages and on the API name every page, template, address and code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.urls import URLPattern, get_resolver

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "docs" / "pages.md").read_text(encoding="utf-8")
API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
CODE = re.compile(
    r"(?:Unusable|NotAllowed|NotThere|Refused|TooMany|TooLarge|Unreachable|NotLoggedIn|Malformed|Broken)"
    r'\(\s*"([A-Z_]+)"'
)

NAMED_ELSEWHERE = {
    "BROKER_AWAY",
    "DATABASE_AWAY",
    "LOG_IN_LOCKED",
    "METHOD_NOT_ALLOWED",
    "TEXT_NOT_READABLE",
    "TOO_MANY_REQUESTS",
}
"""Codes that stand in a table of their module, or beside it, not in the call that raises them."""


def _urls(prefix: str) -> dict[str, str]:
    found: dict[str, str] = {}

    def walk(resolver: Any, so_far: str) -> None:
        for entry in resolver.url_patterns:
            route = so_far + str(entry.pattern)
            if isinstance(entry, URLPattern):
                found[route] = entry.name or ""
            else:
                walk(entry, route)

    walk(get_resolver(), "")
    return {route: name for route, name in found.items() if route.startswith(prefix)}


def test_every_page_has_its_row() -> None:
    ours = {
        name for route, name in _urls("").items() if not route.startswith(("accounts/", "api/"))
    }
    assert {name for name in ours if f"| `{name}` |" not in PAGES} == set()


def test_every_template_named_exists() -> None:
    named = set(re.findall(r"`((?:public|user|modeler|regulator|partials)/\w+\.html)`", PAGES))
    assert len(named) > 15
    assert {name for name in named if not (ROOT / "templates" / name).exists()} == set()


def test_every_address_of_the_api_is_described() -> None:
    addresses = {
        route.removeprefix("api/v1/").replace("<", "{").replace(">", "}")
        for route in _urls("api/v1/")
    } - {""}
    assert {address for address in addresses if address not in API} == set()


def test_every_code_of_the_site_has_its_status() -> None:
    codes = {"JOB_TIMED_OUT", "JOB_REPORTS_DIFFER", "NOT_FOUND", *NAMED_ELSEWHERE}
    for path in (ROOT / "blindjustice_web").rglob("*.py"):
        codes |= set(CODE.findall(path.read_text(encoding="utf-8")))
    rows = re.findall(r"^\| (?:\d{3}|job|log) \| (`.+`) \|$", API, re.MULTILINE)
    listed = re.findall(r"`([A-Z_]+)`", " ".join(rows))
    assert sorted(listed) == sorted(codes)
