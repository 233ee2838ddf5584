"""Template tags of the site: the import map."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

MODULE_FOLDERS = ("js/", "vendor/hpke/")
BARE_NAMES = {
    "@hpke/core": "vendor/hpke/1.9.0/core/mod.js",
    "@hpke/common": "vendor/hpke/1.9.0/common/mod.js",
}


@register.simple_tag(takes_context=True)
def import_map(context: template.Context) -> SafeString:
    """Print the import map: bare names, and plain module addresses to their hashed files."""
    request = context["request"]
    nonce = getattr(request, "csp_nonce", "")
    text = _map_text() if settings.DEBUG is False else _map_text.__wrapped__()
    return format_html(
        '<script type="importmap" nonce="{}">{}</script>', str(nonce), mark_safe(text)
    )


@lru_cache(maxsize=1)
def _map_text() -> str:
    imports: dict[str, str] = {}
    for name in _modules():
        plain, served = f"{settings.STATIC_URL}{name}", staticfiles_storage.url(name)
        if plain != served:
            imports[plain] = served
    for bare, name in BARE_NAMES.items():
        imports[bare] = staticfiles_storage.url(name)
    return json.dumps({"imports": imports}, sort_keys=True).replace("<", "\\u003c")


def _modules() -> list[str]:
    """Return every module file: from the manifest where there is one, else from the folders."""
    hashed: dict[str, Any] = getattr(staticfiles_storage, "hashed_files", {})
    names = set(hashed)
    if not names:
        names = {path.replace("\\", "/") for finder in get_finders() for path, _ in finder.list([])}
    return sorted(n for n in names if n.endswith(".js") and n.startswith(MODULE_FOLDERS))
