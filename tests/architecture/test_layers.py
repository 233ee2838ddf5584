"""The contracts of ``.importlinter`` hold, and they name every module of the engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.architecture.source_tree import ROOT


def test_layer_contracts_are_kept() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    answer = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert answer.returncode == 0, answer.stdout[-4000:]
