"""The table that the demo ends with: brackets of p%, and what is not as expected."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from demo.sweep import SweepRow, bracket, sweep_sentence, sweep_table

ROW = SweepRow(
    c="0.01",
    told=753,
    held_out=Fraction(714, 1000),
    bracket="75 to 80",
    expected_bracket="75 to 80",
    as_expected=True,
)


@pytest.mark.parametrize(
    ("passed", "text"),
    [(0, "below 50"), (1, "50 to 65"), (2, "65 to 100"), (3, "100 or more")],
)
def test_p_lies_between_the_largest_limit_passed_and_the_smallest_failed(
    passed: int, text: str
) -> None:
    limits = ("50", "65", "100")
    verdicts = [(limit, "PASS" if i < passed else "FAIL") for i, limit in enumerate(limits)]
    assert bracket(verdicts) == text
    assert bracket(verdicts[::-1]) == text


def test_the_table_has_a_row_for_each_c_and_says_what_is_not_as_expected() -> None:
    other = replace(ROW, c="0.001", bracket="80 to 85", as_expected=False)
    headings, first, second = sweep_table([ROW, other])
    assert len(headings) == len(first) == len(second)
    assert first == ["0.01", "75.3 %", "71.4 %", "75 to 80", "75 to 80", "as expected"]
    assert second[-3:] == ["80 to 85", "75 to 80", "NOT AS EXPECTED"]


def test_the_sentence_compares_the_loosest_with_the_strictest() -> None:
    strictest = replace(ROW, c="0.001", told=741, bracket="95 or more")
    sentence = sweep_sentence([ROW, replace(ROW, told=1), strictest])
    assert "right for 75.3 of 100 people it learned from, and its p% is 75 to 80." in sentence
    assert "right for 74.1, and its p% is 95 or more." in sentence
