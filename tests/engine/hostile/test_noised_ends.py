"""A noised question that was answered is never drawn again: its end goes again as it was kept.

Nothing of the draw is in what is delivered again, on whatever line and however often: neither side
draws a bit for it, and both read the outcome they had. A session that broke before the regulator
kept its end opened nothing, and the next one draws anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from mpc_engine.protocols.certification.ending import (
    deliver_certification_as_modeler,
    deliver_certification_as_regulator,
)
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from mpc_engine.vocabulary.policies import Disclosure
from tests.engine.hostile.ending_cases import N_PEOPLE, RATES, THETA
from tests.engine.hostile.ending_runs import Run
from tests.engine.protocols.running import job_context

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

M, R = Role.MODELER, Role.REGULATOR
_NOISED = replace(RATES, epsilon=Fraction(2), disclosure=Disclosure.TABLE)


class _NoDraws:
    """Randomness of somebody who must not draw."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was drawn")


def _delivered(run: Run) -> tuple[dict[Role, Any], dict[int, bytes]]:
    """Deliver the kept ends of a run again; return what either read, and the messages by tag."""
    results: dict[Role, Any] = {}
    frames: dict[int, bytes] = {}

    def tap(frame: bytes) -> None:
        frames[decode_header(frame[:HEADER_BYTES]).tag] = bytes(frame[HEADER_BYTES:])

    def side(role: Role) -> Callable[[Any], None]:
        def deliver(channel: Any) -> None:
            ends = run.ends[role]
            ctx = replace(job_context(role, channel, 9, ends), rng=_NoDraws())
            if role is M:
                results[role] = deliver_certification_as_modeler(
                    ctx, _NOISED, N_PEOPLE, THETA, ends.kept, ends.answer
                )
            else:
                results[role] = deliver_certification_as_regulator(
                    ctx, _NOISED, N_PEOPLE, ends.kept
                )

        return deliver

    run_two_parties(side(M), side(R), channels=memory_channel_pair(tap_a=tap, tap_b=tap))
    return results, frames


def test_a_noised_answer_goes_again_as_it_was_drawn() -> None:
    run = Run(_NOISED)
    assert not run.failures
    for _ in range(3):
        results, frames = _delivered(run)
        assert set(frames) == {ProtocolTag.DECODING_OPENING, ProtocolTag.LABELS_OPENING}
        assert frames[ProtocolTag.DECODING_OPENING] == run.sent(R, ProtocolTag.DECODING_OPENING)[0]
        assert frames[ProtocolTag.LABELS_OPENING] == run.sent(M, ProtocolTag.LABELS_OPENING)[0]
        for role in Role:
            assert results[role] == replace(run.results[role], and_gates=0, ots=0)


def test_sessions_of_a_question_draw_apart_until_one_is_answered() -> None:
    """Of twelve sessions hardly two open the same table; each would be safe, as none of them did.

    Three in four draws of a cell differ: all twelve agree with a chance below 1e-6.
    """
    opened = {
        (run.results[R].reason, run.results[R].table)
        for run in (Run(_NOISED, seed) for seed in range(1, 13))
    }
    assert len(opened) > 1


def test_the_regulator_sends_nothing_that_hangs_on_its_half_of_the_draw() -> None:
    """The labels of its bits are expanded from a seed of 16 bytes, whatever the bits are."""
    exact, noised = (Run(spec) for spec in (RATES, _NOISED))
    seeds = [run.sent(R, OpTag.GARBLER_INPUT_SEED) for run in (exact, noised)]
    assert len(seeds[1]) == len(seeds[0]) + 1
    assert {len(seed) for seed in seeds[1]} == {16}
