"""What the benchmark of building blocks times is checked, and a wrong output ends it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tools.bench import kernels


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "N_BLOCKS", 37)
    monkeypatch.setattr(kernels, "N_INSTANCES", 2)


def _damaged(done: Any) -> Any:
    if isinstance(done, np.ndarray):
        changed = done.copy()
        changed.reshape(-1)[-1] ^= np.uint64(2)
        return changed
    return replace(done, output_zero_labels=_damaged(done.output_zero_labels))


def _damaging(work: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: _damaged(work())


def test_every_output_is_right_and_a_flipped_bit_is_noticed() -> None:
    for block, fresh in kernels.tasks():
        task = fresh()
        assert task.seconds() > 0, block.what
        damaged = replace(task, work=_damaging(task.work))
        with pytest.raises(SystemExit, match="wrong"):
            damaged.seconds()


def test_inputs_are_fresh_in_every_run() -> None:
    for block, fresh in kernels.tasks():
        first, second = fresh().work(), fresh().work()
        if not isinstance(first, np.ndarray):
            first, second = first.tables, second.tables
        assert not np.array_equal(first, second), block.what


def test_transfers_are_compared_and_their_base_ots_told() -> None:
    runs = kernels.transfers(None, repeats=1, n=300)
    assert len(runs) == 2
    assert all(0 < run.setup_seconds < run.seconds and run.opening_seconds > 0 for run in runs)
    assert not np.array_equal(runs[0].modeler, runs[1].modeler)


def test_a_row_tells_runs_median_and_worst() -> None:
    rate = kernels.Block("AES", "million blocks/s", 1_000_000).row([0.5, 0.1, 0.2])
    assert (rate["runs"], rate["median"], rate["worst"]) == (3, 5.0, 2.0)
    time = kernels.Block("hash", "ms", None).row([0.005, 0.001, 0.002])
    assert (time["median"], time["worst"]) == (2.0, 5.0)


def test_a_link_may_be_asked_for() -> None:
    parser = argparse.ArgumentParser()
    kernels.add_arguments(parser)
    assert parser.parse_args(["--link", "100mbit,40ms"]).link.text == "100mbit,40ms"
