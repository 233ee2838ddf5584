"""Kept machine code is taken for the very kernels it was made of."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import mpc_engine
from mpc_engine.kernels.jit import sources_digest

PACKAGE = Path(mpc_engine.__file__).parent
ASK = "import mpc_engine.kernels.jit, numba; print(numba.config.CACHE_DIR)"


def _cache_of(root: Path, cache: Path) -> Path:
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=root,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip())


def test_a_change_of_any_kernel_gives_another_folder(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "mpc_engine")
    kernels, cache = tmp_path / "mpc_engine" / "kernels", tmp_path / "cache"
    before = _cache_of(tmp_path, cache)
    assert before == cache / sources_digest(kernels) == _cache_of(tmp_path, cache)
    with (kernels / "aes_native.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert _cache_of(tmp_path, cache) not in (before, cache)
