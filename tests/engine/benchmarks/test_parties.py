"""One pair of processes serves all runs of a benchmark, each with inputs of its own."""

from __future__ import annotations

import os
from functools import partial

import numpy as np
import pytest

from mpc_engine.protocols.session import JobContext
from mpc_engine.roles import Role
from tools.bench.parties import parties

_TAG = 0xF001
_BLOCK_BYTES = 1 << 28


def _exchange(ctx: JobContext, own: bytes) -> tuple[int, Role, bytes]:
    ctx.channel.send(_TAG, own)
    return os.getpid(), ctx.role, ctx.channel.recv(_TAG, size=len(own))


def _fill(ctx: JobContext) -> int:
    return int(np.ones(_BLOCK_BYTES, dtype=np.uint8)[-1])


def _nothing(ctx: JobContext) -> None: ...


def _fail(ctx: JobContext) -> None:
    raise RuntimeError("as asked")


def test_the_same_two_processes_serve_every_run_with_its_own_inputs() -> None:
    with parties() as pair:
        runs = [
            pair.run(
                partial(_exchange, own=b"m%d" % number), partial(_exchange, own=b"r%d" % number)
            )
            for number in range(3)
        ]
    assert len({run.modeler[0] for run in runs} | {run.regulator[0] for run in runs}) == 2
    assert os.getpid() not in {runs[0].modeler[0], runs[0].regulator[0]}
    assert [run.modeler[1:] for run in runs] == [
        (Role.MODELER, b"r%d" % number) for number in range(3)
    ]
    assert [run.regulator[1:] for run in runs] == [
        (Role.REGULATOR, b"m%d" % number) for number in range(3)
    ]
    assert all(run.modeler_bytes == runs[0].regulator_bytes > 0 for run in runs)


def test_the_peak_of_a_run_is_not_that_of_an_earlier_one() -> None:
    with parties() as pair:
        filled, idle = pair.run(_fill, _nothing), pair.run(_nothing, _nothing)
    assert filled.modeler_peak_bytes - idle.modeler_peak_bytes > _BLOCK_BYTES / 2
    assert filled.modeler_peak_bytes - filled.regulator_peak_bytes > _BLOCK_BYTES / 2


def test_a_party_that_fails_ends_the_benchmark(capfd: pytest.CaptureFixture[str]) -> None:
    with parties() as pair, pytest.raises(SystemExit, match="A party ended"):
        pair.run(_fail, _nothing)
    assert "as asked" in capfd.readouterr().err
