"""The ES modules of the site: where each lies, its digest, and what it imports."""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from collections.abc import Iterable
from pathlib import Path

from django.contrib.staticfiles.finders import find
from django.contrib.staticfiles.storage import staticfiles_storage

BARE_NAMES = {
    "@hpke/common": "js/lib/hpke_common.js",
    "qr/decode.js": "vendor/qr/0.7.0/decode.js",
}
_STATIC_IMPORT = re.compile(
    r"""^(?:import|export)(?:[^;'"()=]*?\bfrom)?\s*["']([^"']+)["']""", re.MULTILINE
)
"""At the start of a line, as every module here has them; not what is imported on demand."""
_IMPORT_ON_DEMAND = re.compile(r"""(?:=>|await)\s+import\(["']([^"']+)["']\)""")
"""A call; types of other modules are named in comments by the same word."""


def served_file(name: str) -> Path:
    """Return the file that is served under a name, collected and with a hashed name or not."""
    hashed: dict[str, str] = getattr(staticfiles_storage, "hashed_files", {})
    found = staticfiles_storage.path(hashed[name]) if name in hashed else find(name)
    if found is None:
        raise LookupError(f"no static file {name}")
    return Path(str(found))


def digest_of(name: str) -> str:
    """Return the digest of a file as it is served, in the form of the ``integrity`` attribute."""
    digest = hashlib.sha256(served_file(name).read_bytes()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def imports_of(name: str) -> list[str]:
    """Return all that a module needs before it runs, nearest first; not what it asks for later."""
    return _followed([name], later=False)[1:]


def needed_by(names: Iterable[str]) -> list[str]:
    """Return some modules and all that they import, at once or when it is needed.

    What a vendored package asks for on demand is for other platforms than a browser.
    """
    return _followed(names, later=True)


def _followed(names: Iterable[str], *, later: bool) -> list[str]:
    found = list(names)
    for module in found:
        text = served_file(module).read_text("utf-8")
        specifiers = _STATIC_IMPORT.findall(text)
        if later and module.startswith("js/"):
            specifiers += _IMPORT_ON_DEMAND.findall(text)
        imported = dict.fromkeys(_resolved(module, specifier) for specifier in specifiers)
        found += [one for one in imported if one not in found]
    return found


def _resolved(importer: str, specifier: str) -> str:
    if specifier in BARE_NAMES:
        return BARE_NAMES[specifier]
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
