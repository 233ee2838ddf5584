"""The vendored reader of QR codes is the recorded one and reaches for nothing but itself."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from blindjustice_web.portals.modules import imports_of

FOLDER = Path(__file__).resolve().parents[2] / "static" / "vendor" / "qr" / "0.7.0"


def test_every_file_is_the_recorded_one() -> None:
    lines = (FOLDER / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    recorded = {name: digest for digest, name in (line.split("  ") for line in lines)}
    present = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in FOLDER.iterdir()
        if path.name != "SHA256SUMS"
    }
    assert present == recorded
    assert {"LICENSE", "LICENSE-MIT", "decode.js"} < set(present)


def test_it_imports_its_own_file_only_and_asks_for_nothing() -> None:
    folder = "vendor/qr/0.7.0"
    assert imports_of(f"{folder}/decode.js") == [f"{folder}/index.js"]
    for file in ("decode.js", "index.js"):
        code = (FOLDER / file).read_text(encoding="utf-8")
        assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|eval|import)\s*\(", code)
