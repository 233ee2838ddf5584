"""The import map: bare names for vendored packages, plain addresses for hashed files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.template import Context, Template
from django.test import RequestFactory

from blindjustice_web.portals.templatetags import blindjustice


def _map() -> dict[str, str]:
    request = RequestFactory().get("/")
    request.csp_nonce = "abc"  # type: ignore[attr-defined]
    text = Template("{% load blindjustice %}{% import_map %}").render(Context({"request": request}))
    assert text.startswith('<script type="importmap" nonce="abc">')
    content = text.removeprefix('<script type="importmap" nonce="abc">').removesuffix("</script>")
    imports: dict[str, str] = json.loads(content)["imports"]
    return imports


@pytest.fixture(autouse=True)
def _fresh() -> Any:
    blindjustice._map_text.cache_clear()
    yield
    blindjustice._map_text.cache_clear()


def test_vendored_packages_have_their_bare_names() -> None:
    imports = _map()
    assert imports["@hpke/core"].endswith("/core/mod.js")
    assert imports["@hpke/common"].endswith("/common/mod.js")


def test_hashed_modules_are_reached_by_their_plain_addresses(settings: Any, tmp_path: Any) -> None:
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
    }
    call_command("collectstatic", "--no-input", verbosity=0)
    imports = _map()
    plain = "/static/js/lib/envelope.js"
    assert imports[plain] != plain
    assert (settings.STATIC_ROOT / imports[plain].removeprefix("/static/")).exists()
    assert all(
        (settings.STATIC_ROOT / served.removeprefix("/static/")).exists()
        for served in imports.values()
    )
