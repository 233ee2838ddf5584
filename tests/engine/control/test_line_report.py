"""A report of a meeting reads back, and nothing else is taken for one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.post.line_report import (
    Found,
    LineReport,
    Point,
    Versions,
    parse_line_report,
)
from mpc_engine.errors import UsageError

HERE = Versions("bj1", "ab" * 32)
WELL = LineReport(
    dict.fromkeys(Point, Found.OK), "", HERE, HERE, -1500, datetime(2026, 1, 31, tzinfo=UTC)
)
NOBODY = LineReport(dict.fromkeys(Point, Found.UNKNOWN), "PEER_TIMEOUT", HERE, None, 0, None)


@pytest.mark.parametrize("report", [WELL, NOBODY])
def test_a_report_reads_back(report: LineReport) -> None:
    assert parse_line_report(report.to_json()) == report


@pytest.mark.parametrize(
    "change",
    [
        {"found": {}},
        {"found": {**WELL.to_json()["found"], "clock": "fine"}},  # type: ignore[dict-item]
        {"found": {**WELL.to_json()["found"], "key": "ok"}},  # type: ignore[dict-item]
        {"reason": "x" * 61},
        {"own": {}},
        {"own": {"protocol": "bj1", "code": "ab"}},
        {"peer": {"protocol": "bj1"}},
        {"peer_clock": "right"},
        {"clock_ms": -1},
        {"clock_ms": 1.5},
        {"self_test_at": "today"},
        {"secret": "1"},
    ],
)
def test_what_is_no_report_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        parse_line_report({**WELL.to_json(), **change})


@given(
    st.recursive(st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x))
)
def test_nonsense_raises_usage_errors_only(value: Any) -> None:
    with pytest.raises(UsageError):
        parse_line_report(value)
