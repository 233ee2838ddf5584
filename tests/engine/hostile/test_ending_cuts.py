"""A line cut at each message of an end, on either side, then resumed.

Before the regulator kept its end a fresh session is safe, and told nobody anything. After it the
last two messages go again, byte for byte, and nothing else; the question is charged once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from mpc_engine.errors import ChannelClosedError, DecodeError, EngineError
from mpc_engine.protocols.certification.ending import (
    deliver_certification_as_modeler,
    deliver_certification_as_regulator,
    kept_nonce,
)
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.ending import modeler as modelers_end
from mpc_engine.protocols.ending.kept_ends import ModelerEnd, RegulatorEnd
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.verification import protocol as verification
from mpc_engine.protocols.verification.plaintext import verify_in_the_clear
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.ends import MemoryEnds
from mpc_engine.testing.two_parties import run_two_parties
from tests.engine.hostile.ending_cases import (
    ANSWERS,
    CHALLENGE,
    CHALLENGED,
    FEATURES,
    HELD,
    N_PEOPLE,
    NONCE,
    RATES,
    SIGNATURE,
    THETA,
)
from tests.engine.protocols.running import job_context

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

M, R = Role.MODELER, Role.REGULATOR
_CERTIFICATION = (
    ProtocolTag.OUTPUT_PROMISES,
    ProtocolTag.END_COMMITMENTS,
    ProtocolTag.EXPECTED_PROOF,
    ProtocolTag.PROOF_OPENING,
    ProtocolTag.DECODING_OPENING,
    ProtocolTag.LABELS_OPENING,
)
_VERIFICATION = (
    ProtocolTag.OUTPUT_PROMISES,
    ProtocolTag.END_COMMITMENTS,
    ProtocolTag.LABELS_CALL,
    ProtocolTag.LABELS_OPENING,
)
_Sides = dict[Role, Callable[[JobContext], Any]]


class _CountedEnds(MemoryEnds):
    """Counts how often an end was kept: at the regulator, how often the question was charged."""

    def __init__(self) -> None:
        super().__init__()
        self.n_kept = 0

    def keep(self, end: bytes) -> None:
        super().keep(end)
        self.n_kept += 1


@dataclass
class _Line:
    """One attempt: what either side sent under each tag, cut messages too, and returned."""

    messages: dict[int, bytes] = field(default_factory=dict)
    results: dict[Role, Any] = field(default_factory=dict)
    failures: dict[Role, EngineError] = field(default_factory=dict)


def _run(
    sides: _Sides, ends: dict[Role, _CountedEnds], seed: int, *, cut: int = 0, arrives: bool = False
) -> _Line:
    """Run both sides; cut the line at a message, before it arrives or right after it."""
    line = _Line()
    pair = memory_channel_pair()

    def side(role: Role) -> Callable[[Any], None]:
        def run(channel: Any) -> None:
            send = channel.send

            def sending(tag: int, message: bytes) -> None:
                if tag in (*_CERTIFICATION, *_VERIFICATION):
                    line.messages[tag] = bytes(message)
                if tag != cut or arrives:
                    send(tag, message)
                if tag == cut:
                    channel.close()
                    raise ChannelClosedError("cut")

            channel.send = sending
            try:
                line.results[role] = sides[role](job_context(role, channel, seed, ends[role]))
            except EngineError as error:
                line.failures[role] = error
                channel.close()

        return run

    run_two_parties(side(M), side(R), channels=pair)
    return line


def _certifying() -> tuple[_Sides, _Sides, Callable[[_Line], None]]:
    oracle = certify_in_the_clear(RATES, ANSWERS, FEATURES, THETA, NONCE)
    fresh: _Sides = {
        M: lambda ctx: certify_as_modeler(ctx, RATES, HELD[0], THETA, NONCE),
        R: lambda ctx: certify_as_regulator(ctx, RATES, HELD[1]),
    }
    again: _Sides = {
        M: lambda ctx: deliver_certification_as_modeler(
            ctx, RATES, N_PEOPLE, THETA, _kept_end(ctx), _answer(ctx)
        ),
        R: lambda ctx: deliver_certification_as_regulator(ctx, RATES, N_PEOPLE, _kept_end(ctx)),
    }

    def check(line: _Line) -> None:
        assert line.results[M].verdict == line.results[R].verdict == oracle.verdict
        assert line.results[M].passes == line.results[R].passes == oracle.passes
        assert line.results[R].model_signature == oracle.model_signature

    return fresh, again, check


def _verifying() -> tuple[_Sides, _Sides, Callable[[_Line], None]]:
    oracle = verify_in_the_clear(CHALLENGED, SIGNATURE, THETA, NONCE, CHALLENGE)
    n = len(CHALLENGE)
    fresh: _Sides = {
        M: lambda ctx: verification.verify_as_modeler(ctx, CHALLENGED, THETA, NONCE, n),
        R: lambda ctx: verification.verify_as_regulator(ctx, CHALLENGED, SIGNATURE, CHALLENGE),
    }
    again: _Sides = {
        M: lambda ctx: verification.deliver_verification_as_modeler(
            ctx, _kept_end(ctx), _answer(ctx)
        ),
        R: lambda ctx: verification.deliver_verification_as_regulator(ctx, _kept_end(ctx)),
    }

    def check(line: _Line) -> None:
        assert line.results[R] == oracle

    return fresh, again, check


def _kept_end(ctx: JobContext) -> bytes:
    store = ctx.end_terms.store
    assert isinstance(store, MemoryEnds)
    return store.kept


def _answer(ctx: JobContext) -> bytes:
    store = ctx.end_terms.store
    assert isinstance(store, MemoryEnds)
    return store.answer


@pytest.mark.parametrize("arrives", [False, True], ids=["lost", "arrived"])
@pytest.mark.parametrize(
    ("name", "cut"),
    [("certification", tag) for tag in _CERTIFICATION]
    + [("verification", tag) for tag in _VERIFICATION],
    ids=lambda value: value.name if isinstance(value, ProtocolTag) else value,
)
def test_a_line_cut_at_a_message_of_the_end_is_resumed(
    name: str, cut: ProtocolTag, arrives: bool
) -> None:
    fresh, again, check = _certifying() if name == "certification" else _verifying()
    order = _CERTIFICATION if name == "certification" else _VERIFICATION
    ends = {role: _CountedEnds() for role in Role}
    first = _run(fresh, ends, 1, cut=cut, arrives=arrives)
    assert cut in first.messages
    place = order.index(cut) + arrives
    charged = place >= len(order) - 2
    assert bool(ends[R].kept) is charged
    assert ends[R].n_kept == charged
    assert ends[M].is_answering is (place >= len(order) - 1)
    if not charged:
        assert set(order[-2:]).isdisjoint(first.messages)
        whole = _run(fresh, ends, 2)
        check(whole)
        assert all(whole.messages[tag] != message for tag, message in first.messages.items())
        assert ends[R].n_kept == 1
        return
    assert ends[M].kept
    kept = {role: ends[role].kept for role in Role}
    for _ in range(2):
        second = _run(again, ends, 3)
        check(second)
        assert set(second.messages) == set(order[-2:])
        for tag, message in second.messages.items():
            assert first.messages.get(tag, message) == message
        first.messages |= second.messages
        assert {role: ends[role].kept for role in Role} == kept
    assert ends[R].n_kept == 1


def test_a_redelivery_cut_is_delivered_again_as_often_as_it_takes() -> None:
    fresh, again, check = _certifying()
    ends = {role: _CountedEnds() for role in Role}
    lines = [_run(fresh, ends, 1, cut=ProtocolTag.DECODING_OPENING)]
    lines += [_run(again, ends, 2, cut=tag, arrives=True) for tag in _CERTIFICATION[-2:]]
    lines.append(_run(again, ends, 3))
    check(lines[-1])
    for tag in _CERTIFICATION[-2:]:
        assert len({line.messages[tag] for line in lines if tag in line.messages}) == 1
    assert kept_nonce(ends[M].kept) == NONCE


@pytest.mark.parametrize("name", ["certification", "verification"])
def test_an_answer_that_was_given_goes_again_as_it_was(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from a later version of the code, which would make another one."""
    fresh, again, check = _certifying() if name == "certification" else _verifying()
    ends = {role: _CountedEnds() for role in Role}
    first = _run(fresh, ends, 1, cut=ProtocolTag.LABELS_OPENING)
    monkeypatch.setattr(modelers_end, "label_bytes", lambda labels: bytes(16 * len(labels)))
    second = _run(again, ends, 2)
    check(second)
    tag = ProtocolTag.LABELS_OPENING
    assert second.messages[tag] == first.messages[tag] == ends[M].answer


def test_nothing_leaves_that_could_not_be_kept() -> None:
    """A disk that is full: the message whose end was to be kept stays here."""

    class Full(_CountedEnds):
        def keep(self, end: bytes) -> None:
            raise DecodeError("The disk is full.")

        def note_answering(self, answer: bytes, *, refuses: bool) -> None:
            raise DecodeError("The disk is full.")

    class FullLater(_CountedEnds):
        def note_answering(self, answer: bytes, *, refuses: bool) -> None:
            raise DecodeError("The disk is full.")

    fresh, _, _ = _certifying()
    for role, store, missing in (
        (M, Full(), ProtocolTag.PROOF_OPENING),
        (R, Full(), ProtocolTag.DECODING_OPENING),
        (M, FullLater(), ProtocolTag.LABELS_OPENING),
    ):
        ends = {role: store, role.peer: _CountedEnds()}
        line = _run(fresh, ends, 1)
        assert line.failures[role].code == "NOT_DECODABLE"
        assert missing not in line.messages
    verifying, _, _ = _verifying()
    for role, missing in ((M, ProtocolTag.END_COMMITMENTS), (R, ProtocolTag.LABELS_CALL)):
        line = _run(verifying, {role: Full(), role.peer: _CountedEnds()}, 1)
        assert missing not in line.messages


def test_kept_ends_are_read_as_they_were_written_and_no_other_bytes_are_one() -> None:
    fresh, _, _ = _certifying()
    ends = {role: _CountedEnds() for role in Role}
    _run(fresh, ends, 1)
    for role, kind in ((M, ModelerEnd), (R, RegulatorEnd)):
        kept: Any = kind.decode(ends[role].kept)
        assert kept.encode() == ends[role].kept
        assert "secret" in repr(kept)
        for broken in (b"", ends[role].kept[:-1], ends[role].kept + b"\0"):
            with pytest.raises(DecodeError):
                kind.decode(broken)
        with pytest.raises(DecodeError):
            kind.decode(ends[role].kept.replace(b"certification", b"certificatiom", 1))
