"""Files that carry a signed text to whoever checks it: the text inside is exact, the file need not.

An editor or a browser may lay a file out anew without touching the text that was signed, which is
one JSON string in it. Such a file is read, and what is wrong with it is told.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from mpc_engine.control.texts.canonical import JsonValue, canonical_text
from mpc_engine.control.texts.fields import Fields
from mpc_engine.control.texts.names import likeness
from mpc_engine.errors import DecodeError, UsageError

SIGNATURE_BYTES = 64
_ROOM_FACTOR = 8
"""How much longer than its text a file may be: escaped characters, white space, signatures."""
_SHOWN_LETTERS, _SHOWN_OTHERS = 60, 5


@dataclass(frozen=True)
class SignedFile:
    """A signed text with its raw Ed25519 signatures by name.

    ``remarks`` say, a clause each, how the file differs from the one that was handed out.
    """

    text: str
    signatures: Mapping[str, bytes]
    remarks: tuple[str, ...]


def signed_file(file_format: str, text: str, signatures: Mapping[str, bytes]) -> str:
    """Return the file that carries a text, as canonical JSON."""
    return canonical_text(
        {
            "format": file_format,
            "text": text,
            **{name: signature.hex() for name, signature in signatures.items()},
        }
    )


def read_signed_file(
    data: bytes, file_format: str, signatures: Sequence[str], *, code: str, limit: int
) -> SignedFile:
    """Return what a file of this format carries, however its JSON is laid out.

    ``signatures`` are the names of its signatures, ``limit`` the bytes of its text at most. Raises
    DecodeError (``FILE_NOT_JSON``, ``FILE_NAME_TWICE``, ``TEXT_TOO_LONG``), UsageError (``code``).
    """
    if len(data) > _ROOM_FACTOR * limit:
        raise DecodeError("This file is too long.", code="TEXT_TOO_LONG")
    marked = data.startswith(codecs.BOM_UTF8)
    body = data.removeprefix(codecs.BOM_UTF8)
    value = _value(body)
    fields = Fields(value, "file", code=code)
    fields.choice("format", (file_format,))
    text = fields.raw_text("text", maximum=limit)
    found = {name: fields.hex(name, SIGNATURE_BYTES) for name in signatures}
    known = {"format", "text", *signatures}
    extra = sorted(set(value) - known) if isinstance(value, dict) else []
    remarks = ["it begins with a byte order mark"] if marked else []
    if extra:
        remarks.append(_extra_remark(extra, known))
    elif body.rstrip(b"\r\n") != _bytes(file_format, text, found):
        remarks.append("its JSON is laid out in another way")
    return SignedFile(text, found, tuple(remarks))


def _extra_remark(extra: Sequence[str], known: Set[str]) -> str:
    """Return the clause on fields that nobody signed: how many, all doubtful names, then a few.

    Doubtful is a name that is not ASCII (shown escaped, so that a twin's letter is seen) or looks
    like a known one.
    """
    likenesses = {_bare(name) for name in known}
    doubtful = [name for name in extra if not name.isascii() or _bare(name) in likenesses]
    others = sorted(set(extra).difference(doubtful))
    shown = [json.dumps(name[:_SHOWN_LETTERS]) for name in doubtful + others[:_SHOWN_OTHERS]]
    more = len(extra) - len(shown)
    return (
        f'only its field "text" is signed and was judged; fields that nobody signed: {len(extra)}, '
        f"named {', '.join(shown)}" + (f" and {more} more" if more else "")
    )


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", likeness(name))


def _value(body: bytes) -> JsonValue:
    try:
        value: JsonValue = json.loads(body.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise DecodeError("This file is not JSON in UTF-8.", code="FILE_NOT_JSON") from None
    return value


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """Return an object; one that holds a name twice has no one meaning and is refused."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise DecodeError("This file holds a name twice.", code="FILE_NAME_TWICE")
    return value


def _bytes(file_format: str, text: str, signatures: Mapping[str, bytes]) -> bytes:
    try:
        return signed_file(file_format, text, signatures).encode("utf-8")
    except (UsageError, UnicodeEncodeError):
        return b""
