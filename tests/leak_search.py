"""Find secrets wherever they leaked: every form they could have, in bytes, files and databases.

A test knows secrets (*canaries*): a person's keys and shares, a model, a row of features. A program
that leaks one may have packed it in either byte order, printed it as decimals, written it in hex or
base64, and wrapped the result once more. `Search` looks for all of these at once. Nothing here ever
shows a canary: reports name it, its form, the place and the offset.
"""

from __future__ import annotations

import base64
import binascii
import re
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote_to_bytes

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness

MIN_BYTES = 8
"""Shorter patterns would be met by chance; a canary without a longer one is refused."""
INTEGER_BITS = 40
"""What a lone integer must have at least, to be told from others."""
LAYERS = 3
"""How often a place is unwrapped: base64 of JSON with base64 in it takes two."""
_SEPARATORS = (",", ", ", " ", ";", "\n")
_HASH_BITS = 21
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_WINDOWS = 1 << 19
_SQLITE_ATTEMPTS = 5
"""A copy taken while somebody writes may not be readable."""


@dataclass(frozen=True, repr=False)
class Canary:
    """A secret under a name, spelled as a program could: packed, or as text; by spelling."""

    name: str
    spellings: dict[str, bytes]

    def __post_init__(self) -> None:
        if not any(len(value) >= MIN_BYTES for value in self.spellings.values()):
            raise ValueError(f"{self.name} is too short to be told from chance")

    def __repr__(self) -> str:
        return f"<Canary {self.name}>"

    def forms(self) -> dict[str, bytes]:
        """Return every byte string to look for, by form: each spelling raw, in hex, in base64."""
        found = {}
        for spelling, value in self.spellings.items():
            for encoding, encoded in _encodings(value).items():
                if len(encoded) >= MIN_BYTES:
                    found[f"{spelling}, {encoding}"] = encoded
        return found


def _encodings(value: bytes) -> dict[str, bytes]:
    encoded = {"raw": value, "hex": value.hex().encode(), "HEX": value.hex().upper().encode()}
    for skipped in range(3):
        first, last = -(-8 * skipped // 6), 8 * (skipped + len(value)) // 6
        standard = base64.b64encode(bytes(skipped) + value)[first:last]
        encoded[f"base64 at {skipped}"] = standard
        encoded[f"base64url at {skipped}"] = standard.translate(bytes.maketrans(b"+/", b"-_"))
    return encoded


def secret_bytes(name: str, value: bytes) -> Canary:
    """Return the canary of a byte string: as it is, reversed, and its 8-byte words turned round."""
    spellings = {"bytes": value, "reversed": value[::-1]}
    if len(value) % 8 == 0 and len(value) > 8:
        words = [value[i : i + 8] for i in range(0, len(value), 8)]
        spellings["words turned"] = b"".join(word[::-1] for word in words)
        spellings["words in reverse"] = b"".join(words[::-1])
    return Canary(name, spellings)


def secret_integer(name: str, value: int) -> Canary:
    """Return the canary of a 64-bit integer (unsigned): packed both ways, and in decimals."""
    if value.bit_length() < INTEGER_BITS:
        raise ValueError(f"{name} is too small to be told from other integers")
    spellings = {
        "u64 little": value.to_bytes(8, "little"),
        "u64 big": value.to_bytes(8, "big"),
        "decimal": str(value).encode(),
    }
    if value >> 63:
        spellings["signed decimal"] = str(value - (1 << 64)).encode()
    return Canary(name, spellings)


def secret_integers(name: str, values: Sequence[int], widths: Iterable[int] = (4, 8)) -> Canary:
    """Return the canary of a row of integers: packed in ``widths`` bytes each, and in decimals."""
    if sum(abs(value).bit_length() for value in values) < INTEGER_BITS:
        raise ValueError(f"{name} is too small to be told from other rows")
    spellings = {}
    for width in widths:
        if all(abs(value) < 1 << (8 * width - 1) for value in values):
            packed = [value.to_bytes(width, "little", signed=True) for value in values]
            spellings[f"i{8 * width} little"] = b"".join(packed)
            spellings[f"i{8 * width} big"] = b"".join(value[::-1] for value in packed)
    for separator in _SEPARATORS:
        spellings[f"decimals by {separator!r}"] = separator.join(map(str, values)).encode()
    return Canary(name, spellings)


def secret_text(name: str, text: str) -> Canary:
    """Return the canary of a text, say the digits of a coefficient."""
    return Canary(name, {"utf-8": text.encode(), "utf-16": text.encode("utf-16-le")})


def secret_bits(name: str, bits: NDArray[np.uint8]) -> Canary:
    """Return the canary of many bits, uint8: a byte each, packed both ways, and as digits."""
    flat = np.ascontiguousarray(bits, dtype=np.uint8).reshape(-1)
    if len(flat) < 8 * MIN_BYTES:
        raise ValueError(f"{name} is too short to be told from chance")
    return Canary(
        name,
        {
            "byte a bit": flat.tobytes(),
            "packed little": np.packbits(flat, bitorder="little").tobytes(),
            "packed big": np.packbits(flat, bitorder="big").tobytes(),
            "digits": (flat + ord("0")).astype(np.uint8).tobytes(),
        },
    )


@dataclass
class RecordingRandomness:
    """A source that remembers what was drawn from it, in order."""

    source: Randomness
    drawn: list[bytes] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<RecordingRandomness after {len(self.drawn)} draws>"

    def bytes(self, n: int) -> bytes:
        """Draw ``n`` bytes."""
        self.drawn.append(self.source.bytes(n))
        return self.drawn[-1]

    def words(self, *shape: int) -> NDArray[np.uint64]:
        """Draw words of ``shape``."""
        words = self.source.words(*shape)
        self.drawn.append(words.tobytes())
        return words

    def bits(self, n: int) -> NDArray[np.uint8]:
        """Draw ``n`` bits; they are remembered packed, lowest first."""
        bits = self.source.bits(n)
        self.drawn.append(np.packbits(bits, bitorder="little").tobytes())
        return bits


def secrets_of_submission(
    name: str, drawn: Sequence[bytes], one_hot: Sequence[int], code: bytes
) -> list[Canary]:
    """Return what a person's browser drew for a submission, and what follows from it.

    ``drawn``: the draws of `mpc_engine.sharing.submission.prepare_submission` (submission id,
    masks, keys, blind); ``one_hot``: the entries of her answers; ``code``: of her invitation.
    """
    _, masks, keys, blind = drawn
    if (len(masks), len(keys), len(blind)) != (8 * len(one_hot), 64 * len(one_hot), 32):
        raise ValueError("a submission draws other things than it used to")
    found = [
        secret_bytes(f"{name}: invitation code", code),
        secret_bytes(f"{name}: blind", blind),
    ]
    for entry, z in enumerate(one_hot):
        share_r = int.from_bytes(masks[8 * entry : 8 * entry + 8], "little")
        found += [
            secret_integer(f"{name}: modeler's share {entry}", (z - share_r) % (1 << 64)),
            secret_integer(f"{name}: regulator's share {entry}", share_r),
        ]
        for slot, which in enumerate(("k0", "k1", "k'0", "k'1")):
            start = 64 * entry + 16 * slot
            found.append(secret_bytes(f"{name}: {which} {entry}", keys[start : start + 16]))
    return found


@dataclass(frozen=True)
class Leak:
    """A canary that was found: which, in what form, where."""

    canary: str
    form: str
    place: str
    offset: int


class Search:
    """Looks for all forms of many canaries in one pass over each place."""

    def __init__(self, canaries: Iterable[Canary]) -> None:
        self._patterns: dict[bytes, tuple[str, str]] = {}
        for canary in canaries:
            for form, pattern in canary.forms().items():
                self._patterns.setdefault(pattern, (canary.name, form))
        self._by_start: dict[bytes, list[bytes]] = {}
        for pattern in self._patterns:
            self._by_start.setdefault(pattern[:MIN_BYTES], []).append(pattern)
        self._likely = np.zeros(1 << _HASH_BITS, dtype=np.bool_)
        starts = np.frombuffer(b"".join(self._by_start), dtype="<u8")
        self._likely[_slots(starts)] = True

    def __repr__(self) -> str:
        return f"<Search for {len(self._patterns)} patterns>"

    @property
    def patterns(self) -> dict[bytes, tuple[str, str]]:
        """Every byte string looked for, with the canary's name and the form; secret."""
        return dict(self._patterns)

    def in_bytes(self, place: str, data: bytes, depth: int = LAYERS) -> list[Leak]:
        """Return what occurs in ``data`` or, ``depth`` times unwrapped, in what is inside it."""
        return [
            Leak(*self._patterns[pattern], where, offset)
            for where, layer in layers_of(place, data, depth)
            for offset, pattern in self._matches(layer)
        ]

    def in_files(self, root: Path, skip: Collection[Path] = ()) -> list[Leak]:
        """Return what occurs in the names and contents of all files below ``root``.

        SQLite databases are also read row by row: pages cut long values. ``skip``: files and
        folders that are left out.
        """
        found = []
        for path in files_below(root, skip):
            found += self.in_bytes(f"name of {path}", str(path).encode())
            with suppress(FileNotFoundError):
                found += self.in_bytes(str(path), path.read_bytes())
                if is_sqlite(path):
                    found += self.in_bytes(f"rows of {path}", sqlite_rows(path))
        return found

    def _matches(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        for shift in range(MIN_BYTES):
            count = max(0, len(data) - shift) // MIN_BYTES
            for first in range(0, count, _WINDOWS):
                start = shift + MIN_BYTES * first
                windows = np.frombuffer(data, "<u8", min(_WINDOWS, count - first), start)
                for hit in np.flatnonzero(self._likely[_slots(windows)]):
                    offset = start + MIN_BYTES * int(hit)
                    for pattern in self._by_start.get(data[offset : offset + MIN_BYTES], ()):
                        if data.startswith(pattern, offset):
                            yield offset, pattern


def _slots(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (words * _HASH_FACTOR) >> np.uint64(64 - _HASH_BITS)


_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){16,}")
_ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|u00([0-9a-fA-F]{2})|(.))", re.DOTALL)
_DEFLATED = (b"x\x01", b"x\x9c", b"x\xda", b"\x1f\x8b")
_ANY_HEADER = 47


def layers_of(place: str, data: bytes, depth: int = LAYERS) -> Iterator[tuple[str, bytes]]:
    """Yield ``data`` and, again and again, what its base64, hex, escapes or deflate hold."""
    yield place, data
    if depth == 0:
        return
    for name, unwrap in _WRAPPINGS.items():
        inside = unwrap(data)
        if inside:
            yield from layers_of(f"{place}, {name}", inside, depth - 1)


def unescaped(data: bytes) -> bytes:
    """Return ``data`` without backslash escapes, as JSON, Python and Redis write them."""

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1] or match[2]
        return bytes([int(code, 16)]) if code else _SHORT.get(match[3], match[3])

    return _ESCAPE.sub(plain, data) if b"\\" in data else b""


_SHORT = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b"}


def _from_base64(data: bytes) -> bytes:
    parts = []
    for match in _BASE64.finditer(data):
        run = match[0].replace(b"-", b"+").replace(b"_", b"/")
        part = binascii.a2b_base64(run[: len(run) // 4 * 4] + _last_quantum(run))
        parts += [part, _inflated(part)]
    return b"\0".join(parts)


def _last_quantum(run: bytes) -> bytes:
    rest = run[len(run) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def _from_hex(data: bytes) -> bytes:
    return b"\0".join(bytes.fromhex(match[0].decode()) for match in _HEX.finditer(data))


def _from_percent(data: bytes) -> bytes:
    return unquote_to_bytes(data) if re.search(rb"%[0-9a-fA-F]{2}", data) else b""


def _inflated(data: bytes) -> bytes:
    if not data.startswith(_DEFLATED):
        return b""
    with suppress(zlib.error):
        return zlib.decompressobj(_ANY_HEADER).decompress(data)
    return b""


_WRAPPINGS: dict[str, Callable[[bytes], bytes]] = {
    "base64": _from_base64,
    "hex": _from_hex,
    "escapes": unescaped,
    "percent": _from_percent,
    "deflate": _inflated,
}


def files_below(root: Path, skip: Collection[Path] = ()) -> Iterator[Path]:
    """Yield the regular files below a folder (or the file itself), links not followed."""
    if root in skip or root.is_symlink():
        return
    if root.is_dir():
        with suppress(FileNotFoundError):
            for path in sorted(root.iterdir()):
                yield from files_below(path, skip)
    elif root.is_file():
        yield root


def is_sqlite(path: Path) -> bool:
    """Return whether a file is a SQLite database."""
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


@contextmanager
def copy_of_sqlite(path: Path) -> Iterator[Path]:
    """Copy a database with its log, so that reading touches nothing; the copy goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="leak-search-") as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        with suppress(FileNotFoundError):
            shutil.copyfile(f"{path}-wal", f"{copy}-wal")
        yield copy


def sqlite_rows(path: Path) -> bytes:
    """Return every value of every table of a database that others may be writing."""
    for _ in range(_SQLITE_ATTEMPTS - 1):
        with suppress(sqlite3.DatabaseError):
            return _sqlite_rows(path)
    return _sqlite_rows(path)


def _sqlite_rows(path: Path) -> bytes:
    with copy_of_sqlite(path) as copy, closing(sqlite3.connect(copy)) as connection:
        connection.text_factory = bytes
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return b"\0".join(
            value if isinstance(value, bytes) else str(value).encode()
            for (table,) in tables.fetchall()
            for row in connection.execute(f'SELECT * FROM "{table.decode()}"')
            for value in row
        )
