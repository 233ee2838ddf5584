"""What the engine's tests share: folders in memory, and machine code that is compiled once a run.

Parties write to disk what must outlast a power failure. Tests of the engine don't cut the power, so
their folders lie in memory where the machine has room: the same calls, without waiting for a disk.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.run_folders import make_run_folder

_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 2 << 30
"""Several times what all tests of a run leave in their folders."""


def _use_memory() -> None:
    """Let temporary folders of this run and its processes lie in memory, if there is room."""
    if not os.access(_MEMORY, os.W_OK) or shutil.disk_usage(_MEMORY).free < _ROOM_BYTES:
        return
    folder = make_run_folder("blindjustice-tests-", _MEMORY)
    folder.chmod(0o711)  # a zone's user must reach what lies below
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


def _keep_machine_code() -> None:
    """Let processes that tests start find the kernels that this one compiled, and it theirs."""
    if not os.environ.get("NUMBA_CACHE_DIR"):
        os.environ["NUMBA_CACHE_DIR"] = str(make_run_folder("blindjustice-machine-code-"))


_use_memory()
_keep_machine_code()


@pytest.fixture
def ideal_base_ots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let extensions start without public keys: see `tests.engine.ot.ideal`."""
    # Numba reads where machine code is kept when it is first imported.
    from tests.engine.ot.ideal import use_ideal_base_ots

    use_ideal_base_ots(monkeypatch)
