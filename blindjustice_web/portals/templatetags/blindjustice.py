"""Template tags of the site: the import map, and what each file must be to be used at all."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from django import template
from django.conf import settings
from django.contrib.staticfiles.finders import find, get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

MODULE_FOLDERS = ("js/charts/", "js/components/", "js/lib/", "js/net/", "vendor/hpke/")
"""What modules import; a page's own module has its digest in its tag."""
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


@register.simple_tag
def integrity(name: str) -> SafeString:
    """Print the ``integrity`` attribute of a file that a page names itself.

    What modules import has its digest in the import map.
    """
    digest = _digest(name) if settings.DEBUG is False else _digest.__wrapped__(name)
    return format_html('integrity="{}"', digest)


@lru_cache(maxsize=512)
def _digest(name: str) -> str:
    """Return the digest of a file as it is served, collected and with a hashed name or not."""
    hashed: dict[str, str] = getattr(staticfiles_storage, "hashed_files", {})
    found = staticfiles_storage.path(hashed[name]) if name in hashed else find(name)
    if found is None:
        raise LookupError(f"no static file {name}")
    digest = hashlib.sha256(Path(str(found)).read_bytes()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@lru_cache(maxsize=1)
def _map_text() -> str:
    imports: dict[str, str] = {}
    digests: dict[str, str] = {}
    for name in _modules():
        plain, served = f"{settings.STATIC_URL}{name}", staticfiles_storage.url(name)
        if plain != served:
            imports[plain] = served
        digests[served] = _digest.__wrapped__(name)
    for bare, name in BARE_NAMES.items():
        imports[bare] = staticfiles_storage.url(name)
    document = {"imports": imports, "integrity": digests}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _modules() -> list[str]:
    """Return every module file: from the manifest where there is one, else from the folders."""
    hashed: dict[str, Any] = getattr(staticfiles_storage, "hashed_files", {})
    names = set(hashed)
    if not names:
        names = {path.replace("\\", "/") for finder in get_finders() for path, _ in finder.list([])}
    return sorted(n for n in names if n.endswith(".js") and n.startswith(MODULE_FOLDERS))
