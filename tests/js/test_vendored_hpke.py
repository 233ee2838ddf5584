"""The vendored HPKE is the recorded one and reaches for nothing but itself."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "static" / "vendor" / "hpke" / "1.9.0"
STATIC_IMPORT = re.compile(r"""^\s*(?:import|export)\b[^;]*?\bfrom\s*["']([^"']+)["']""", re.M)


def test_every_file_is_the_recorded_one() -> None:
    recorded = {}
    for line in (FOLDER / "SHA256SUMS").read_text(encoding="ascii").splitlines():
        digest, name = line.split("  ")
        recorded[name] = digest
    present = {
        str(path.relative_to(FOLDER)): hashlib.sha256(path.read_bytes()).hexdigest()
        for package in ("core", "common")
        for path in (FOLDER / package).rglob("*")
        if path.is_file()
    }
    assert present == recorded
    assert {"core/LICENSE", "common/LICENSE", "core/mod.js", "common/mod.js"} < set(present)


def test_imports_stay_inside() -> None:
    bare = set()
    for path in FOLDER.rglob("*.js"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        for target in STATIC_IMPORT.findall(text):
            if target.startswith("."):
                assert (path.parent / target).resolve().is_file(), (path, target)
            else:
                bare.add(target)
    assert bare == {"@hpke/common"}
