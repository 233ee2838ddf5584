"""The demo against a running installation: the whole job on real data, judged by its exit code."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from demo.cast import signed_in
from demo.certifying import certify_all, gather, hand_in
from demo.data import read_german_credit
from demo.plan import make_plan
from demo.report import Report
from demo.stack import read_stack
from tests.running_stack import ROOT, RunningStack

SEED = 7
CHALLENGES = ("CONFIRMED", "DIFFERENT_DECISION", "DIFFERENT_MODEL")


@pytest.mark.parametrize(
    ("option", "passes", "fails"),
    [
        ([], "Trained model", "Unconstrained model"),
        pytest.param(
            ["--permute-labels"],
            "Unconstrained model",
            "Trained model",
            marks=pytest.mark.thorough,
        ),
    ],
    ids=["true answers", "permuted answers"],
)
def test_demo_ends_well(stack: RunningStack, option: list[str], passes: str, fails: str) -> None:
    command = [
        *(sys.executable, "-m", "demo"),
        *("--stack", str(stack.description_path), "--seed", str(SEED), *option),
    ]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Certifying: {passes}: PASS" in done.stdout
    assert f"Certifying: {fails}: FAIL" in done.stdout
    for outcome in CHALLENGES:
        assert f"{outcome} (as expected)" in done.stdout
    assert "Training under encryption: 2560 steps (as expected)" in done.stdout
    assert re.search(r"against the same in the clear: [0-9a-f]{16} \(as expected\)", done.stdout)
    assert "UNDETERMINED (as expected)" in done.stdout


def test_permuted_answers_turn_the_verdicts_round(stack: RunningStack) -> None:
    """Its second part alone: who was in training says the truth in either case."""
    plan = make_plan(read_german_credit(), SEED, permute_labels=True)
    plan = plan.with_trained(plan.rehearsed)
    report = Report()
    with signed_in(read_stack(stack.description_path), SEED, report) as cast:
        judged = gather(cast, plan)
        certify_all(cast, plan, judged, hand_in(cast, plan, judged))
    signed = {line.what: line.signed for line in report.lines}
    assert signed["Certifying: Unconstrained model"] == "PASS"
    assert signed["Certifying: Trained model"] == "FAIL"
    assert report.as_expected
