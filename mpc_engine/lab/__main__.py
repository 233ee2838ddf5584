"""``./run lab``: the paper's experiments again, and what lies beyond them, as a report.

Without a name every figure is made. A run that was ended goes on where it was, as long as the code,
the packages and the data are the same; what is done is in OUT/points.jsonl.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from mpc_engine.lab.catalogue import EXPERIMENTS
from mpc_engine.lab.data_sets import SHARED_FOLDER, SQF_FILE
from mpc_engine.lab.provenance import made_under
from mpc_engine.lab.report import write_pictures, write_report
from mpc_engine.lab.runner import run_tasks
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.store import Store


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line names, and write the report."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    scope = Scope.of(options.data, quick=options.quick, n_steps=options.steps)
    experiments = [EXPERIMENTS[name] for name in options.figure or EXPERIMENTS]
    tasks = {task.key: task for each in experiments for task in each.tasks(scope)}
    options.out.mkdir(parents=True, exist_ok=True)
    made = made_under(options.data)
    store = Store(options.out, made)
    run_tasks(list(tasks.values()), options.data, store, options.workers, _tell)
    rows = {key: store.rows[key] for key in tasks}
    written = write_report(rows, experiments, scope, made, options.data, options.out)
    written += write_pictures(rows, experiments, scope, options.out)
    print(f"{len(written)} files in {options.out}; open {written[0]}")


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run lab",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="figures: " + ", ".join(EXPERIMENTS),
    )
    parser.add_argument(
        "--quick", action="store_true", help="three sets, five bounds, few steps: two minutes"
    )
    parser.add_argument(
        "--figure",
        nargs="+",
        choices=list(EXPERIMENTS),
        metavar="NAME",
        help="these figures only; claims on others are not judged",
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=SHARED_FOLDER,
        help=f"folder of the files of data (SQF: {SQF_FILE}, the authors' own)",
    )
    parser.add_argument("--out", type=Path, default=Path("lab-report"), help="folder to write to")
    parser.add_argument("--steps", type=int, metavar="N", help="of the runs that take 15,000")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="processes"
    )
    return parser


if __name__ == "__main__":
    main()
