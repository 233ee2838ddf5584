"""Run a protocol between two parties over in-memory channels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from mpc_engine.protocols.session import JobContext, OfflineLine
from mpc_engine.roles import Role
from mpc_engine.testing.channel import JobChannel, Tap, memory_job_pair
from mpc_engine.testing.ends import MemoryEnds, memory_terms
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel
from tests.engine.protocols.worker_threads import untapped, worker_threads

M = TypeVar("M")
R = TypeVar("R")
_BESIDE = 1 << 40
"""Added to the seeds of second lines."""


def job_context(
    role: Role, channel: Channel, seed: int = 1, ends: MemoryEnds | None = None
) -> JobContext:
    """Return a context whose randomness is seeded, differently for each role and line.

    ``ends``: where this side keeps its half of an end.
    """
    own = 2 * seed + (role is Role.MODELER)
    offline = None
    if isinstance(channel, JobChannel):
        offline = OfflineLine(channel.beside, seeded_randomness(_BESIDE + own))
    return JobContext(
        role=role,
        channel=channel,
        job_digest=b"\x07" * 32,
        rng=seeded_randomness(own),
        progress=lambda stage, done, total: None,
        offline=offline,
        end=memory_terms(role, ends),
    )


def run_protocol(
    modeler: Callable[[JobContext], M],
    regulator: Callable[[JobContext], R],
    seed: int = 1,
    *,
    workers: int = 1,
    channels: tuple[Channel, Channel] | None = None,
    tap: Callable[[Role, str], Tap | None] = untapped,
) -> tuple[M, R]:
    """Run both sides, each by so many workers in threads; exceptions of either side propagate.

    ``tap`` returns what sees the frames that a party sends on a line, by the line's name; lines
    that were given as ``channels`` go without.
    """
    beside = worker_threads(workers, seed, tap)
    result: Any = run_two_parties(
        lambda channel: modeler(
            replace(job_context(Role.MODELER, channel, seed), workers=beside[Role.MODELER])
        ),
        lambda channel: regulator(
            replace(job_context(Role.REGULATOR, channel, seed), workers=beside[Role.REGULATOR])
        ),
        channels=channels
        or memory_job_pair(
            timeout_s=180.0,
            taps=(tap(Role.MODELER, ""), tap(Role.REGULATOR, "")),
            beside_taps=(tap(Role.MODELER, "second line"), tap(Role.REGULATOR, "second line")),
        ),
    )
    return result[0], result[1]
