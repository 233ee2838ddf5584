"""Growth is fitted on exact seconds, and there is none over nothing."""

from __future__ import annotations

import json

import pytest

from mpc_engine.roles import Role
from tools.bench.report import Report
from tools.bench.scale import Size, growth


def _size(n: int, seconds: float, peak: int, above: int) -> Size:
    return Size(n, seconds, dict.fromkeys(Role, peak), dict.fromkeys(Role, above))


def test_a_linear_time_has_the_exponent_one_however_short_it_is() -> None:
    sizes = [_size(n, 1e-7 * n, 1 << 28, 1 << 20) for n in (100, 1_000, 10_000)]
    assert "to the 1.000 (goal: at most 1.05)" in growth("p_rule", sizes)


def test_ratios_are_of_the_last_size_to_the_one_before_and_of_the_worse_party() -> None:
    last = Size(1_000, 2.0, {Role.MODELER: 110, Role.REGULATOR: 120}, dict.fromkeys(Role, 30))
    said = growth("p_rule", [_size(10, 0.1, 1, 1), _size(100, 0.5, 100, 20), last])
    assert "peak memory is 1.20 times" in said
    assert "above the base 1.50 times" in said


@pytest.mark.parametrize("above", [0, 4096])
def test_nothing_above_the_base_gives_no_ratio_and_breaks_nothing(above: int) -> None:
    sizes = [_size(10, 0.01, 1 << 28, 0), _size(100, 0.1, 1 << 28, above)]
    said = growth("covariance", sizes)
    assert "above the base without a ratio" in said
    report = Report("growth", [{"above base": 0}], [said])
    assert json.loads(report.json())["remarks"] == [said]
