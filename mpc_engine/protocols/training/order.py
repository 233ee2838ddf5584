"""The public order in which rows are used."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.prg import Prg
from mpc_engine.protocols.training.spec import TrainingSpec


def batches(spec: TrainingSpec) -> Iterator[NDArray[np.int64]]:
    """Yield the row numbers of every step, int64 (batch,).

    Rows come in passes, each in a fresh order drawn from the public seed; a batch may span two
    passes, so that no row is dropped whatever n is.
    """
    stream = Prg(spec.order_seed)
    waiting = np.empty(0, dtype=np.int64)
    for _ in range(spec.n_steps):
        while len(waiting) < spec.batch_size:
            order = np.argsort(stream.words(spec.n_rows), kind="stable")
            waiting = np.concatenate([waiting, order])
        yield waiting[: spec.batch_size]
        waiting = waiting[spec.batch_size :]
