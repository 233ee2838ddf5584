"""SHA-256 over concatenated parts, and the identifiers derived from it."""

from __future__ import annotations

import hashlib

DIGEST_BYTES = 32
KEY_ID_BYTES = 16


def sha256(*parts: bytes) -> bytes:
    """Return the 32-byte SHA-256 of the concatenation of ``parts``.

    Parts are not separated: callers put a domain label first and keep every part but one at a
    fixed width.
    """
    return hashlib.sha256(b"".join(parts)).digest()


def key_id(public_key: bytes) -> bytes:
    """Return a public key's identifier: the first 16 bytes of SHA-256 of its raw encoding."""
    return sha256(public_key)[:KEY_ID_BYTES]
