"""Closing of a cohort by two processes, compared with the oracle: a kind of work of `costs`."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.protocols.closing.circuit import is_one_hot
from mpc_engine.protocols.closing.protocol import ClosingOutcome, run_closing
from mpc_engine.protocols.closing.record_list import ListedShare
from mpc_engine.protocols.session import JobContext
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.testing.ends import closing_terms
from mpc_engine.testing.people import deal_records, one_hot
from tests.builders.held_shares import listed_shares
from tools.bench.parties import Pair, Run

_INVALID_SHARE = 0.01


def close_once(pair: Pair, n: int, layout: EnvelopeLayout, dice: np.random.Generator) -> Run:
    """Close a cohort of ``n`` fresh people, one in a hundred with answers that are none.

    SystemExit if a party's cohort is not the oracle's. The first progress comes before base OTs, so
    `Run.setup_seconds` are those of the lists.
    """
    counts = layout.category_counts
    answers = one_hot(np.stack([dice.integers(0, m, n) for m in counts], axis=1), counts)
    answers[dice.random(n) < _INVALID_SHARE, 0] ^= 1
    modeler, regulator = deal_records(answers, None, system_randomness())
    run = pair.run(_side(layout, modeler), _side(layout, regulator))
    valid = [row for row in range(n) if is_one_hot(counts, answers[row].tolist())]
    _check(run, n, [modeler.record_ids[row] for row in valid], answers[valid])
    return run


def _check(run: Run, n: int, kept: list[bytes], answers: NDArray[np.uint8]) -> None:
    outcomes: list[ClosingOutcome] = [run.modeler, run.regulator]
    for outcome in outcomes:
        found = list(outcome.records.record_ids), outcome.n_invalid, outcome.n_disagreed
        if found != (kept, n - len(kept), 0) or outcome.record_set != outcomes[0].record_set:
            raise SystemExit("The closed cohort differs from the oracle's.")
    rebuilt = outcomes[0].records.low_bits ^ outcomes[1].records.low_bits
    if not np.array_equal(rebuilt, answers):
        raise SystemExit("The closed answers differ from those that were dealt.")


def _side(layout: EnvelopeLayout, records: HeldRecords) -> partial[ClosingOutcome]:
    return partial(_close, layout=layout, held=listed_shares(records))


def _close(ctx: JobContext, layout: EnvelopeLayout, held: list[ListedShare]) -> ClosingOutcome:
    return run_closing(ctx, layout, held, set(), closing_terms(ctx.role))
