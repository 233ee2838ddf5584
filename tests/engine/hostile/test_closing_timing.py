"""What a party evaluated in a closing does not show in how much it does before its opening.

A line that breaks then leaves a fresh run, so each bit of it would be one an attempt.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from mpc_engine.protocols.closing import equality, protocol
from mpc_engine.protocols.closing.one_run import Evaluated
from mpc_engine.roles import Role
from tests.engine.hostile.closing_runs import ClosingRun

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

_EVALUATED = ("nobody valid", "everybody valid", "a broken promise")


def _evaluating(monkeypatch: pytest.MonkeyPatch, reader: Role, what: str) -> None:
    """Let a party evaluate what another garbler might have given it."""
    honest = protocol.evaluate_run

    def evaluate(ctx: Any, *args: Any) -> Evaluated:
        found = honest(ctx, *args)
        if ctx.role is not reader:
            return found
        values = np.full_like(found.values, what == "everybody valid")
        labels = found.labels ^ np.uint64(2 * (what == "a broken promise"))
        return Evaluated(labels, found.promises, values)

    monkeypatch.setattr(protocol, "evaluate_run", evaluate)


def _work_of(reader: Role, what: str) -> tuple[int, ...]:
    """Return the sizes of what a party keeps, hashes and draws before its opening."""
    hashed: list[int] = []
    drawn: list[int] = []
    own_thread: list[int] = []
    honest_hash, honest_value = equality.sha256, equality.value_of

    def noting(data: bytes) -> bytes:
        if threading.get_ident() == own_thread[0]:
            hashed.append(len(data))
        return honest_hash(data)

    class Noting:
        def __init__(self, ctx: Any) -> None:
            self._ctx = ctx
            self.rng = self

        def __getattr__(self, name: str) -> Any:
            return getattr(self._ctx, name)

        def bytes(self, n_bytes: int) -> bytes:
            drawn.append(n_bytes)
            return bytes(self._ctx.rng.bytes(n_bytes))

    def value_of(ctx: Any, *args: Any) -> bytes:
        if ctx.role is not reader:
            return honest_value(ctx, *args)
        own_thread.append(threading.get_ident())
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(equality, "sha256", noting)
            return honest_value(Noting(ctx), *args)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        _evaluating(patch, reader, what)
        patch.setattr(protocol, "value_of", value_of)
        run = ClosingRun()
    kept = run.parts[reader]
    assert kept.records is not None
    return (len(kept.part), len(kept.records.to_bytes()), *drawn, *hashed)


@pytest.mark.parametrize("reader", Role)
def test_the_same_is_kept_and_hashed_whatever_was_evaluated(reader: Role) -> None:
    works = {what: _work_of(reader, what) for what in _EVALUATED}
    assert len(set(works.values())) == 1, works
