"""Headers Django doesn't set by itself, and answers for what goes wrong outside the views."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.problems import (
    NotThere,
    Problem,
    Text,
    TooMany,
    away,
    problem_document,
    with_wait,
)

logger = logging.getLogger(__name__)

Handler = Callable[[HttpRequest], HttpResponse]

API_PATH = "/api/"
PROBLEM_TYPE = "application/problem+json"
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


class SmallPagesMiddleware(GZipMiddleware):
    """Compress pages, which have no secret but the CSRF token, masked anew in each.

    The API is left alone: it may reflect what is sent beside what is stored (BREACH). Django adds
    random bytes, so that a page's length says little.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Compress a page."""
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        return super().process_response(request, response) if is_page else response


class PrivatePagesMiddleware:
    """Let nobody keep a copy of what the API, the log-in or a logged-in reader gets."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on; forbid to store the answer where it is somebody's own."""
        response = self._get_response(request)
        path = request.path_info
        if path.startswith((API_PATH, "/accounts/")) or request.user.is_authenticated:
            add_never_cache_headers(response)
        return response


class ApiProblemsMiddleware:
    """Make every error under the API a problem document, whoever answered it."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on; put an error that is no problem document into one."""
        response = self._get_response(request)
        is_error = response.status_code >= 400 and request.path_info.startswith(API_PATH)
        if not is_error or response.headers.get("Content-Type") == PROBLEM_TYPE:
            return response
        document = problem_document(_problem_of(response.status_code))
        for name, value in response.headers.items():
            if name not in {"Content-Type", "Content-Length"}:
                document.headers[name] = value
        return document


class ProblemPagesMiddleware:
    """Show a page for a limit that is used up, and for a broker or database that is away."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return a page for what a reader can understand; leave the rest to Django."""
        if isinstance(error, TooMany):
            return problem_page(request, error)
        problem = away(error)
        if problem is None:
            return None
        logger.error("%s at %s", problem.code, request.path, exc_info=error)
        return problem_page(request, problem)


def problem_page(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Return a problem as a page: what happened, what is lost, what to do."""
    response = render(request, "problem.html", {"problem": problem}, status=problem.status)
    return with_wait(response, problem)


def _problem_of(status: int) -> Problem:
    if status == 404:
        return NotThere()
    sentences: dict[int, tuple[str, Text]] = {
        403: ("NOT_ALLOWED", _("You may not do this.")),
        405: ("METHOD_NOT_ALLOWED", _("This address does not take that method.")),
    }
    broken = ("SITE_FAILED", _("Something went wrong on our side."))
    unreadable = ("REQUEST_NOT_READABLE", _("The request can't be read."))
    problem = Problem(*sentences.get(status, broken if status >= 500 else unreadable))
    problem.status = status
    return problem
