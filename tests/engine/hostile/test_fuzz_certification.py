"""Certification on a hostile line: whatever frame is replaced, both sides end typed, none judges.

A proxy on one side's stream replaces its k-th frame. Only the very last frame of a run, the
regulator's decoding bits, comes too late to stop anything: the regulator has its verdict, and the
modeler's is worth nothing without the certificate that both sign.

Base OTs are ideal, so that every frame can be tried; on their own frames real ones are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from mpc_engine.errors import ChannelClosedError, EngineError
from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
    Criterion,
)
from mpc_engine.roles import Role
from mpc_engine.testing.channel import MemoryStream, memory_stream_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel, StreamChannel
from mpc_engine.transport.frame import HEADER_BYTES, decode_header, encode_header
from mpc_engine.transport.tags import MessageTag
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.policies import Comparison
from mpc_engine.vocabulary.verdicts import Verdict
from tests.engine.ot.ideal import use_ideal_base_ots
from tests.engine.protocols.running import job_context

_SPEC = CertificationSpec(
    config_digest=b"\x21" * 32,
    n_features=1,
    x_frac_bits=4,
    theta_bits=8,
    theta_frac_bits=4,
    entry_counts=(3,),
    feature_ranges=((-64, 64),),
    criteria=(
        Criterion(CriterionName.P_RULE, (Fraction(80),), Fraction(80)),
        Criterion(CriterionName.COVARIANCE, (Fraction(1, 10),), Fraction(1, 10)),
    ),
    comparison=Comparison.EACH_PAIR,
    floors=Floors(1, 1),
)
_N = 16
_CHOICES = (np.arange(_N) % 2)[:, None]
_FEATURES = ((np.arange(_N) // 2) * 16 - 56)[:, None].astype(np.int64)
_RECORDS = dict(
    zip(Role, deal_records(one_hot(_CHOICES, (3,)), _FEATURES, seeded_randomness(9)), strict=True)
)
_THETA = [-1, -1]
"""Every bit is set: corrections for a bit that is 0 go unread, so replacing them alters nothing."""

Replace = Callable[[int, list[bytes]], bytes]
"""Gives what to send in place of frame k; gets k and the true frames up to and with k."""


class _HostileStream(MemoryStream):
    """A stream on which some frames are replaced as they leave."""

    def __init__(self, stream: MemoryStream, replace: Replace) -> None:
        self._stream = stream
        self._replace = replace
        self.frames: list[bytes] = []

    def write(self, parts: tuple[memoryview, ...], deadline: float) -> None:
        """Send the frame, or what stands in its place."""
        self.frames.append(b"".join(parts))
        sent = self._replace(len(self.frames) - 1, self.frames)
        self._stream.write((memoryview(sent),), deadline)

    def read_into(self, target: memoryview, deadline: float) -> int:
        """Read what arrives."""
        return self._stream.read_into(target, deadline)

    def close(self) -> None:
        """Close both directions."""
        self._stream.close()

    def abort(self) -> None:
        """Close both directions."""
        self._stream.close()


def _honest(_: int, frames: list[bytes]) -> bytes:
    return frames[-1]


def _run(
    hostile: Role = Role.MODELER, replace: Replace = _honest, seed: int = 1
) -> tuple[dict[Role, CertificationOutcome | EngineError], dict[Role, list[bytes]]]:
    """Return how each side ended, and the frames it meant to send; other errors propagate."""
    pair = dict(zip(Role, memory_stream_pair(), strict=True))
    streams = {
        role: _HostileStream(stream, replace if role is hostile else _honest)
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


def _random_frame(frame: bytes) -> bytes:
    return seeded_randomness(int.from_bytes(frame[-8:], "little")).bytes(len(frame))


def _random_payload(frame: bytes) -> bytes:
    return frame[:HEADER_BYTES] + _random_frame(frame)[HEADER_BYTES:]


def _longer(frame: bytes) -> bytes:
    header = decode_header(frame[:HEADER_BYTES])
    return encode_header(header.tag, header.length + 8) + frame[HEADER_BYTES:] + bytes(8)


def _shorter(frame: bytes) -> bytes:
    header = decode_header(frame[:HEADER_BYTES])
    return encode_header(header.tag, header.length - 1) + frame[HEADER_BYTES:-1]


def _zeros(frame: bytes) -> bytes:
    return frame[:HEADER_BYTES] + bytes(len(frame) - HEADER_BYTES)


def _at(position: int, change: Callable[[bytes], bytes]) -> Replace:
    return lambda k, frames: change(frames[k]) if k == position else frames[k]


def _swapped(position: int, source: int, recorded: list[bytes]) -> Replace:
    """Send the recorded frame ``source`` in the place of frame ``position``."""
    return lambda k, frames: recorded[source] if k == position else frames[k]


def _broken(_: bytes) -> bytes:
    raise ChannelClosedError("The line broke.")


_CHANGES = (_random_frame, _random_payload, _longer, _shorter, _zeros, _broken)
_BASE_OTS = {
    Role.MODELER: MessageTag.BASE_OT_ANSWERS,
    Role.REGULATOR: MessageTag.BASE_OT_POINTS,
}
"""What each side sends in base OTs: in both protocols the modeler is the extension's receiver."""


def _base_ots_at(hostile: Role, frames: dict[Role, list[bytes]]) -> int:
    """Return the number of a side's only frame of base OTs."""
    tags = [decode_header(frame[:HEADER_BYTES]).tag for frame in frames[hostile]]
    assert tags.count(_BASE_OTS[hostile]) == 1
    return tags.index(_BASE_OTS[hostile])


def _positions(frames: dict[Role, list[bytes]], role: Role) -> Sequence[int]:
    """Return the numbers of the role's frames, but for the one that ends the run."""
    return range(len(frames[role]) - (role is Role.REGULATOR))


@pytest.mark.parametrize("hostile", Role)
@pytest.mark.parametrize("change", _CHANGES)
def test_any_change_of_real_base_ots_ends_typed(
    hostile: Role, change: Callable[[bytes], bytes], honest_frames: dict[Role, list[bytes]]
) -> None:
    _assert_nobody_judges(hostile, _at(_base_ots_at(hostile, honest_frames), change))


@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
def test_a_random_payload_in_any_frame_ends_typed(
    hostile: Role, honest_frames: dict[Role, list[bytes]]
) -> None:
    for position in _positions(honest_frames, hostile):
        _assert_nobody_judges(hostile, _at(position, _random_payload))
    for position in range(0, len(honest_frames[hostile]) - 1, 4):
        _assert_nobody_judges(hostile, _at(position, _zeros))


@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
@pytest.mark.parametrize("change", [_random_frame, _longer, _shorter])
def test_a_misshapen_frame_ends_typed(
    hostile: Role, change: Callable[[bytes], bytes], honest_frames: dict[Role, list[bytes]]
) -> None:
    for position in range(0, len(honest_frames[hostile]) - 1, 3):
        _assert_nobody_judges(hostile, _at(position, change))


@pytest.mark.usefixtures("ideal_base_ots")
@pytest.mark.parametrize("hostile", Role)
def test_a_repeated_or_an_early_frame_ends_typed(
    hostile: Role, honest_frames: dict[Role, list[bytes]]
) -> None:
    frames = honest_frames[hostile]
    for position in range(1, len(frames) - 1, 4):
        _assert_nobody_judges(hostile, _swapped(position, position - 1, frames))
        _assert_nobody_judges(hostile, _swapped(position, position + 1, frames))


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
        _assert_nobody_judges(hostile, _at(position, _broken))


@pytest.mark.parametrize("change", [_random_payload, _zeros])
def test_wrong_decoding_bits_leave_the_regulators_verdict_and_sign_nothing(
    change: Callable[[bytes], bytes], honest_frames: dict[Role, list[bytes]]
) -> None:
    last = len(honest_frames[Role.REGULATOR]) - 1
    ends, _ = _run(Role.REGULATOR, _at(last, change))
    modeler, regulator = ends[Role.MODELER], ends[Role.REGULATOR]
    assert isinstance(regulator, CertificationOutcome)
    assert regulator.verdict is Verdict.PASS
    assert isinstance(modeler, CertificationOutcome)
    assert modeler.model_signature is None
