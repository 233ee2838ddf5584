"""Training on a hostile line: misshapen frames end typed on both sides, and nobody gets a theta.

A proxy on one side's streams replaces its k-th frame, for every k; those of the line of material
count on from those of the first line. Training claims security against
parties that follow the protocol: a frame of the right tag and size whose content is wrong is caught
where transfers are checked, and elsewhere gives a wrong theta, as a wrong row would. Both kinds
are told apart here by their tags, so that the security argument says no more than what holds.

Base OTs are ideal, so that every frame can be tried; on their own frames real ones are.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.errors import EngineError
from mpc_engine.protocols.ahead import THREAD_NAME
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.training import matrix_layout, protocol
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.channel import JobChannel, memory_stream_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel, StreamChannel
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from mpc_engine.transport.tags import MessageTag
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
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
from tests.engine.leakage.training_runs import ANSWERS, LABELS, ROWS, SPEC, spec_under
from tests.engine.ot.ideal import use_ideal_base_ots
from tests.engine.protocols.running import job_context

_RECORDS = dict(
    zip(Role, deal_records(one_hot(ANSWERS[0], (3,)), None, seeded_randomness(9)), strict=True)
)
_CHECKED = {
    ProtocolTag.SESSION_NONCE,
    MessageTag.BASE_OT_OFFERS,
    MessageTag.BASE_OT_ANSWERS,
    MessageTag.OT_COLUMNS,
    MessageTag.OT_CHALLENGE,
    MessageTag.OT_CHECK,
}
_UNCHECKED = {
    OpTag.ROW_CORRECTIONS,
    OpTag.MAC_CORRECTIONS,
    OpTag.LABEL_CORRECTIONS,
    OpTag.GARBLER_INPUT_SEED,
    OpTag.GARBLED_TABLES,
    OpTag.CHOICE_FLIPS,
    OpTag.PRODUCT_SEEDS,
    OpTag.PRODUCT_CORRECTIONS,
    ProtocolTag.DECODING_BITS,
    ProtocolTag.THETA_COVERED,
    ProtocolTag.FORCE_COVERED,
}
_LAST_FRAMES = 5
"""The last update, the last sum and the opening: after them the regulator waits for nothing."""
_HELD = "held to the end"
End = NDArray[np.int64] | EngineError | str
"""What a side has: theta, an error, or for the regulator that it came to its end."""


@pytest.fixture(autouse=True)
def _blocks_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the run have more than one block."""
    for blocks in (protocol, matrix_layout):
        monkeypatch.setattr(blocks, "_BLOCK_STEPS", 2)


def _run(
    hostile: Role = Role.MODELER,
    replace: Replace = honest,
    seed: int = 1,
    receive_limit_s: float = 30.0,
    spec: TrainingSpec = SPEC,
) -> tuple[dict[Role, End], dict[Role, list[bytes]]]:
    """Return how each side ended, and the frames it meant to send; other errors propagate."""
    first = _streams({hostile: replace})
    n_first = _n_first(spec)[hostile]
    before = [b""] * n_first
    beside = _streams({hostile: lambda k, frames: replace(n_first + k, before + frames)})
    return _run_over(first, beside, seed, receive_limit_s, spec)


def _streams(replacing: dict[Role, Replace]) -> dict[Role, HostileStream]:
    pair = zip(Role, memory_stream_pair(), strict=True)
    return {role: HostileStream(stream, replacing.get(role, honest)) for role, stream in pair}


@functools.cache
def _n_first(spec: TrainingSpec = SPEC) -> dict[Role, int]:
    """Return how many frames each side sends on the first line of an honest run."""
    first = _streams({})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "_BLOCK_STEPS", 2)
        _run_over(first, _streams({}), 1, 30.0, spec)
    return {role: len(stream.frames) for role, stream in first.items()}


def _run_over(
    first: dict[Role, HostileStream],
    beside: dict[Role, HostileStream],
    seed: int,
    receive_limit_s: float,
    spec: TrainingSpec,
) -> tuple[dict[Role, End], dict[Role, list[bytes]]]:

    def side(role: Role, channel: Channel) -> End:
        ctx = job_context(role, channel, seed)
        try:
            if role is Role.MODELER:
                rows, labels = ROWS[0].astype(np.int64), LABELS[0]
                (theta,) = train_as_modeler(ctx, [spec], _RECORDS[role], rows, labels)
                return theta
            list(train_as_regulator(ctx, [spec], _RECORDS[role]))
            return _HELD
        except EngineError as error:
            return error
        finally:
            channel.close()

    def channel(role: Role) -> JobChannel:
        second = StreamChannel(beside[role], timeout_s=receive_limit_s)
        return JobChannel(first[role], second, timeout_s=receive_limit_s)

    ends = run_two_parties(
        functools.partial(side, Role.MODELER),
        functools.partial(side, Role.REGULATOR),
        channels=(channel(Role.MODELER), channel(Role.REGULATOR)),
    )
    assert not [thread for thread in threading.enumerate() if THREAD_NAME in thread.name]
    frames = {role: first[role].frames + beside[role].frames for role in Role}
    return dict(zip(Role, ends, strict=True)), frames


@pytest.fixture(scope="module")
def honest_frames() -> dict[Role, list[bytes]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "_BLOCK_STEPS", 2)
        use_ideal_base_ots(patch)
        ends, frames = _run()
    assert isinstance(ends[Role.MODELER], np.ndarray)
    assert ends[Role.REGULATOR] == _HELD
    tags = {_tag(frame) for sent in frames.values() for frame in sent}
    assert tags == _CHECKED | _UNCHECKED
    return frames


def _tag(frame: bytes) -> int:
    return decode_header(frame[:HEADER_BYTES]).tag


def _assert_typed(end: End) -> None:
    assert isinstance(end, EngineError), f"not an error but {end}"
    assert end.code
    assert end.sentence


def _assert_nobody_trains(
    hostile: Role, position: int, replace: Replace, seed: int = 1, spec: TrainingSpec = SPEC
) -> None:
    """Both sides end with errors, if the regulator has anything left to wait for."""
    ends, _ = _run(hostile, replace, seed, spec=spec)
    _assert_typed(ends[Role.MODELER])
    n_first = _n_first(spec)[hostile]
    is_last = n_first - _LAST_FRAMES <= position < n_first
    if hostile is Role.MODELER or not is_last:
        _assert_typed(ends[Role.REGULATOR])


@pytest.mark.parametrize("hostile", Role)
@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_real_base_ots_ends_typed(
    hostile: Role, change: Callable[[bytes], bytes], honest_frames: dict[Role, list[bytes]]
) -> None:
    position = base_ots_at(hostile, honest_frames)
    _assert_nobody_trains(hostile, position, at(position, change))


@pytest.mark.slow
@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
@pytest.mark.parametrize(("change", "every"), [(random_frame, 1), (shorter, 1), (longer, 3)])
def test_a_misshapen_frame_at_any_place_ends_typed(
    hostile: Role,
    change: Callable[[bytes], bytes],
    every: int,
    honest_frames: dict[Role, list[bytes]],
) -> None:
    for position in range(0, len(honest_frames[hostile]), every):
        _assert_nobody_trains(hostile, position, at(position, change))


@pytest.mark.slow
@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("scope", ConstraintScope)
@pytest.mark.parametrize("hostile", Role)
def test_a_changed_frame_of_a_run_under_equalised_odds_ends_typed_or_is_of_no_harm(
    hostile: Role, scope: ConstraintScope
) -> None:
    """Every frame in turn is cut short, and its content is drawn at random."""
    spec = spec_under(Constraint.EQUALISED_ODDS, scope)
    ends, sent = _run(spec=spec)
    assert isinstance(ends[Role.MODELER], np.ndarray)
    for position, frame in enumerate(sent[hostile]):
        _assert_nobody_trains(hostile, position, at(position, shorter), spec=spec)
        change = at(position, random_payload)
        if _tag(frame) in _CHECKED:
            _assert_nobody_trains(hostile, position, change, spec=spec)
            continue
        ends, _ = _run(hostile, change, spec=spec)
        theta = ends[Role.MODELER]
        if isinstance(theta, EngineError):
            _assert_typed(theta)
        else:
            assert np.shape(theta) == (spec.n_columns,)


@pytest.mark.slow
@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
def test_a_frame_whose_end_never_comes_ends_typed(
    hostile: Role, honest_frames: dict[Role, list[bytes]]
) -> None:
    for position in range(1, len(honest_frames[hostile]), 6):
        change = at(position, lambda frame: frame[:-1])
        ends, _ = _run(hostile, change, receive_limit_s=0.5)
        _assert_typed(ends[Role.MODELER])


@pytest.mark.slow
@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
def test_a_frame_of_another_place_ends_typed(
    hostile: Role, honest_frames: dict[Role, list[bytes]]
) -> None:
    """Every frame in turn is replaced by the one before it or by the one after it."""
    frames = honest_frames[hostile]
    tried = 0
    for position, frame in enumerate(frames):
        source = position + (1 if position % 2 else -1)
        if 0 <= source < len(frames) and frames[source][:HEADER_BYTES] != frame[:HEADER_BYTES]:
            change = swapped(position, source, frames)
            _assert_nobody_trains(hostile, position, change)
            tried += 1
    assert tried > len(frames) // 2


@pytest.mark.slow
@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
def test_a_line_that_breaks_at_any_frame_ends_typed(
    hostile: Role, honest_frames: dict[Role, list[bytes]]
) -> None:
    for position in range(len(honest_frames[hostile])):
        ends, _ = _run(hostile, at(position, broken))
        for end in ends.values():
            _assert_typed(end)


@pytest.mark.slow
@pytest.mark.parametrize("hostile", Role)
def test_a_recorded_run_cannot_be_replayed_to_a_peer_of_fresh_randomness(hostile: Role) -> None:
    recorded = _run()[1][hostile]
    _assert_nobody_trains(hostile, 0, lambda k, _: recorded[k], seed=2)


@pytest.mark.slow
@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
@pytest.mark.parametrize("change", [random_payload, zeros])
def test_wrong_content_is_caught_in_transfers_and_does_no_other_harm_elsewhere(
    hostile: Role, change: Callable[[bytes], bytes], honest_frames: dict[Role, list[bytes]]
) -> None:
    limit = 2 << SPEC.theta_int_bits + SPEC.output_frac_bits
    for position, frame in enumerate(honest_frames[hostile]):
        if _tag(frame) in _CHECKED:
            _assert_nobody_trains(hostile, position, at(position, change))
            continue
        ends, _ = _run(hostile, at(position, change))
        for end in ends.values():
            if isinstance(end, EngineError):
                _assert_typed(end)
        if not isinstance(ends[Role.MODELER], EngineError):
            theta = cast("NDArray[np.int64]", ends[Role.MODELER])
            assert theta.shape == (SPEC.n_columns,)
            assert np.abs(theta).max() <= limit
