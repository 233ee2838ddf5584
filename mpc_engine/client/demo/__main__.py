"""``python -m mpc_engine.client.demo --stack FILE [--seed N] [--permute-labels]``."""

from __future__ import annotations

import argparse
import secrets
import sys
from pathlib import Path

from mpc_engine.client.demo.data import read_german_credit
from mpc_engine.client.demo.expectations import FAIL
from mpc_engine.client.demo.plan import Plan, make_plan
from mpc_engine.client.demo.report import Report, print_columns
from mpc_engine.client.demo.run import Demo
from mpc_engine.client.demo.stack import PERSON, Stack, read_stack
from mpc_engine.client.http import Session
from mpc_engine.client.member import Member
from mpc_engine.errors import EngineError
from mpc_engine.roles import Role

SEEDS = 1_000_000


def main(arguments: list[str]) -> int:
    """Play the demo; return 0 only if every outcome that the parties signed is the expected one."""
    parser = argparse.ArgumentParser(prog="mpc_engine.client.demo", description=__doc__)
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
    report = Report()
    plan = make_plan(read_german_credit(), seed, permute_labels=permute_labels)
    report.say("Two models fitted on 512 of 1,000 people, and one of them divided by 1,000")
    _print_plan(plan)
    with (
        Session(stack.base_url) as mo,
        Session(stack.base_url) as rae,
        Session(stack.base_url) as uma,
    ):
        for session, role in ((mo, "modeler"), (rae, "regulator"), (uma, PERSON)):
            session.log_in(stack.log_ins[role].email, stack.log_ins[role].password)
        demo = Demo(
            stack=stack,
            plan=plan,
            seed=seed,
            report=report,
            mo=Member.with_key_file(mo, stack.approver_keys[Role.MODELER]),
            rae=Member.with_key_file(rae, stack.approver_keys[Role.REGULATOR]),
            uma=uma,
        )
        addresses = demo.play()
    _print_end(stack, report, addresses)
    return 0 if report.as_expected else 1


def _print_plan(plan: Plan) -> None:
    rows = [["", "p%", "covariance", "expected", "largest rounding of a score"]]
    rows += [
        [
            model.name,
            f"{float(model.measured.percent):.1f}",
            f"{float(model.measured.covariance):.4f}",
            plan.verdict(model),
            f"{model.largest_score_error:.5f}",
        ]
        for model in plan.models
    ]
    limits = [limits.certify_at for limits in plan.policy]
    print_columns([*rows, ["certified at", *limits, "", ""]], n_text=1)
    failing, divided = plan.model(FAIL), plan.divided
    changed = sum(a != b for a, b in zip(failing.decisions, divided.decisions, strict=True))
    print(
        f"  Divided by 1,000 the {failing.name.lower()} decides {changed} of {len(plan.rows):,} "
        "cases otherwise (its coefficients are rounded)\n  and passes every covariance limit; "
        "the p%-rule looks at decisions and still fails it."
    )


def _print_end(stack: Stack, report: Report, addresses: list[str]) -> None:
    print()
    report.print_table()
    print("\n  Open in a browser:")
    for address in addresses:
        print(f"    {address}")
    print("  Log-ins of this installation:")
    for role, log_in in stack.log_ins.items():
        print(f"    {role}: {log_in.email}  {log_in.password}")
    print("\n" + ("Every outcome is as expected." if report.as_expected else "NOT AS EXPECTED."))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
