"""The content security policy: nothing inline but the import map, nothing from elsewhere."""

from __future__ import annotations

from typing import Any
from wsgiref.headers import Headers

from csp.constants import NONCE, NONE, SELF

POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}

STATIC_POLICY = "default-src 'self'"
"""For scripts that run as workers, and images opened alone; short, as it comes with every file."""


def static_headers(headers: Headers, path: str, url: str) -> None:
    """Add to a static file what the middleware of pages does not."""
    headers["Content-Security-Policy"] = STATIC_POLICY
