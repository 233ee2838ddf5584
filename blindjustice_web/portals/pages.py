"""How a page is served: who may open it, what a hidden thing looks like, the live region."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import role_of, user_of
from blindjustice_web.lib.middleware import problem_page
from blindjustice_web.lib.problems import NotThere, Problem
from blindjustice_web.lib.throttle import too_many

SHORT_WAIT_S = 60
View = Callable[..., HttpResponse]


def public_page(view: View) -> View:
    """Serve a page to anyone; what isn't there, or isn't theirs, is a 404; problems are told."""

    @require_safe
    @wraps(view)
    def serve(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NotThere:
            raise Http404 from None
        except Problem as problem:
            return problem_page(request, problem)

    return serve


def person_page(view: View) -> View:
    """Serve a page to anyone who is logged in."""
    served: View = require_safe(never_cache(login_required(public_page(view))))
    return served


def member_page(role: Role) -> Callable[[View], View]:
    """Serve a page to members of organisations in one role; to others it isn't there."""

    def wrap(view: View) -> View:
        @wraps(view)
        def check(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            _require(role, request)
            return view(request, *args, **kwargs)

        return person_page(check)

    return wrap


def member_action(role: Role) -> Callable[[View], View]:
    """Take a form from members of organisations in one role; to others it isn't there."""

    def wrap(view: View) -> View:
        @wraps(view)
        def act(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            try:
                _require(role, request)
                return view(request, *args, **kwargs)
            except NotThere:
                raise Http404 from None
            except Problem as problem:
                return problem_page(request, problem)

        served: View = require_POST(never_cache(login_required(act)))
        return served

    return wrap


def _require(role: Role, request: HttpRequest) -> None:
    if role_of(user_of(request)) != role:
        raise NotThere


def too_often(request: HttpRequest) -> HttpResponse:
    """Show that one of allauth's own limits is used up; it doesn't say for how long."""
    return problem_page(request, too_many(SHORT_WAIT_S))


def render_live(
    request: HttpRequest, portal: str, name: str, context: dict[str, Any]
) -> HttpResponse:
    """Render a page, or only its live region for ``?partial=1``."""
    partial = request.GET.get("partial") == "1"
    template = f"partials/{name}.html" if partial else f"{portal}/{name}.html"
    return render(request, template, context)


def partial_url(request: HttpRequest, url: str) -> str:
    """Return where a page fetches its live region: the same pages of its lists as it shows."""
    values = request.GET.copy()
    values["partial"] = "1"
    return f"{url}?{values.urlencode()}"


def page_data(request: HttpRequest, **values: Any) -> dict[str, Any]:
    """Return the data of a page's script, with the CSRF token in it."""
    return {"csrf": get_token(request), **values}
