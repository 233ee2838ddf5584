"""Rows tell of the run of the median time, of its own bytes and gates, and how many there were."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from tools.bench import costs, training
from tools.bench.parties import Pair, Run
from tools.bench.rates import Rates

_RATES = Rates(line=1e6, aes=1e9)


def _run(seconds: float, n_bytes: int) -> Run:
    return Run(None, None, seconds, 0.06, 0.01, n_bytes, n_bytes, 1, 1, 1, 1)


def test_costs_are_those_of_the_median_run() -> None:
    runs = iter([(60.0, 9), (0.3, 3), (0.1, 1), (0.2, 50_000)])

    def once(pair: Pair) -> costs._Done:
        seconds, n_bytes = next(runs)
        return costs._Done(_run(seconds, n_bytes), and_gates=n_bytes * 1_000, blocks=0)

    pair = cast(Pair, None)
    row, before = costs._measure(pair, costs._Kind("work", once), 3, _RATES)
    assert (row["runs"], row["ms"], row["MB"], row["million ANDs"]) == (3, 200, 0.1, 50.0)
    assert (row["limit, ms"], row["efficiency"], row["goal 0.5"]) == (100, 0.5, "met")
    assert (before["ms, first run"], before["ms, base OTs"]) == (60_000, 60.0)


@pytest.mark.slow
def test_training_has_fresh_people_and_a_fresh_order_in_every_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[training.Problem] = []
    train = training.Problem.run

    def noting(problem: training.Problem, pair: Pair) -> Run:
        seen.append(problem)
        return train(problem, pair)

    monkeypatch.setattr(training.Problem, "run", noting)
    monkeypatch.setattr(training, "WORKLOADS", (replace(training.WARM, name="SQF"),))
    monkeypatch.setattr(training, "_QUICK_STEPS", 4)
    monkeypatch.setattr(Rates, "measured", lambda pair, link: _RATES)
    parser = argparse.ArgumentParser()
    training.add_arguments(parser)
    asked = ["--workloads", "sqf", "--quick", "--repeats", "3", "--data", "/nonexistent"]
    report = training.run(parser.parse_args(asked))
    (row,), (before,) = report.rows, report.start_up
    assert (row["runs"], row["steps"], row["data"]) == (3, 4, "synthetic")
    assert row["seconds_median"] <= row["seconds_worst"]
    assert before["runs"] == 3
    assert len(seen) == 4
    assert len({problem.spec.order_seed for problem in seen}) == 4
    assert not np.array_equal(seen[1].rows, seen[2].rows)
