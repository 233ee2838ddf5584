"""The closing that is timed keeps whom the oracle keeps, and another cohort ends the benchmark."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders.held_shares import layout_by_file
from tools.bench.closing import close_once
from tools.bench.parties import Pair, Run, Side, parties


class _Losing(Pair):
    """A pair whose regulator loses the last person."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair

    def run(self, modeler: Side, regulator: Side) -> Run:
        run = self._pair.run(modeler, regulator)
        records = run.regulator.records
        kept = np.arange(len(records)) < len(records) - 1
        return replace(run, regulator=replace(run.regulator, records=records.select(kept)))


@pytest.mark.slow
def test_a_cohort_is_closed_and_a_lost_person_is_noticed() -> None:
    dice = np.random.default_rng(3)
    with parties() as pair:
        run = close_once(pair, 300, layout_by_file(3, 4), dice)
        assert 0 < run.modeler.n_invalid < 30
        with pytest.raises(SystemExit, match="differs from the oracle's"):
            close_once(_Losing(pair), 300, layout_by_file(3, 4), dice)
