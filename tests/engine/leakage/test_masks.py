"""Every mask is drawn afresh: of entered bits, of OT answers, of sessions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.protocols import session
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from mpc_engine.transport.tags import MessageTag
from tests.builders.certification_specs import SMALL_SPEC
from tests.engine.protocols.both_sides import certify_on_both_sides
from tests.engine.protocols.running import run_protocol


def test_bits_that_the_modeler_enters_late_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    masks: list[NDArray[np.uint8]] = []
    honest = session.send_late_bits

    def recording(channel: Any, bits: NDArray[np.uint8], random_bits: NDArray[np.uint8]) -> None:
        masks.append(random_bits)
        honest(channel, bits, random_bits)

    monkeypatch.setattr(session, "send_late_bits", recording)
    choices = np.array([[0], [0], [1], [1]])
    modeler, regulator = deal_records(
        one_hot(choices, (3,)), np.arange(4)[:, None], seeded_randomness(9)
    )
    for seed in (1, 2):
        certify_on_both_sides(SMALL_SPEC, modeler, regulator, [5, 1], seed=seed)
    first, second = masks
    assert 0.2 < first.mean() < 0.8
    assert 0.2 < (first ^ second).mean() < 0.8


def test_the_answer_to_an_ot_challenge_is_masked() -> None:
    """For choices that are all zero, what hides them is all that the answer's first block holds."""
    answers: list[bytes] = []

    def look(frame: bytes) -> None:
        if decode_header(frame[:HEADER_BYTES]).tag == MessageTag.OT_CHECK:
            answers.append(frame[HEADER_BYTES : HEADER_BYTES + 16])

    hash_ = TweakedHash(bytes(16))

    def receiver(channel: Any) -> None:
        ot = RandomOTReceiver(channel, b"session", seeded_randomness(1), hash_)
        for _ in range(2):
            ot.extend(np.zeros(256, dtype=np.uint8))

    def sender(channel: Any) -> None:
        ot = RandomOTSender(channel, b"session", seeded_randomness(2), hash_)
        for _ in range(2):
            ot.extend(256)

    run_two_parties(receiver, sender, channels=memory_channel_pair(tap_a=look))
    assert len({bytes(16), *answers}) == 3


def test_every_session_has_keys_of_its_own() -> None:
    sessions = [run_protocol(EvaluatorSession, GarblerSession, seed) for seed in (1, 2)]
    (first_m, first_r), (second_m, second_r) = sessions
    assert (first_m.hash.round_keys == first_r.hash.round_keys).all()
    assert not (first_r.hash.round_keys == second_r.hash.round_keys).any()
    assert not (first_r.delta == second_r.delta).any()
    assert not (first_m.hash.round_keys == second_m.hash.round_keys).any()
