"""A killed run leaves nothing for good: the next one removes its folders, and nobody else's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.architecture.source_tree import ROOT
from tests.run_folders import make_run_folder

RUN = "import sys; from pathlib import Path; from tests.run_folders import make_run_folder; "
RUN += "print(make_run_folder('run-', Path(sys.argv[1])), flush=True); sys.stdin.read()"


def _run(place: Path) -> tuple[subprocess.Popen[str], Path]:
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, str(place)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    return run, Path(run.stdout.readline().strip())


def test_what_a_killed_run_left_is_removed_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    foreign = tmp_path / "run-of-somebody-else"
    foreign.mkdir()
    killed, left = _run(tmp_path)
    (left / "store").write_text("something", encoding="utf-8")
    with killed:
        killed.kill()
    ended, removed = _run(tmp_path)
    assert not left.exists()
    own = make_run_folder("run-", tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([foreign, own, removed])
    with ended:
        ended.communicate("")
    assert sorted(tmp_path.iterdir()) == sorted([foreign, own])
