"""The page that is shown where a stored text can't be read any more, whichever page it is on."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from blindjustice_web.engine.engine_texts import not_readable
from blindjustice_web.lib.middleware import problem_page
from blindjustice_web.lib.problems import Outdated

logger = logging.getLogger(__name__)


class OutdatedTextsMiddleware:
    """Show a plain sentence instead of a failure for a text of another version."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return a page for a text that can't be read; leave the rest to others."""
        problem = error if isinstance(error, Outdated) else not_readable(error)
        if problem is None:
            return None
        logger.error("%s at %s", problem.code, request.path, exc_info=error)
        return problem_page(request, problem)
