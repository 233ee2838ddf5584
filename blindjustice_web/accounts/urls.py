"""Addresses of accounts: allauth's, counted where an address may do something so often."""

from __future__ import annotations

from allauth.account import urls as allauth_urls
from django.urls import URLPattern

from blindjustice_web.accounts.login_limits import COUNTED, counted


def _limited(page: URLPattern) -> URLPattern:
    name = COUNTED.get(page.name or "")
    if name is None:
        return page
    return URLPattern(page.pattern, counted(name, page.callback), page.default_args, page.name)


urlpatterns = [_limited(page) for page in allauth_urls.urlpatterns]
