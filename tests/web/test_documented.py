"""The pages on pages and on the API say what is: names, templates, addresses and codes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.test import RequestFactory
from django.urls import URLPattern, get_resolver

from blindjustice_web.portals.context import site
from blindjustice_web.portals.templatetags import blindjustice

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "docs" / "pages.md").read_text(encoding="utf-8")
TEMPLATES = ROOT / "templates"
ROLES = ("modeler", "regulator")
WHO = ("public", "user", "member", *ROLES)
INCLUDED = {"take_part_texts"}
"""Templates that a page of their folder includes."""
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


def test_every_template_of_a_page_is_named_after_its_address() -> None:
    """One name for address, view, template and script: so `docs/pages.md` needs no list."""
    names = set(_urls("").values())
    for who in ("public", "user", "modeler", "regulator"):
        stems = {path.stem for path in (TEMPLATES / who).glob("*.html")}
        assert stems - names - INCLUDED == set(), who
    shared = {path.stem for path in (TEMPLATES / "member").glob("*.html")}
    assert shared
    assert {f"{role}_{stem}" for role in ROLES for stem in shared} <= names


def test_every_live_region_and_script_belongs_to_a_page() -> None:
    pages = {path.stem for who in WHO for path in (TEMPLATES / who).glob("*.html")}
    scripts = {path.stem for path in (ROOT / "static" / "js" / "pages").glob("*.js")}
    assert scripts - pages == set()
    regions = {path.stem for path in (TEMPLATES / "partials").glob("*.html")}
    assert regions - pages == {"policy_editor"}, "which stands in two pages"


def test_what_every_template_knows_is_described() -> None:
    known = site(RequestFactory().get("/"))
    described = re.findall(r"^\| `(\w+)` \|", PAGES, re.MULTILINE)
    assert sorted(known) == sorted(described)


def test_every_file_and_tag_that_the_page_names_is_there() -> None:
    named = set(
        re.findall(r"`(?:templates/|blindjustice_web/)?([\w/]+\.(?:html|py|js|css))`", PAGES)
    )
    assert len(named) > 12
    folders = (ROOT, ROOT / "blindjustice_web", TEMPLATES, ROOT / "static" / "js")
    assert {name for name in named if not any((at / name).exists() for at in folders)} == set()
    tags = set(re.findall(r"\{% (\w+) '", PAGES))
    assert tags
    assert tags <= set(blindjustice.register.tags)


def test_every_kind_of_message_of_a_socket_is_described() -> None:
    sources = (ROOT / "blindjustice_web").rglob("*.py")
    sent = "".join(path.read_text(encoding="utf-8") for path in sources)
    kinds = set(re.findall(r'"type": "(\w+)"', sent))
    described = set(re.findall(r'"type":"(\w+)"', PAGES))
    assert described
    assert described <= kinds


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
