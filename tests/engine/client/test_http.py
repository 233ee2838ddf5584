"""The client's session against a small HTTP server that speaks like the site."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import pytest

from mpc_engine.client.http import Session
from mpc_engine.errors import SiteRefusalError, TransportError, UsageError


class Site(BaseHTTPRequestHandler):
    """A sign-in form, one protected resource, one problem, one page that isn't JSON."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        return

    def reply(self, status: int, value: Any, *headers: tuple[str, str]) -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers:
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        if self.path == "/accounts/login/":
            page = b'<input type="hidden" name="csrfmiddlewaretoken" value="Abc123">'
            self.reply(200, page, ("Set-Cookie", "csrftoken=first; Path=/; SameSite=Lax"))
        elif self.path == "/closes":
            self.reply(200, {"ok": 1}, ("Connection", "keep-alive"))
            self.close_connection = True
        elif "sessionid=Uma" in self.headers.get("Cookie", ""):
            self.reply(200, {"name": "Uma"})
        else:
            self.reply(302, b"", ("Location", "/accounts/login/"))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/accounts/login/":
            form = parse_qs(body.decode())
            good = form["password"] == ["right"] and form["csrfmiddlewaretoken"] == ["Abc123"]
            if not good:
                self.reply(200, b"try again")
                return
            self.send_response(302)
            self.send_header("Set-Cookie", "sessionid=Uma; HttpOnly; Path=/")
            self.send_header("Set-Cookie", "csrftoken=second; Path=/")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path == "/problem":
            problem = {"code": "STUDY_CLOSED", "detail": "The study is closed.", "next": "Nothing"}
            self.reply(409, problem | {"kept": "Your earlier answer"})
        else:
            self.reply(200, {"token": self.headers["X-CSRFToken"], "sent": json.loads(body)})


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_signed_in_session_keeps_cookies_and_sends_the_newest_csrf_token(origin: str) -> None:
    with Session(origin) as uma:
        uma.log_in("uma@example.org", "right")
        assert uma.get_json("/me") == {"name": "Uma"}
        assert uma.post_json("/echo", {"n": 1}) == {"token": "second", "sent": {"n": 1}}


def test_wrong_password_is_a_typed_refusal(origin: str) -> None:
    with Session(origin) as uma, pytest.raises(SiteRefusalError) as caught:
        uma.log_in("uma@example.org", "wrong")
    assert caught.value.code == "LOG_IN_REFUSED"


def test_problem_json_becomes_a_typed_error(origin: str) -> None:
    with Session(origin) as uma, pytest.raises(SiteRefusalError) as caught:
        uma.post_json("/problem", {})
    error = caught.value
    assert (error.status, error.code) == (409, "STUDY_CLOSED")
    assert (error.sentence, error.next_step) == ("The study is closed.", "Nothing")
    assert error.kept == "Your earlier answer"


def test_page_that_asks_to_sign_in_is_named_as_such(origin: str) -> None:
    with Session(origin) as anonymous, pytest.raises(SiteRefusalError) as caught:
        anonymous.get("/me")
    assert caught.value.code == "LOG_IN_NEEDED"


def test_answer_that_is_no_json_is_named_as_such(origin: str) -> None:
    with Session(origin) as anonymous, pytest.raises(TransportError, match="not JSON"):
        anonymous.get_json("/accounts/login/")


def test_connection_that_the_site_closed_meanwhile_is_opened_again(origin: str) -> None:
    with Session(origin) as anonymous:
        assert anonymous.get_json("/closes") == {"ok": 1}
        assert anonymous.get_json("/closes") == {"ok": 1}


def test_site_that_is_not_there_is_a_transport_error() -> None:
    with Session("http://127.0.0.1:9") as anonymous, pytest.raises(TransportError):
        anonymous.get("/")


@pytest.mark.parametrize("address", ["justice.example", "ftp://a", "http://justice.example"])
def test_addresses_that_would_leak_a_password_are_refused(address: str) -> None:
    with pytest.raises(UsageError):
        Session(address)
