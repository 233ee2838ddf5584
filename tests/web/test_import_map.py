"""The import map: bare names for vendored packages, plain addresses for hashed files."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path, PurePath
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.template import Context, Template
from django.test import Client, RequestFactory

from blindjustice_web.portals.modules import BARE_NAMES, imports_of, served_file
from blindjustice_web.portals.templatetags import blindjustice
from blindjustice_web.portals.templatetags.blindjustice import THEME_SWITCH

SHARES = "js/pages/take_part.js"
PAGES = Path(settings.BASE_DIR, "static/js/pages")


def _printed(name: str) -> str:
    request = RequestFactory().get("/")
    request.csp_nonce = "abc"  # type: ignore[attr-defined]
    text = f"{{% load blindjustice %}}{{% modules '{name}' %}}"
    return Template(text).render(Context({"request": request}))


def _document(name: str = SHARES) -> dict[str, dict[str, str]]:
    begin, content = _printed(name).split("</script>")[0].split(">", 1)
    assert begin == '<script type="importmap" nonce="abc"'
    document: dict[str, dict[str, str]] = json.loads(content)
    return document


def _map() -> dict[str, str]:
    return _document()["imports"]


def _digest(path: Path) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()}"


@pytest.fixture
def collected(settings: Any, tmp_path: Any) -> Path:
    """Return the folder of the static files as a running site serves them."""
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
    }
    call_command("collectstatic", "--no-input", verbosity=0)
    return Path(settings.STATIC_ROOT)


@pytest.fixture(autouse=True)
def _fresh() -> Any:
    kept = (blindjustice._map_text, blindjustice._digest, blindjustice._module_tags)
    for cached in kept:
        cached.cache_clear()
    yield
    for cached in kept:
        cached.cache_clear()


def test_vendored_packages_have_their_bare_names() -> None:
    imports = _map()
    assert imports["@hpke/common"].endswith("/js/lib/hpke_common.js")


def test_hashed_modules_are_reached_by_their_plain_addresses(collected: Path) -> None:
    imports = _map()
    plain = "/static/js/lib/envelope.js"
    assert imports[plain] != plain
    for served in imports.values():
        assert (collected / served.removeprefix("/static/")).exists()


def test_every_module_has_the_digest_of_the_file_that_is_served(collected: Path) -> None:
    document = _document()
    assert set(document["integrity"]) == set(document["imports"].values())
    for served, digest in document["integrity"].items():
        assert digest == _digest(collected / served.removeprefix("/static/"))


def test_a_module_needs_what_it_imports_and_what_those_import() -> None:
    needed = imports_of("js/pages/take_part.js")
    assert len(needed) == len(set(needed))
    assert {"js/components/answer_form.js", "js/lib/errors.js"} <= set(needed)
    assert "js/lib/sharing.js" not in needed, "it is fetched when she begins to answer"
    assert "js/pages/take_part.js" not in needed


def test_vendored_packages_are_followed_by_their_bare_names() -> None:
    needed = imports_of("js/lib/sharing.js")
    assert {BARE_NAMES["@hpke/common"], "vendor/hpke/1.9.0/common/src/errors.js"} <= set(needed)


def test_a_page_fetches_no_cryptography_of_other_suites() -> None:
    vendored = {PurePath(one).name for one in imports_of("js/lib/sharing.js") if "vendor/" in one}
    assert {"cipherSuiteNative.js", "mlKem768Impl.js", "sha3.js", "aesGcm.js"} <= vendored
    others = {"mod.js", "sha2.js", "ec.js", "x448.js", "x25519.js", "dhkem.js", "mlKem1024Base.js"}
    assert not vendored & {*others, "hybridkem.js", "mlKem512Base.js", "montgomery.js"}


@pytest.mark.parametrize("page", ["take_part", "challenge_new", "receipt", "my_page"])
def test_a_person_s_page_fetches_what_seals_when_she_needs_it_only(page: str) -> None:
    needed = imports_of(f"js/pages/{page}.js")
    assert not [one for one in needed if "vendor/" in one]
    assert sum(served_file(one).stat().st_size for one in needed) < 120_000


def test_a_page_s_map_has_what_it_imports_at_once_or_later_and_nothing_else(
    collected: Path,
) -> None:
    pages = [f"js/pages/{path.name}" for path in PAGES.iterdir()]
    assert len(pages) > 10
    for page in pages:
        served = {staticfiles_storage.url(one) for one in imports_of(page)}
        assert served < set(_document(page)["integrity"])
    plain = set(_document()["imports"])
    assert {"/static/js/lib/sharing.js", "@hpke/common"} <= plain
    assert "/static/js/lib/csv.js" not in plain
    assert "qr/decode.js" not in plain
    assert "qr/decode.js" in _document("js/pages/challenge_new.js")["imports"]


def test_no_import_on_demand_is_overlooked() -> None:
    """Outside comments, which name types by the same word, there are these calls only."""
    texts = {
        path.name: re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text("utf-8"), flags=re.DOTALL)
        for path in Path(settings.BASE_DIR, "static/js").rglob("*.js")
    }
    calls = {name for name, text in texts.items() if re.search(r"\bimport\s*\(", text)}
    assert calls == {"take_part.js", "challenge.js", "qr_image.js"}


def test_a_page_asks_for_all_its_modules_at_once(collected: Path) -> None:
    text = _printed(SHARES)
    preload = r'<link rel="modulepreload" href="/static/([^"]+)" integrity="([^"]+)">'
    found = dict(re.findall(preload, text))
    assert len(found) == len({*imports_of(SHARES), *imports_of(THEME_SWITCH)})
    for address, digest in found.items():
        assert digest == _digest(collected / address)
    assert text.rstrip().endswith("</script>")


@pytest.mark.django_db
def test_the_import_map_comes_before_the_first_module(collected: Path) -> None:
    content = Client().get("/design/").content.decode()
    first = min(content.index('rel="modulepreload"'), content.index('type="module"'))
    assert content.index('type="importmap"') < first


@pytest.mark.django_db
def test_every_style_sheet_and_script_of_a_page_has_its_digest(collected: Path) -> None:
    content = Client().get("/").content.decode()
    sheets = re.findall(r'<link rel="stylesheet"[^>]*>', content)
    scripts = re.findall(r"<script[^>]* src=[^>]*>", content)
    assert len(sheets) > 5
    assert scripts
    for tag in sheets:
        (address,) = re.findall(r'href="/static/([^"]+)"', tag)
        assert f'integrity="{_digest(collected / address)}"' in tag
    for tag in scripts:
        (address,) = re.findall(r'src="([^"]+)"', tag)
        file = collected / address.removeprefix("/static/")
        assert f'integrity="{_digest(file)}"' in tag


def test_every_template_names_the_digest_of_what_it_loads() -> None:
    """The page of an error 500 is static: it works when nothing else does."""
    bare = [
        f"{path.name}: {tag}"
        for path in Path(settings.BASE_DIR, "templates").rglob("*.html")
        if path.name != "plain.html"
        for tag in re.findall(r"<(?:script|link)\b.*?>(?=\s|<|$)", path.read_text(encoding="utf-8"))
        if ("stylesheet" in tag or " src=" in tag) and "{% integrity " not in tag
    ]
    assert bare == []
