"""Take every protection out, one at a time, and demand that its named test fails.

``python -m tools.mutants [--list] [--at-once N] [NAMES…]``; names may be parts of names. It leaves
with 0 only if every chosen mutant is killed. Where the processor has no vector AES, the mutants of
that code are left out, by name.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from mpc_engine.kernels.aes import AES_PATHS, AesPath
from tools.mutants.catalogue import MUTANTS
from tools.mutants.mutant import Mutant
from tools.mutants.trial import Fate, Verdict, Workshop


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="run mutants", description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help="only mutants whose name contains one of these")
    parser.add_argument("--list", action="store_true", help="print the table and run nothing")
    parser.add_argument(
        "--at-once",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="trees in which mutants are tried at once (default: one a processor)",
    )
    arguments = parser.parse_args()
    chosen = [
        mutant
        for mutant in MUTANTS
        if not arguments.names or any(name in mutant.name for name in arguments.names)
    ]
    if not chosen:
        parser.error("no mutant has such a name")
    if arguments.at_once < 1:
        parser.error("one tree is the least")
    if arguments.list:
        _print_table(chosen)
        return 0
    has_vectors = AesPath.VECTOR in AES_PATHS
    tried = [mutant for mutant in chosen if has_vectors or not mutant.needs_vectors]
    if len(tried) < len(chosen):
        names = ", ".join(mutant.name for mutant in chosen if mutant not in tried)
        print(f"left out, this processor has no vector AES: {names}", flush=True)
    if not tried:
        return 1
    with tempfile.TemporaryDirectory(prefix="blindjustice-mutants-") as folder:
        return _try_all(tried, Path(folder), arguments.at_once)


def _try_all(chosen: Sequence[Mutant], folder: Path, at_once: int) -> int:
    started = time.monotonic()
    tests = sorted({mutant.test for mutant in chosen})
    print(f"{len(chosen)} mutants; first their {len(tests)} tests on the whole code", flush=True)
    workshops = [Workshop(folder / str(number)) for number in range(min(at_once, len(tests)))]
    with ThreadPoolExecutor(len(workshops)) as pool:
        faults = pool.map(
            lambda number: workshops[number].run_clean(tests[number :: len(workshops)]),
            range(len(workshops)),
        )
        for fault in filter(None, faults):
            print(fault)
            print("Without any mutant the named tests must pass.")
            return 1
        free: SimpleQueue[Workshop] = SimpleQueue()
        for workshop in workshops:
            free.put(workshop)
        verdicts = dict(pool.map(lambda mutant: (mutant.name, _try_one(mutant, free)), chosen))
    print()
    _print_table(chosen)
    alive = [name for name, verdict in verdicts.items() if verdict.fate is not Fate.KILLED]
    n_killed = len(chosen) - len(alive)
    print(f"\n{n_killed} of {len(chosen)} mutants killed in {time.monotonic() - started:.0f} s")
    for name in alive:
        print(f"not killed: {name}: {verdicts[name].why}")
    return 1 if alive else 0


def _try_one(mutant: Mutant, free: SimpleQueue[Workshop]) -> Verdict:
    workshop = free.get()
    try:
        verdict = workshop.try_one(mutant)
    finally:
        free.put(workshop)
    print(f"{verdict.fate:9} {mutant.name}: {verdict.why[:120]}", flush=True)
    return verdict


def _print_table(mutants: Sequence[Mutant]) -> None:
    print("| mutant | protection that it removes | test that fails |")
    print("|---|---|---|")
    for mutant in mutants:
        print(f"| {mutant.name} | {mutant.protection} | `{mutant.test}` |")


if __name__ == "__main__":
    sys.exit(main())
