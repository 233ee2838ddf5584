"""Take every protection out, one at a time, and demand that its named test fails.

``python -m tools.mutants [--list] [NAMES…]``; names may be parts of names. It leaves with 0 only if
every chosen mutant is killed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tools.mutants.catalogue import MUTANTS
from tools.mutants.mutant import Mutant
from tools.mutants.trial import Fate, Verdict, Workshop


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="run mutants", description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help="only mutants whose name contains one of these")
    parser.add_argument("--list", action="store_true", help="print the table and run nothing")
    arguments = parser.parse_args()
    chosen = [
        mutant
        for mutant in MUTANTS
        if not arguments.names or any(name in mutant.name for name in arguments.names)
    ]
    if not chosen:
        parser.error("no mutant has such a name")
    if arguments.list:
        _print_table(chosen)
        return 0
    with tempfile.TemporaryDirectory(prefix="blindjustice-mutants-") as folder:
        return _try_all(chosen, Workshop(Path(folder)))


def _try_all(chosen: Sequence[Mutant], workshop: Workshop) -> int:
    started = time.monotonic()
    tests = sorted({mutant.test for mutant in chosen})
    print(f"{len(chosen)} mutants; first their {len(tests)} tests on the whole code", flush=True)
    fault = workshop.run_clean(tests)
    if fault:
        print(fault)
        print("Without any mutant the named tests must pass.")
        return 1
    verdicts: dict[str, Verdict] = {}
    for mutant in chosen:
        verdict = workshop.try_one(mutant)
        verdicts[mutant.name] = verdict
        print(f"{verdict.fate:9} {mutant.name}: {verdict.why[:120]}", flush=True)
    print()
    _print_table(chosen)
    alive = [name for name, verdict in verdicts.items() if verdict.fate is not Fate.KILLED]
    n_killed = len(chosen) - len(alive)
    print(f"\n{n_killed} of {len(chosen)} mutants killed in {time.monotonic() - started:.0f} s")
    for name in alive:
        print(f"not killed: {name}: {verdicts[name].why}")
    return 1 if alive else 0


def _print_table(mutants: Sequence[Mutant]) -> None:
    print("| mutant | protection that it removes | test that fails |")
    print("|---|---|---|")
    for mutant in mutants:
        print(f"| {mutant.name} | {mutant.protection} | `{mutant.test}` |")


if __name__ == "__main__":
    sys.exit(main())
