"""The content security policy: nothing inline but the import map, nothing from elsewhere."""

from __future__ import annotations

from typing import Any
from wsgiref.headers import Headers

from csp.constants import NONCE, NONE, SELF
from django.conf import settings

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
    """Add to a static file what the middleware adds to pages, but for what only pages obey."""
    headers["Content-Security-Policy"] = STATIC_POLICY
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = settings.SECURE_REFERRER_POLICY
    if settings.SECURE_HSTS_SECONDS:
        headers["Strict-Transport-Security"] = _https_only()


def _https_only() -> str:
    """Return for how long a browser asks over https alone, as Django tells it with pages."""
    parts = [f"max-age={settings.SECURE_HSTS_SECONDS}"]
    if settings.SECURE_HSTS_INCLUDE_SUBDOMAINS:
        parts.append("includeSubDomains")
    if settings.SECURE_HSTS_PRELOAD:
        parts.append("preload")
    return "; ".join(parts)
