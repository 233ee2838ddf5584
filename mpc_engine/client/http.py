"""One signed-in session with a site: cookies, CSRF token, JSON, and typed errors.

A session speaks to one origin only and isn't shared between threads; open one per thread.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from types import TracebackType
from typing import Any
from urllib.parse import urlencode, urlsplit

from mpc_engine.errors import SiteRefusalError, TransportError, UsageError

LOG_IN_PATH = "/accounts/login/"
TOKEN_COOKIES = ("__Host-csrftoken", "csrftoken")  # behind https, and on this machine
LARGEST_REPLY_BYTES = 64 << 20
PAGE_TOKEN = re.compile(r'name="csrfmiddlewaretoken"\s+value="([A-Za-z0-9]+)"')


@dataclass(frozen=True)
class Reply:
    """What the site answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Return the body as JSON.

        Raises:
            TransportError: the body is no JSON (the address is not a Blind Justice site's).
        """
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise TransportError("The site's answer is not JSON.") from error


class Session:
    """A browser-like session with the site at ``origin`` (``http://127.0.0.1:8000``)."""

    def __init__(self, origin: str, *, timeout_s: float = 60.0) -> None:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise UsageError(f"{origin} is not an origin such as https://justice.example.")
        if parts.scheme == "http" and not _is_loopback(parts.hostname):
            raise UsageError("Outside this machine only https:// is used: passwords travel here.")
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self._host, self._port, self._tls = parts.hostname, parts.port, parts.scheme == "https"
        self._timeout_s = timeout_s
        self._cookies: dict[str, str] = {}
        self._connection: http.client.HTTPConnection | None = None

    def __repr__(self) -> str:
        return f"Session({self.origin!r})"

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; cookies stay."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, path: str) -> Reply:
        """Fetch a page or a file.

        Raises:
            SiteRefusalError: the site refused; carries its code, sentence and status.
            TransportError: the site can't be reached or doesn't speak HTTP.
        """
        return self._checked(self._exchange("GET", path, None, {}))

    def get_json(self, path: str) -> Any:
        """Fetch ``path`` and return its JSON; errors as in :meth:`get`."""
        return self.get(path).json()

    def post_json(self, path: str, value: Mapping[str, Any]) -> Any:
        """Post JSON with the CSRF token and return the answer's JSON, or None if it is empty.

        Errors as in :meth:`get`.
        """
        headers = {"Content-Type": "application/json", "X-CSRFToken": self._csrf_token()}
        body = json.dumps(value, separators=(",", ":")).encode()
        reply = self._checked(self._exchange("POST", path, body, headers))
        return reply.json() if reply.body else None

    def log_in(self, email: str, password: str) -> None:
        """Sign in through the site's own form, as a browser does.

        Raises:
            SiteRefusalError: wrong e-mail or password, or too many attempts (LOG_IN_REFUSED).
        """
        page = self.get(LOG_IN_PATH).body.decode("utf-8", "replace")
        hidden = PAGE_TOKEN.search(page)
        token = hidden.group(1) if hidden else self._csrf_token()
        form = urlencode({"login": email, "password": password, "csrfmiddlewaretoken": token})
        headers = {"Content-Type": "application/x-www-form-urlencoded", "X-CSRFToken": token}
        reply = self._exchange("POST", LOG_IN_PATH, form.encode(), headers)
        if reply.status not in (302, 303):
            raise SiteRefusalError(
                "The site did not accept this e-mail and password.",
                code="LOG_IN_REFUSED",
                status=reply.status,
            )

    def _csrf_token(self) -> str:
        return next((self._cookies[name] for name in TOKEN_COOKIES if name in self._cookies), "")

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply:
        sent = {"Accept": "application/json, text/html;q=0.9", **headers}
        if self._cookies:
            sent["Cookie"] = "; ".join(f"{name}={text}" for name, text in self._cookies.items())
        if method != "GET":
            sent |= {"Origin": self.origin, "Referer": self.origin + path}
        reused = self._connection is not None
        try:
            reply = self._once(method, path, body, sent)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
            self.close()
            if not reused:
                raise TransportError("The site closed the connection.") from error
            reply = self._again(method, path, body, sent)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise TransportError(f"{self.origin} can't be reached.") from error
        return reply

    def _again(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply:
        """Repeat a request whose kept-alive connection the site had closed meanwhile."""
        try:
            return self._once(method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise TransportError(f"{self.origin} can't be reached.") from error

    def _once(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply:
        connection = self._connection = self._connection or self._connect()
        connection.request(method, path, body=body, headers=dict(headers))
        response = connection.getresponse()
        content = response.read(LARGEST_REPLY_BYTES + 1)
        if len(content) > LARGEST_REPLY_BYTES:
            self.close()
            raise TransportError("The site's answer is too long.")
        self._keep_cookies(response.headers.get_all("Set-Cookie") or [])
        return Reply(response.status, dict(response.headers.items()), content)

    def _connect(self) -> http.client.HTTPConnection:
        if self._tls:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=self._timeout_s, context=context
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)

    def _keep_cookies(self, lines: list[str]) -> None:
        for line in lines:
            try:
                jar = SimpleCookie(line)
            except CookieError:
                continue
            for name, morsel in jar.items():
                if morsel["max-age"] == "0" or not morsel.value:
                    self._cookies.pop(name, None)
                else:
                    self._cookies[name] = morsel.value

    def _checked(self, reply: Reply) -> Reply:
        if reply.status < 400 and reply.status not in (301, 302, 303, 307, 308):
            return reply
        if reply.status < 400:
            raise SiteRefusalError(
                "The site asks to sign in first.", code="LOG_IN_NEEDED", status=reply.status
            )
        raise _refusal(reply)


def _refusal(reply: Reply) -> SiteRefusalError:
    """Read an RFC 9457 problem; anything else becomes a plain sentence with the status."""
    try:
        problem = json.loads(reply.body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {}
    sentence = problem.get("detail") or problem.get("title")
    if not isinstance(sentence, str):
        sentence = f"The site answered with status {reply.status}."
    return SiteRefusalError(
        sentence,
        code=str(problem.get("code", "")) or None,
        status=reply.status,
        kept=str(problem.get("kept", "")),
        next_step=str(problem.get("next", "")),
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
