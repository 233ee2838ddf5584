"""What every template knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from blindjustice_web.accounts.selectors import membership_of
from blindjustice_web.portals.theme import chosen_theme


@dataclass(frozen=True)
class ViewerView:
    """Who looks at the page."""

    role: str
    email: str
    organisation: str


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the viewer, the response's nonce, banners of debug and demo, and the chosen theme."""
    return {
        "viewer": SimpleLazyObject(lambda: viewer_of(request)),
        "csp_nonce": getattr(request, "csp_nonce", ""),
        "theme": chosen_theme(request),
        "debug_banner": _("Debug mode: for development only.") if settings.DEBUG else "",
        "is_demo": settings.DEMO,
    }


def viewer_of(request: HttpRequest) -> ViewerView:
    """Return who looks at the page."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return ViewerView("anonymous", "", "")
    membership = membership_of(user)
    if membership is None:
        return ViewerView("person", user.email, "")
    return ViewerView(membership.role, user.email, membership.organisation.name)
