"""Run a mutant's test against it, in a copy of the tree, and judge how the run ended."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tools.mutants.mutant import Mutant, put_in

ROOT = Path(__file__).resolve().parent.parent.parent
_TIME_LIMIT_S, _CLEAN_LIMIT_S = 300, 3600
_CODE_TESTS_FAILED = 1
_ERROR_LINE = re.compile(r"^E {2,}(\S.*)$", re.MULTILINE)
_SLIP = re.compile(
    r"^E {2,}(NameError|SyntaxError|IndentationError|ImportError|ModuleNotFoundError"
    r"|UnboundLocalError|fixture )",
    re.MULTILINE,
)


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    BROKEN = "BROKEN"
    """The test fails, but not because the protection is gone: the mutant does not run."""


@dataclass(frozen=True)
class Verdict:
    """A mutant's fate, and the line that says why."""

    fate: Fate
    why: str


class Workshop:
    """A copy of the tree in which one mutant at a time is put in and taken out again."""

    def __init__(self, folder: Path) -> None:
        """Copy the tree to ``folder``, which is made, and which nobody else can read."""
        folder.mkdir(mode=0o700)
        self._tree = folder / "tree"
        self._machine_code = folder / "numba"
        self._machine_code.mkdir()
        self._summary = folder / "summary.json"
        self._n_trials = 0
        shutil.copytree(ROOT, self._tree, ignore=_hidden_and_made, symlinks=True)

    def run_clean(self, tests: Sequence[str]) -> str:
        """Run every named test without any mutant; return what went wrong, empty if nothing did.

        It fills the caches of machine code on the way.
        """
        code, output = self._pytest([*tests], time_limit_s=_CLEAN_LIMIT_S)
        if code != 0:
            return output
        counts = json.loads(self._summary.read_text(encoding="utf-8"))
        return "A named test was skipped.\n" + output if counts["skipped"] else ""

    def try_one(self, mutant: Mutant) -> Verdict:
        """Put a mutant in, run its test, take it out."""
        path = self._tree / mutant.file
        text, times = path.read_text(encoding="utf-8"), path.stat()
        try:
            put_in(mutant, self._tree)
            self._stamp(path, times.st_mtime)
            code, output = self._pytest([mutant.test], time_limit_s=_TIME_LIMIT_S)
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, (times.st_atime, times.st_mtime))
        return judge(mutant, code, output)

    def _stamp(self, path: Path, clean: float) -> None:
        """Date a mutated file so that byte code of no other version is taken for it."""
        self._n_trials += 1
        stamp = clean - 10 * self._n_trials
        os.utime(path, (stamp, stamp))

    def _pytest(self, tests: list[str], *, time_limit_s: int) -> tuple[int, str]:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(self._machine_code)}
        environment.pop("PYTEST_ADDOPTS", None)
        options = ["-q", "-x", "-p", "no:randomly", "-p", "no:cacheprovider", "--tb=short", "--all"]
        command = [sys.executable, "-m", "pytest", *options, f"--summary={self._summary}", *tests]
        try:
            done = subprocess.run(
                command,
                cwd=self._tree,
                env=environment,
                capture_output=True,
                text=True,
                timeout=time_limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -1, f"E   no end after {time_limit_s} s"
        return done.returncode, done.stdout + done.stderr


def judge(mutant: Mutant, code: int, output: str) -> Verdict:
    """Return a mutant's fate from the exit code and the output of its test."""
    lines = _ERROR_LINE.findall(output)
    why = lines[0] if lines else ""
    if code == 0:
        return Verdict(Fate.SURVIVED, "the test passes")
    if code != _CODE_TESTS_FAILED or _SLIP.search(output):
        return Verdict(Fate.BROKEN, why or output.strip()[-300:])
    if mutant.shows not in output:
        return Verdict(Fate.BROKEN, f"the failure does not show {mutant.shows!r}: {why}")
    return Verdict(Fate.KILLED, why)


def _hidden_and_made(_: str, names: list[str]) -> set[str]:
    """Return what a copy leaves out: hidden folders (environments, stores) and byte code."""
    return {name for name in names if name.startswith(".") or name == "__pycache__"}
