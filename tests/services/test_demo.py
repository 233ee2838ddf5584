"""The demo against a running installation: the whole job on real data, judged by its exit code."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.running_stack import ROOT, RunningStack

CHALLENGES = ("CONFIRMED", "DIFFERENT_DECISION", "DIFFERENT_MODEL")


@pytest.mark.parametrize(
    ("option", "passes", "fails"),
    [
        ([], "Trained model", "Unconstrained model"),
        (["--permute-labels"], "Unconstrained model", "Trained model"),
    ],
    ids=["true answers", "permuted answers"],
)
def test_demo_ends_well_and_permuted_answers_turn_the_verdicts_round(
    stack: RunningStack, option: list[str], passes: str, fails: str
) -> None:
    command = [
        *(sys.executable, "-m", "demo"),
        *("--stack", str(stack.description_path), "--seed", "7", *option),
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
