"""Light, dark, or as the system has it: the reader's choice, kept in a cookie of her browser.

The page comes with the choice on its root element, so nothing flashes and no script is needed.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

COOKIE = "theme"
THEMES = ("light", "dark")
KEPT_S = 31_536_000


def chosen_theme(request: HttpRequest) -> str:
    """Return "light" or "dark" if the reader chose, else ""."""
    value = request.COOKIES.get(COOKIE, "")
    return value if value in THEMES else ""


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the choice and go back to the page; anything but light or dark follows the system."""
    response = redirect(_back(request))
    value = request.POST.get("theme", "")
    if value in THEMES:
        response.set_cookie(COOKIE, value, max_age=KEPT_S, **_attributes())
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response


def _attributes() -> dict[str, Any]:
    # Scripts change it too, so that a page with an invitation behind "#" needs no reload.
    return {"samesite": "Lax", "secure": settings.IS_HTTPS, "httponly": False}


def _back(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    here = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if here else "/"
