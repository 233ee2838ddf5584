"""Write or compare the kept digests: ``python -m tests.engine.traces [--write] [NAMES…]``."""

from __future__ import annotations

import argparse
import importlib
import sys

from llvmlite import binding

_INSTRUCTIONS = ("aes", "vaes", "pclmul", "vpclmulqdq", "avx512f")


def _leave_out_instructions() -> None:
    """Let the machine have no AES, carry-less multiplication or wide vectors."""
    found = binding.get_host_cpu_features()
    found.update(dict.fromkeys(_INSTRUCTIONS, False))
    binding.get_host_cpu_features = lambda: found


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="traces", description=__doc__)
    parser.add_argument("names", nargs="*", help="only runs whose name contains one of these")
    parser.add_argument("--write", action="store_true", help="keep what the runs give")
    parser.add_argument("--frames", action="store_true", help="print every frame")
    parser.add_argument("--portable", action="store_true", help="use portable kernels")
    arguments = parser.parse_args()
    if arguments.portable:
        _leave_out_instructions()
    kept = importlib.import_module("tests.engine.traces.kept")
    chosen = [
        name
        for name in kept.RUNS
        if not arguments.names or any(part in name for part in arguments.names)
    ]
    found = {}
    for name in chosen:
        recorder = kept.recorded(name)
        found[name] = recorder.digests()
        if arguments.frames:
            print(name, *recorder.listed(), sep="\n")
    if arguments.write:
        kept.write({**kept.DIGESTS, **found})
        return 0
    others = [name for name in chosen if found[name] != kept.DIGESTS.get(name)]
    for name in others:
        print(f"another trace: {name}: {found[name]}, kept: {kept.DIGESTS.get(name)}")
    print(f"{len(chosen) - len(others)} of {len(chosen)} traces are those that are kept")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
