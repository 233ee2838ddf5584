"""Every error of the API as a problem document (RFC 9457): code, detail, kept, next."""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, AuthorizationError, HttpError, ValidationError

from blindjustice_web.engine.engine_texts import not_readable
from blindjustice_web.lib.problems import (
    NotAllowed,
    NotThere,
    Problem,
    TooLarge,
    Unusable,
    away,
    problem_document,
)

logger = logging.getLogger(__name__)


class NotLoggedIn(Problem):
    """The address needs a session."""

    status = 401


class Malformed(Problem):
    """The request can't be read at all."""

    status = 400


class Broken(Problem):
    """The site failed; its operators see why."""

    status = 500


def install(api: NinjaAPI) -> None:
    """Answer every error of an API with a problem document."""

    @api.exception_handler(Problem)
    def on_problem(request: HttpRequest, error: Problem) -> HttpResponse:
        return problem_document(error)

    @api.exception_handler(ValidationError)
    def on_validation(request: HttpRequest, error: ValidationError) -> HttpResponse:
        return problem_document(Unusable("INPUT_INVALID", _sentence(error.errors)))

    @api.exception_handler(AuthenticationError)
    def on_anonymous(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
        problem = NotLoggedIn(
            "LOG_IN_NEEDED", _("This needs a log-in."), next_step=_("Log in and try again.")
        )
        return problem_document(problem)

    @api.exception_handler(AuthorizationError)
    def on_forbidden(request: HttpRequest, error: AuthorizationError) -> HttpResponse:
        return problem_document(NotAllowed("NOT_ALLOWED", _("You may not do this.")))

    @api.exception_handler(Http404)
    def on_missing(request: HttpRequest, error: Http404) -> HttpResponse:
        return problem_document(NotThere())

    @api.exception_handler(RequestDataTooBig)
    def on_too_big(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
        return problem_document(TooLarge("BODY_TOO_LARGE", _("The request is too large.")))

    @api.exception_handler(MultiPartParserError)
    @api.exception_handler(SuspiciousOperation)
    @api.exception_handler(UnreadablePostError)
    def on_unreadable(request: HttpRequest, error: Exception) -> HttpResponse:
        return problem_document(_unreadable())

    @api.exception_handler(HttpError)
    def on_http(request: HttpRequest, error: HttpError) -> HttpResponse:
        if error.status_code == 403:
            problem: Problem = NotAllowed(
                "CSRF_TOKEN_WRONG",
                _("The request does not carry the token of your session."),
                next_step=_("Reload the page and send it again."),
            )
        else:
            problem = _unreadable()
            problem.status = error.status_code
        return problem_document(problem)

    @api.exception_handler(Exception)
    def on_defect(request: HttpRequest, error: Exception) -> HttpResponse:
        problem: Problem | None = away(error) or not_readable(error)
        if problem is not None:
            logger.error("%s at %s", problem.code, request.path, exc_info=error)
            return problem_document(problem)
        logger.exception("The API failed at %s", request.path, exc_info=error)
        problem = Broken(
            "SITE_FAILED",
            _("Something went wrong on our side."),
            next_step=_("Try again in a minute; if it goes on, tell the operator."),
        )
        return problem_document(problem)


def _unreadable() -> Problem:
    return Malformed("REQUEST_NOT_READABLE", _("The request can't be read."))


def _sentence(errors: list[dict[str, Any]]) -> str:
    """Name the fields that are wrong, never their values."""
    named = []
    for error in errors[:5]:
        where = [str(step) for step in error.get("loc", ()) if step not in {"body", "payload"}]
        named.append(f"{'.'.join(where) or 'body'}: {error.get('msg', '')}")
    return _("These fields are not as they should be: %(fields)s.") % {"fields": "; ".join(named)}
