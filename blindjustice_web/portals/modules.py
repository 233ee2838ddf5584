"""The ES modules of the site: where each lies, its digest, and what it imports."""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import find, get_finders
from django.contrib.staticfiles.storage import staticfiles_storage

MODULE_FOLDERS = (
    "js/charts/",
    "js/components/",
    "js/lib/",
    "js/net/",
    "vendor/hpke/",
    "vendor/qr/",
)
"""What modules import; a page's own module has its digest in its tag."""
BARE_NAMES = {
    "@hpke/core": "vendor/hpke/1.9.0/core/mod.js",
    "@hpke/common": "vendor/hpke/1.9.0/common/mod.js",
    "qr/decode.js": "vendor/qr/0.7.0/decode.js",
}
_STATIC_IMPORT = re.compile(
    r"""^(?:import|export)(?:[^;'"()=]*?\bfrom)?\s*["']([^"']+)["']""", re.MULTILINE
)
"""At the start of a line, as every module here has them; not what is imported on demand."""


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


def all_modules() -> list[str]:
    """Return every module file: from the manifest where there is one, else from the folders."""
    hashed: dict[str, Any] = getattr(staticfiles_storage, "hashed_files", {})
    names = set(hashed)
    if not names:
        names = {path.replace("\\", "/") for finder in get_finders() for path, _ in finder.list([])}
    return sorted(n for n in names if n.endswith(".js") and n.startswith(MODULE_FOLDERS))


def imports_of(name: str) -> list[str]:
    """Return all that a module needs before it runs, nearest first; not what it asks for later."""
    found = [name]
    for module in found:
        found += [one for one in _direct_imports(module) if one not in found]
    return found[1:]


def _direct_imports(name: str) -> list[str]:
    specifiers = _STATIC_IMPORT.findall(served_file(name).read_text("utf-8"))
    return list(dict.fromkeys(_resolved(name, specifier) for specifier in specifiers))


def _resolved(importer: str, specifier: str) -> str:
    if specifier in BARE_NAMES:
        return BARE_NAMES[specifier]
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
