"""Headers Django doesn't set by itself, and a limit on what anyone may send."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.problems import TooLarge

Handler = Callable[[HttpRequest], HttpResponse]

HEADERS = {
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class ExtraHeadersMiddleware:
    """Add the fixed headers to every response."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on and add the headers."""
        response = self._get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response


class BodyLimitMiddleware:
    """Refuse bodies over the limit of the caller before anything parses them."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer 413 as a problem document, or pass the request on."""
        length = request.META.get("CONTENT_LENGTH") or "0"
        size_bytes = int(length) if length.isdigit() else 0
        if size_bytes > settings.PUBLIC_BODY_BYTES and size_bytes > self._limit_bytes(request):
            problem = TooLarge(
                "BODY_TOO_LARGE",
                _("The request is larger than this address takes."),
                next_step=_("Send less at once."),
            )
            return JsonResponse(
                problem.as_json(), status=problem.status, content_type="application/problem+json"
            )
        return self._get_response(request)

    def _limit_bytes(self, request: HttpRequest) -> int:
        member = request.user.is_authenticated and request.user.memberships.exists()
        limit: int = settings.MEMBER_BODY_BYTES if member else settings.PUBLIC_BODY_BYTES
        return limit
