"""``python -m demo --stack FILE [--seed N] [--permute-labels]``."""

from __future__ import annotations

import argparse
import secrets
import sys
from pathlib import Path

from demo.cast import signed_in
from demo.data import read_german_credit
from demo.planning import make_plan
from demo.report import DemoReport, print_columns
from demo.run import play
from demo.stack import Stack, read_stack
from demo.sweep import sweep_sentence, sweep_table
from demo.walk import Sight
from mpc_engine.errors import EngineError
from mpc_engine.roles import Role

SEEDS = 1_000_000


def main(arguments: list[str]) -> int:
    """Play the demo; return 0 only if every outcome that the parties signed is the expected one."""
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument("--stack", type=Path, required=True, help="file written by ./run up")
    parser.add_argument("--seed", type=int, help="fix the choices (printed otherwise)")
    parser.add_argument(
        "--permute-labels",
        action="store_true",
        help="reassign people's answers so that the other model fails",
    )
    chosen = parser.parse_args(arguments)
    seed = secrets.randbelow(SEEDS) if chosen.seed is None else chosen.seed
    try:
        return _play(read_stack(chosen.stack), seed, permute_labels=chosen.permute_labels)
    except EngineError as error:
        print(f"demo: {error.sentence} [{error.code}]", file=sys.stderr)
        return 1


def _play(stack: Stack, seed: int, *, permute_labels: bool) -> int:
    print(f"\nBlind Justice on German credit, seed {seed}{', labels permuted' * permute_labels}")
    report = DemoReport()
    plan = make_plan(read_german_credit(), seed, permute_labels=permute_labels)
    with signed_in(stack, seed, report) as cast:
        played = play(cast, plan)
    report.head("What both parties signed", "Against what the demo expected, from plain data:")
    report.print_table()
    report.head(
        "Fairness and what it costs",
        "A model a row. The smaller c, the less its scores may go with age. p% compares the "
        "decisions: of two age groups of equal size, so many of the one are granted a credit for "
        "100 of the other; 100 is alike. Both parties signed between which limits p% lies, on "
        "people whom no model had learned from, and neither party saw anybody's age.",
    )
    print_columns(sweep_table(played.sweep), n_text=1)
    report.paragraph(sweep_sentence(played.sweep))
    _print_sights(stack, played.sights)
    print("\n" + ("Every outcome is as expected." if report.as_expected else "NOT AS EXPECTED."))
    return 0 if report.as_expected else 1


def _print_sights(stack: Stack, sights: list[Sight]) -> None:
    print(f"\nWalk through the site: {stack.base_url}/demo/ says where to begin")
    for role in ("anyone", *stack.log_ins):
        log_in = stack.log_ins.get(role)
        print(f"  {role}: {log_in.email}  {log_in.password}" if log_in else f"  {role}, no log-in:")
        for member in Role:
            if member.value == role:
                print(f"    signs in the browser with the key file {stack.approver_keys[member]}")
        for sight in sights:
            if sight.role == role:
                print(f"    {sight.what}\n      {sight.address}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
