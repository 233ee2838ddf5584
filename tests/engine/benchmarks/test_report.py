"""Tables, JSON, arguments and the figures of the start-up."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import pytest

from tools.bench.parties import Run
from tools.bench.report import Report, add_repeats, machine, milliseconds
from tools.bench.spu_client import spu_version
from tools.bench.start_up import start_up


def _run(seconds: float, setup: float = 0.0, opening: float = 0.0) -> Run:
    return Run(None, None, seconds, setup, opening, *([1] * 6))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1800.0, "1,800"),
        (999.7, "1,000"),
        (999.4, "999"),
        (12_345_678, "12,345,678"),
        (-2500.4, "-2,500"),
        (0.12345, "0.123"),
        (0, "0"),
        (True, "True"),
        (None, "-"),
        ("p%-rule", "p%-rule"),
    ],
)
def test_numbers_are_whole_from_a_thousand_on(value: object, shown: str) -> None:
    assert Report("title", [{"what": value}]).text().splitlines() == ["title", "", "what", shown]


def test_the_start_up_is_a_table_of_its_own_and_in_the_json() -> None:
    report = Report("t", [{"ms": 1}], ["a remark"], [{"work": "w", "ms, base OTs": 60}])
    lines = report.text().splitlines()
    assert lines.index("ms") < lines.index("work  ms, base OTs") < lines.index("a remark")
    content = json.loads(report.json())
    assert content["rows"] == [{"ms": 1}]
    assert content["start_up"] == [{"work": "w", "ms, base OTs": 60}]
    assert content["remarks"] == ["a remark"]
    assert content["machine"] == machine()


def test_the_machine_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = machine()
    load = found["load"]
    assert {"processor", "load", "commit", "command"} < found.keys()
    assert found["command"].startswith("./run bench")
    monkeypatch.setattr(os, "getloadavg", lambda: (99.0, 99.0, 99.0))
    assert machine() is found
    assert found["load"] == load


def test_fewer_runs_than_one_are_refused() -> None:
    parser = argparse.ArgumentParser()
    add_repeats(parser)
    assert parser.parse_args([]).repeats == 5
    assert parser.parse_args(["--repeats", "1"]).repeats == 1
    for text in ("0", "-1", "1.5", "many"):
        with pytest.raises(SystemExit, match="2"):
            parser.parse_args(["--repeats", text])


def test_milliseconds_are_whole_from_a_hundred_on() -> None:
    assert [milliseconds(s) for s in (0.00123, 0.0999, 0.1234, 2.0)] == [1.2, 99.9, 123, 2000]


def test_start_up_tells_the_first_run_and_medians_of_the_others() -> None:
    runs = [_run(1.0, setup, opening) for setup, opening in ((0.07, 0.01), (0.06, 0.002), (9, 9))]
    assert start_up("work", _run(30.0, 0.5, 0.5), runs) == {
        "work": "work",
        "runs": 3,
        "ms, opening lines (TLS)": 10.0,
        "ms, base OTs": 70.0,
        "ms, first run": 30_000,
    }


def test_spus_version_is_that_of_its_environment(tmp_path: Path) -> None:
    assert spu_version(tmp_path) == "unknown"
    info = tmp_path / "lib" / "python3.11" / "site-packages" / "spu-0.1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: spu\nVersion: 0.1.2\n")
    assert spu_version(tmp_path) == "0.1.2"
