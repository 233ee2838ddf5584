"""The search itself finds every form of every kind of canary, however it is wrapped."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from mpc_engine.testing.randomness import seeded_randomness
from tests.leak_search import (
    Canary,
    RecordingRandomness,
    Search,
    secret_bits,
    secret_bytes,
    secret_integer,
    secret_integers,
    secret_text,
)

KEY = bytes(range(0xE8, 0xF8))
SHARE = 0xF123456789ABCDEF
ROW = [-123456, 7654321, -99999, 424242]
DIGITS = "271828182845904"
BITS = seeded_randomness(5).bits(72)
CANARIES = [
    secret_bytes("key", KEY),
    secret_integer("share", SHARE),
    secret_integers("row", ROW),
    secret_text("coefficient", DIGITS),
    secret_bits("answers", BITS),
]
SEARCH = Search(CANARIES)
NOISE = seeded_randomness(6).bytes(5000)


def names_in(data: bytes) -> set[str]:
    return {leak.canary for leak in SEARCH.in_bytes("here", data)}


def test_nothing_is_found_where_nothing_is() -> None:
    assert not SEARCH.in_bytes("noise", NOISE)
    assert not SEARCH.in_bytes("text", b"the quick brown fox 0123456789 " * 200)


@pytest.mark.parametrize("canary", CANARIES, ids=lambda canary: canary.name)
def test_each_form_is_found_at_every_alignment(canary: Canary) -> None:
    for form, pattern in canary.forms().items():
        for start in range(9):
            data = NOISE[:start] + pattern + NOISE[start : start + 20]
            found = SEARCH.in_bytes("here", data)
            assert (canary.name, start) in {(leak.canary, leak.offset) for leak in found}, form


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("key", KEY),
        ("key", KEY[::-1]),
        ("key", b"".join(struct.pack(">Q", word) for word in struct.unpack("<2Q", KEY))),
        ("key", KEY.hex().encode()),
        ("key", KEY.hex().upper().encode()),
        ("share", struct.pack("<Q", SHARE)),
        ("share", struct.pack(">Q", SHARE)),
        ("share", str(SHARE).encode()),
        ("share", str(SHARE - (1 << 64)).encode()),
        ("share", b"0x%x" % SHARE),
        ("row", np.array(ROW, dtype="<i4").tobytes()),
        ("row", np.array(ROW, dtype=">i4").tobytes()),
        ("row", np.array(ROW, dtype="<i8").tobytes()),
        ("row", np.array(ROW, dtype=">i8").tobytes()),
        ("row", json.dumps(ROW).encode()),
        ("row", json.dumps(ROW, separators=(",", ":")).encode()),
        ("row", "\n".join(map(str, ROW)).encode()),
        ("coefficient", f"{{'a': -0.{DIGITS}}}".encode()),
        ("coefficient", f"0.{DIGITS}".encode("utf-16")),
        ("answers", BITS.tobytes()),
        ("answers", np.packbits(BITS, bitorder="little").tobytes()),
        ("answers", np.packbits(BITS, bitorder="big").tobytes()),
        ("answers", "".join(map(str, BITS)).encode()),
    ],
)
def test_what_programs_write_is_found_plain_and_wrapped(name: str, written: bytes) -> None:
    assert name in names_in(written)
    for skipped in range(3):
        for encode in (base64.standard_b64encode, base64.urlsafe_b64encode):
            assert name in names_in(b'"' + encode(NOISE[:skipped] + written + b"tail") + b'"')
    assert name in names_in(written.hex().encode())
    assert name in names_in(gzip.compress(written))
    task = base64.b64encode(json.dumps([{"share": base64.b64encode(written).decode()}]).encode())
    message = json.dumps({"body": task.decode()}).encode()
    assert name in names_in(message)
    assert name in names_in(json.dumps({"message": message.decode()}).encode())
    escaped = b"".join(b"\\x%02x" % byte for byte in written)
    assert name in names_in(b'"LPUSH" "queue" "' + escaped + b'"')
    assert name in names_in(b"/page?a=" + b"".join(b"%%%02X" % byte for byte in written))


def test_rows_of_a_database_are_found_in_its_log_and_across_pages(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("CREATE TABLE t (a BLOB, b TEXT)")
        with writer:
            writer.execute("INSERT INTO t VALUES (?, ?)", (KEY, "x"))
        long = [NOISE[:n] + struct.pack("<Q", SHARE) * 3 + NOISE for n in range(0, 4000, 97)]
        with writer:
            writer.executemany("INSERT INTO t VALUES (?, ?)", [(value, DIGITS) for value in long])
        assert not SEARCH.in_bytes("file", path.read_bytes())
        found = SEARCH.in_files(tmp_path)
        places = {leak.place.split(",")[0] for leak in found if leak.canary == "key"}
        assert places == {f"rows of {path}", f"{path}-wal"}
        shares = [leak for leak in found if leak.canary == "share" and leak.form.endswith("raw")]
        assert sum(leak.place == f"rows of {path}" for leak in shares) == 3 * len(long)


def test_names_of_files_are_searched_and_skipped_files_are_not(tmp_path: Path) -> None:
    (tmp_path / KEY.hex()).touch()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "key").write_bytes(KEY)
    found = SEARCH.in_files(tmp_path, skip={tmp_path / "own"})
    assert {leak.place.split(",")[0] for leak in found} == {f"name of {tmp_path / KEY.hex()}"}
    assert {leak.canary for leak in SEARCH.in_files(tmp_path / "own")} == {"key"}


def test_values_that_chance_could_meet_are_refused() -> None:
    with pytest.raises(ValueError, match="too short"):
        secret_bytes("bit", b"\1")
    with pytest.raises(ValueError, match="too small"):
        secret_integer("count", 12)
    with pytest.raises(ValueError, match="too small"):
        secret_integers("row", [1, 2, 3])
    with pytest.raises(ValueError, match="too short"):
        secret_bits("answer", np.zeros(7, dtype=np.uint8))


def test_no_report_shows_a_canary() -> None:
    source = RecordingRandomness(seeded_randomness(1))
    key = source.bytes(16)
    found = Search([secret_bytes("key", key)]).in_bytes("here", key)
    shown = repr([source, SEARCH, CANARIES, found]).encode()
    assert not SEARCH.in_bytes("report", shown)
    assert not Search([secret_bytes("key", key)]).in_bytes("report", shown)
