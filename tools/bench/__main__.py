"""``./run bench NAME [--json FILE]``: run one benchmark and print its table."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from types import ModuleType

from tools.bench import (
    certification,
    costs,
    kernels,
    pages,
    peers,
    people,
    person,
    scale,
    training,
    training_quality,
    verification,
)
from tools.bench.report import machine

_BENCHMARKS: dict[str, ModuleType] = {
    "certification": certification,
    "costs": costs,
    "kernels": kernels,
    "pages": pages,
    "peers": peers,
    "people": people,
    "person": person,
    "scale": scale,
    "training": training,
    "training-quality": training_quality,
    "verification": verification,
}


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, module in _BENCHMARKS.items():
        assert module.__doc__ is not None
        own = names.add_parser(
            name, help=module.__doc__.splitlines()[0], description=module.__doc__
        )
        own.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
        module.add_arguments(own)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    print(", ".join(f"{name} {value}" for name, value in machine().items()), flush=True)
    report = _BENCHMARKS[arguments.name].run(arguments)
    print(f"\n{report.text()}")
    if arguments.json:
        arguments.json.write_text(report.json(), "utf-8")


if __name__ == "__main__":
    main()
