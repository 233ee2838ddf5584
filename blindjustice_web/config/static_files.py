"""Static files, answered before Django: a page names dozens, and none needs its middleware.

Where plain http is led to https, that is Django's to do, of static files too.
"""

from __future__ import annotations

from io import BytesIO

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import Response, StaticFile

from blindjustice_web.config.body_limit import Application, Receive, Scope, SendEvent
from blindjustice_web.lib.forwarded import believe_proxies_only


class StaticFiles:
    """Serve what WhiteNoise found under the static address; pass everything else on."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._found = WhiteNoiseMiddleware()

    async def __call__(self, scope: Scope, receive: Receive, send: SendEvent) -> None:
        """Answer a request for a static file."""
        file = self._file_at(scope["path"]) if scope["type"] == "http" else None
        if file is None or (settings.SECURE_SSL_REDIRECT and not _is_secure(scope)):
            await self._application(scope, receive, send)
        else:
            await _send(file.get_response(scope["method"], _asked(scope)), send)

    def _file_at(self, path: str) -> StaticFile | None:
        if self._found.autorefresh:
            return self._found.find_file(path)
        return self._found.files.get(path)


def _is_secure(scope: Scope) -> bool:
    """Return whether Django will take a request for one over https."""
    request = ASGIRequest(scope, BytesIO())
    believe_proxies_only(request)
    return request.is_secure()


def _asked(scope: Scope) -> dict[str, str]:
    """Return the headers of a request under the names that WhiteNoise looks for."""
    return {
        f"HTTP_{name.decode('latin-1').upper().replace('-', '_')}": value.decode("latin-1")
        for name, value in scope["headers"]
    }


async def _send(response: Response, send: SendEvent) -> None:
    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in response.headers
    ]
    content = b""
    if response.file is not None:
        with response.file:
            content = response.file.read()
    status = int(response.status)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
