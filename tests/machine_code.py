"""Machine code that a run of tests compiles once, for all its processes and installations.

Where it lies says which kernels it was made of, so code of other kernels is never taken.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.run_folders import make_run_folder

COMPILE_LIMIT_S = 900
_ALONE = """\
role = "modeler"
name = "Alone"
data_dir = "data"
broker_url_file = "broker-url"
address = "127.0.0.1:1"
own_public = "public.json"
peer_public = "peer.json"
"""


@cache
def machine_code() -> Path:
    """Return the folder of this run: the one NUMBA_CACHE_DIR names, or one that goes with it."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return Path(named)
    return make_run_folder("blindjustice-kernels-")


@cache
def compiled_for(python: Path, root: Path) -> Path:
    """Return the folder with what each slot of a party, of the code in ``root``, would compile.

    A self-test plays the rehearsal; what else it says of a party that is alone does not matter.
    """
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(root),
        "NUMBA_CACHE_DIR": str(machine_code()),
    }
    with tempfile.TemporaryDirectory(prefix="blindjustice-alone-") as folder:
        config = Path(folder) / "party.toml"
        config.write_text(_ALONE, encoding="utf-8")
        for command in ("init", "self-test"):
            subprocess.run(
                [python, "-m", "mpc_engine.party", "--config", config, command],
                cwd=root,
                env=environment,
                capture_output=True,
                check=False,
                timeout=COMPILE_LIMIT_S,
            )
    return machine_code()


def lend_to(folder: Path, owner: tuple[int, int] | None) -> None:
    """Copy what there is to a folder, for ``owner`` (uid, gid; None: the caller) alone."""
    folder.mkdir(mode=0o700, exist_ok=True)
    _copy_newer(machine_code(), folder)
    if owner is not None:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, *owner)


def take_from(folder: Path) -> None:
    """Copy what has been compiled into a folder meanwhile."""
    _copy_newer(folder, machine_code())


def _copy_newer(source: Path, target: Path) -> None:
    """Copy the files that the target has not or has older, each put in place at once.

    An index comes after the code it lists, as by their names.
    """
    for path in sorted(source.rglob("*.nb[ci]")):
        copy = target / path.relative_to(source)
        if not copy.exists() or copy.stat().st_mtime_ns < path.stat().st_mtime_ns:
            copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            fresh = copy.with_name(f".{copy.name}.{os.getpid()}")
            shutil.copy2(path, fresh)
            fresh.replace(copy)
