"""Identifiers: 16 random bytes, written as 32 lower-case hex characters."""

from __future__ import annotations

import hashlib
import re
import secrets

ID_PATTERN = "[0-9a-f]{32}"
_ID = re.compile(ID_PATTERN)


def fresh_id() -> str:
    """Return a new random identifier."""
    return secrets.token_hex(16)


def id_of(text: str) -> str:
    """Return the identifier that belongs to a text: the same each time it comes."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


def is_id(text: str) -> bool:
    """Tell whether a text is a well-formed identifier."""
    return _ID.fullmatch(text) is not None


class IdConverter:
    """Match an identifier in a URL path."""

    regex = ID_PATTERN

    def to_python(self, value: str) -> str:
        """Return the identifier as it stands in the path."""
        return value

    def to_url(self, value: str) -> str:
        """Return the identifier as it goes into a path."""
        return value
