"""Certification on a hostile line: whatever frame is replaced, both sides end typed, none judges.

A proxy on one side's stream replaces its k-th frame. Only the very last frame of a run, the
modeler's labels, comes too late to stop the modeler: it has decoded what is worth nothing without
the certificate that both sign. The regulator judges nothing by it.

Base OTs are ideal, so that every frame can be tried; on their own frames real ones are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from mpc_engine.errors import EngineError
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
)
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_stream_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel, StreamChannel
from mpc_engine.vocabulary.verdicts import Verdict
from tests.builders.certification_specs import certification_spec, covariance, p_rule
from tests.engine.hostile.hostile_stream import (
    CHANGES,
    HostileStream,
    Replace,
    at,
    base_ots_at,
    broken,
    honest,
    longer,
    random_frame,
    random_payload,
    shorter,
    swapped,
    zeros,
)
from tests.engine.ot.ideal import use_ideal_base_ots
from tests.engine.protocols.running import job_context

_SPEC = certification_spec(
    p_rule(80),
    covariance(Fraction(1, 10)),
    x_frac_bits=4,
    theta_bits=8,
    theta_frac_bits=4,
    feature_ranges=((-64, 64),),
)
_N = 16
_CHOICES = (np.arange(_N) % 2)[:, None]
_FEATURES = ((np.arange(_N) // 2) * 16 - 56)[:, None].astype(np.int64)
_RECORDS = dict(
    zip(Role, deal_records(one_hot(_CHOICES, (3,)), _FEATURES, seeded_randomness(9)), strict=True)
)
_THETA = [-1, -1]
"""Every bit is set: corrections for a bit that is 0 go unread, so replacing them alters nothing."""


def _run(
    hostile: Role = Role.MODELER, replace: Replace = honest, seed: int = 1
) -> tuple[dict[Role, CertificationOutcome | EngineError], dict[Role, list[bytes]]]:
    """Return how each side ended, and the frames it meant to send; other errors propagate."""
    pair = dict(zip(Role, memory_stream_pair(), strict=True))
    streams = {
        role: HostileStream(stream, replace if role is hostile else honest)
        for role, stream in pair.items()
    }

    def side(role: Role, channel: Channel) -> CertificationOutcome | EngineError:
        ctx = job_context(role, channel, seed)
        try:
            if role is Role.MODELER:
                return certify_as_modeler(ctx, _SPEC, _RECORDS[role], _THETA, bytes(32))
            return certify_as_regulator(ctx, _SPEC, _RECORDS[role])
        except EngineError as error:
            channel.close()
            return error

    ends = run_two_parties(
        functools.partial(side, Role.MODELER),
        functools.partial(side, Role.REGULATOR),
        channels=(
            StreamChannel(streams[Role.MODELER], timeout_s=30.0),
            StreamChannel(streams[Role.REGULATOR], timeout_s=30.0),
        ),
    )
    return dict(zip(Role, ends, strict=True)), {role: s.frames for role, s in streams.items()}


@pytest.fixture(scope="module")
def honest_frames() -> dict[Role, list[bytes]]:
    with pytest.MonkeyPatch.context() as patch:
        use_ideal_base_ots(patch)
        ends, frames = _run()
    for end in ends.values():
        assert isinstance(end, CertificationOutcome)
        assert end.verdict is Verdict.PASS
    return frames


def _assert_nobody_judges(hostile: Role, replace: Replace, seed: int = 1) -> None:
    ends, _ = _run(hostile, replace, seed)
    for role, end in ends.items():
        assert isinstance(end, EngineError), f"the {role.value} gave a verdict"
        assert end.code
        assert end.sentence


def _positions(frames: dict[Role, list[bytes]], role: Role) -> Sequence[int]:
    """Return the numbers of the role's frames, but for the one that ends the run."""
    return range(len(frames[role]) - (role is Role.MODELER))


@pytest.mark.parametrize("hostile", Role)
@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_real_base_ots_ends_typed(
    hostile: Role, change: Callable[[bytes], bytes], honest_frames: dict[Role, list[bytes]]
) -> None:
    _assert_nobody_judges(hostile, at(base_ots_at(hostile, honest_frames), change))


@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
def test_a_random_payload_in_any_frame_ends_typed(
    hostile: Role, honest_frames: dict[Role, list[bytes]]
) -> None:
    for position in _positions(honest_frames, hostile):
        _assert_nobody_judges(hostile, at(position, random_payload))
    for position in range(0, len(honest_frames[hostile]) - 1, 4):
        _assert_nobody_judges(hostile, at(position, zeros))


@pytest.mark.slow
@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("change", CHANGES)
def test_the_regulator_judges_nothing_by_a_changed_last_frame(
    change: Callable[[bytes], bytes], honest_frames: dict[Role, list[bytes]]
) -> None:
    ends, _ = _run(replace=at(len(honest_frames[Role.MODELER]) - 1, change))
    assert isinstance(ends[Role.REGULATOR], EngineError)


@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
@pytest.mark.parametrize("change", [random_frame, longer, shorter])
def test_a_misshapen_frame_ends_typed(
    hostile: Role, change: Callable[[bytes], bytes], honest_frames: dict[Role, list[bytes]]
) -> None:
    for position in range(0, len(honest_frames[hostile]) - 1, 3):
        _assert_nobody_judges(hostile, at(position, change))


@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
def test_a_repeated_or_an_early_frame_ends_typed(
    hostile: Role, honest_frames: dict[Role, list[bytes]]
) -> None:
    frames = honest_frames[hostile]
    for position in range(1, len(frames) - 1, 4):
        _assert_nobody_judges(hostile, swapped(position, position - 1, frames))
        _assert_nobody_judges(hostile, swapped(position, position + 1, frames))


@pytest.mark.parametrize("hostile", Role)
def test_a_recorded_run_cannot_be_replayed_to_a_peer_of_fresh_randomness(hostile: Role) -> None:
    recorded = _run()[1][hostile]
    _assert_nobody_judges(hostile, lambda k, _: recorded[k], seed=2)


@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
def test_a_line_that_breaks_at_any_frame_ends_typed(
    hostile: Role, honest_frames: dict[Role, list[bytes]]
) -> None:
    for position in _positions(honest_frames, hostile)[::2]:
        _assert_nobody_judges(hostile, at(position, broken))


@pytest.mark.parametrize("change", [random_payload, zeros])
def test_wrong_decoding_bits_leave_nobody_a_verdict(
    change: Callable[[bytes], bytes], honest_frames: dict[Role, list[bytes]]
) -> None:
    last = len(honest_frames[Role.REGULATOR]) - 1
    _assert_nobody_judges(Role.REGULATOR, at(last, change))
