"""The demo says what it compared, and its verdict on itself is that of every line."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from demo.report import DemoReport, Line
from demo.stack import PERSON, read_stack
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role

JOB: Any = SimpleNamespace(metric=lambda role, name: {"elapsed_ms": 1500}.get(name, 2_000_000))
STACK = {
    "base_url": "http://127.0.0.1:8000",
    "state": "/somewhere",
    "approver_keys": {"modeler": "/a.json", "regulator": "/b.json"},
    "people": {"people": [{"email": "uma@example.org", "password": "secret", "role": PERSON}]},
}


def test_one_unexpected_outcome_spoils_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    report = DemoReport()
    report.add("Certifying: one", "PASS", "PASS", JOB)
    assert report.as_expected
    report.add("Certifying: two", "FAIL", "PASS", JOB)
    assert not report.as_expected
    report.print_table()
    printed = capsys.readouterr().out
    assert "EXPECTED FAIL" in printed
    assert "FAIL (!)" in printed
    assert "1.500" in printed
    assert "4.00" in printed


def test_an_unexpected_detail_spoils_the_run_too(capsys: pytest.CaptureFixture[str]) -> None:
    report = DemoReport()
    details = [Line("p_rule", "80+ 90-", "80+ 90-"), Line("covariance", "0.1+", "0.1-")]
    report.add("Certifying: one", "FAIL", "FAIL", JOB, details)
    assert not report.as_expected
    report.print_table()
    printed = capsys.readouterr().out
    assert "p_rule: 80+ 90- (as expected)" in printed
    assert "covariance: 0.1- (EXPECTED 0.1+)" in printed
    assert "0.1+ (!)" in printed


def test_nothing_compared_is_not_as_expected() -> None:
    assert not DemoReport().as_expected


def test_stack_file_names_log_ins_and_key_files(tmp_path: Path) -> None:
    path = tmp_path / "stack.json"
    path.write_text(json.dumps(STACK), encoding="utf-8")
    stack = read_stack(path)
    assert stack.log_ins[PERSON].email == "uma@example.org"
    assert stack.approver_keys[Role.REGULATOR] == Path("/b.json")
    assert stack.party_folder(Role.MODELER) == Path("/somewhere/modeler")
    assert "secret" not in repr(stack)


@pytest.mark.parametrize("content", ["", "{}", "[]", json.dumps(STACK | {"people": []})])
def test_file_that_describes_no_installation_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "stack.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=r"stack\.json"):
        read_stack(path)
