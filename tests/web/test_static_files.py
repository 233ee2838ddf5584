"""Static files are answered before Django, as WhiteNoise found them, and nothing else is."""

from __future__ import annotations

import gzip
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from blindjustice_web.config.static_files import StaticFiles

pytestmark = pytest.mark.asyncio
SHEET = "/static/css/tokens.css"
PASSED_ON = 299
AS_SERVED = "whitenoise.storage.CompressedManifestStaticFilesStorage"


async def _django(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": PASSED_ON, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def site(settings: Any, tmp_path: Path) -> StaticFiles:
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": AS_SERVED}}
    call_command("collectstatic", "--no-input", verbosity=0)
    return StaticFiles(_django)


async def _ask(
    site: StaticFiles, path: str, method: str = "GET", *, peer: str = "192.0.2.1", **asked: str
) -> tuple[int, dict[str, str], bytes]:
    events: list[Any] = []

    async def send(event: Any) -> None:
        events.append(event)

    async def receive() -> Any:
        raise AssertionError("a static file needs nothing of the request's body")

    headers = [(name.replace("_", "-").encode(), value.encode()) for name, value in asked.items()]
    scope: dict[str, Any] = {"type": "http", "path": path, "method": method, "headers": headers}
    scope |= {"scheme": "http", "client": (peer, 5000)}
    await site(scope, receive, send)
    start, body = events
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], found, body["body"]


async def test_a_file_comes_with_its_headers_small_where_that_is_understood(
    site: StaticFiles, settings: Any
) -> None:
    source = (settings.STATIC_ROOT / "css/tokens.css").read_bytes()
    status, headers, body = await _ask(site, SHEET)
    assert (status, body) == (200, source)
    assert headers["content-security-policy"] == "default-src 'self'"
    assert headers["x-content-type-options"] == "nosniff"
    status, headers, body = await _ask(site, SHEET, accept_encoding="gzip")
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(body) == source
    assert int(headers["content-length"]) == len(body) < len(source)


async def test_a_file_the_browser_has_is_not_sent_again(site: StaticFiles) -> None:
    _, headers, _ = await _ask(site, SHEET)
    status, _, body = await _ask(site, SHEET, if_none_match=headers["etag"])
    assert (status, body) == (304, b"")


async def test_a_file_is_only_read(site: StaticFiles) -> None:
    assert (await _ask(site, SHEET, "HEAD"))[::2] == (200, b"")
    for method in ("POST", "PUT", "DELETE"):
        assert (await _ask(site, SHEET, method))[0] == 405


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    ["/", "/static/", "/static/none.css", "/static/../settings.py", "/static//etc/passwd", ""],
)
async def test_everything_else_is_passed_on(site: StaticFiles, path: str) -> None:
    assert (await _ask(site, path))[0] == PASSED_ON


async def test_plain_http_is_passed_on_where_django_leads_it_to_https(
    site: StaticFiles, settings: Any
) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.5")]
    secure = {"peer": "10.0.0.5", "x_forwarded_proto": "https"}
    plain = [
        {},
        {"peer": "10.0.0.5"},
        {"peer": "10.0.0.5", "x_forwarded_proto": "http"},
        {"x_forwarded_proto": "https"},
    ]
    for asked in (*plain, secure):
        assert (await _ask(site, SHEET, **asked))[0] == 200
    settings.SECURE_SSL_REDIRECT = True
    assert (await _ask(site, SHEET, **secure))[0] == 200
    for asked in plain:
        assert (await _ask(site, SHEET, **asked))[0] == PASSED_ON


async def test_files_are_found_anew_while_somebody_works_on_them(settings: Any) -> None:
    settings.DEBUG = True
    settings.WHITENOISE_USE_FINDERS = True
    assert (await _ask(StaticFiles(_django), SHEET))[0] == 200


@pytest.mark.slow
async def test_sockets_are_passed_on(site: StaticFiles) -> None:
    passed = []

    async def note(scope: Any, _receive: Any, _send: Any) -> None:
        passed.append(scope["type"])

    nothing: Any = None
    await StaticFiles(note)({"type": "websocket", "path": SHEET}, nothing, nothing)
    assert passed == ["websocket"]
