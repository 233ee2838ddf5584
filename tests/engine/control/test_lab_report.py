"""A report of the lab is read field by field, and whatever else is in the file is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mpc_engine.control.files import lab_report as file_format
from mpc_engine.control.files.lab_report import FORMAT, read_figure, read_lab_report, told
from mpc_engine.errors import UsageError
from mpc_engine.vocabulary.claims import ClaimVerdict
from tests.builders.lab_report import lab_report


def _bytes(report: Any) -> bytes:
    return json.dumps(report).encode("utf-8")


def _refused(data: bytes) -> str:
    with pytest.raises(UsageError) as caught:
        read_lab_report(data)
    assert caught.value.code == "LAB_REPORT_INVALID"
    return caught.value.sentence


def test_a_report_is_read_as_it_was_written() -> None:
    raw = lab_report()
    report = read_lab_report(_bytes(raw))
    assert [figure.fields() for figure in report.figures] == raw["figures"]
    assert report.claims[0].verdict is ClaimVerdict.OURS_ONLY
    assert report.failures[0].runs == 1
    assert report.intro == tuple(raw["intro"])
    made = dict(report.made)
    assert made["versions"] == "numpy 2.4.6, scipy 1.17.1"
    assert made["order_seeds"] == f"{'00' * 16}, {'11' * 16}"
    assert made["quick"] == "True"


def test_a_figure_comes_back_from_its_fields() -> None:
    (figure, table) = read_lab_report(_bytes(lab_report())).figures
    for one in (figure, table):
        assert read_figure(json.loads(json.dumps(one.fields()))) == one


Change = Callable[[dict[str, Any]], None]


def _set(path: str, value: Any) -> Change:
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]

    def change(report: Any) -> None:
        for part in way:
            report = report[part]
        report[last] = value

    return change


SERIES = "figures.0.panels.0.series.0"
SPOILS: dict[str, Change] = {
    "an older format": _set("format", "blindjustice-lab/1"),
    "no figure": _set("figures", []),
    "a field that is not known": _set("html", "<b>"),
    "a field of a figure that is not known": _set("figures.0.script", "x"),
    "a claim with another verdict": _set("claims.0.verdict", "probably"),
    "a colour of its own": _set(f"{SERIES}.colour", "url(https://example.org)"),
    "a dash of its own": _set(f"{SERIES}.dash", "5px"),
    "text for a number": _set(f"{SERIES}.x.0", "1"),
    "truth for a number": _set(f"{SERIES}.y.0", True),
    "a number beyond floats": _set(f"{SERIES}.y.0", 10**400),
    "more x than y": _set(f"{SERIES}.x", [1.0, 2.0, 3.0, 4.0]),
    "too many points": _set(f"{SERIES}.x", [1.0] * 1_001),
    "too many series": _set("figures.0.panels.0.series", [None] * 21),
    "a name that is an address": _set("figures.0.name", "../admin"),
    "a name twice": _set("figures.1.name", "accuracy"),
    "a title that is too long": _set("figures.0.title", "x" * 201),
    "text that turns round": _set("figures.0.title", "a\u202eb"),
    "an axis that is neither": _set("figures.0.panels.0.x_log", 1),
    "a row too short": _set("figures.1.table.rows.0", ["German"]),
    "a cell that is a list": _set("figures.1.table.rows.0.0", []),
    "a table that is text": _set("figures.1.table", "x"),
    "runs that are no number": _set("failures.0.runs", "many"),
    "depths of how it was made": _set("made.deep", [[[[1]]]]),
    "too much of how it was made": _set("made", {str(i): 1 for i in range(101)}),
    "points that are no list": _set("points", {}),
}


@pytest.mark.parametrize("what", SPOILS)
def test_what_no_report_has_is_refused(what: str) -> None:
    report = json.loads(json.dumps(lab_report()))
    SPOILS[what](report)
    assert _refused(_bytes(report)).endswith(".")


def test_a_report_of_another_version_is_named() -> None:
    assert FORMAT in _refused(_bytes(lab_report(format="blindjustice-lab/99")))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b'{"format": "a", "format": "b"}',
        b'{"format": NaN}',
        b"[" * 100_000,
        b"9" * 5_000,
    ],
)
def test_what_is_no_json_object_is_refused(data: bytes) -> None:
    _refused(data)


def test_a_file_that_is_too_large_is_not_even_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _bytes(lab_report())
    monkeypatch.setattr(file_format, "MAX_REPORT_BYTES", len(whole))
    read_lab_report(whole)
    assert "MiB" in _refused(whole + b" ")


def test_every_missing_field_is_refused() -> None:
    for name in lab_report():
        report = lab_report()
        del report[name]
        assert _refused(_bytes(report))


def test_cells_are_told_as_people_read_them() -> None:
    assert [told(each) for each in (None, 0.1234567, 3, "a", [1, None])] == [
        *("–", "0.123457", "3", "a"),
        "1, –",
    ]
