"""The vendored ML-KEM is the recorded one and reaches for nothing but itself."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from blindjustice_web.portals.modules import imports_of

FOLDER = Path(__file__).resolve().parents[2] / "static" / "vendor" / "mlkem" / "2.7.0"
ENTRY = "vendor/mlkem/2.7.0/src/mlKem768Impl.js"


def test_every_file_is_the_recorded_one() -> None:
    lines = (FOLDER / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    recorded = {name: digest for digest, name in (line.split("  ") for line in lines)}
    present = {
        str(path.relative_to(FOLDER)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in FOLDER.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    }
    assert present == recorded
    assert "LICENSE" in present


def test_it_imports_its_own_files_only_and_asks_for_nothing() -> None:
    present = {f"vendor/mlkem/2.7.0/{path.relative_to(FOLDER)}" for path in FOLDER.rglob("*.js")}
    assert {ENTRY, *imports_of(ENTRY)} == present
    for path in FOLDER.rglob("*.js"):
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text("utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|eval|Function)\s*\(", code)
        for asked in re.findall(r"\bimport\s*\(([^)]*)\)", code):
            assert asked == '"crypto"', "of other platforms, where the browser's is missing"
