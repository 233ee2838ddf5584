"""A seeded run of every protocol sends, byte for byte, what it always sent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from mpc_engine.party.line.tags import PartyTag
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.frame import encode_header
from mpc_engine.transport.tags import MessageTag
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.rates import RateName
from tests.engine.traces.kept import DIGESTS, RUNS, recorded
from tests.engine.traces.protocol_runs import RATES_TRACED
from tests.engine.traces.recording import Recorder

_OF_RUNS = cache(recorded)


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    """Let go of the frames when the module ends."""
    yield
    _OF_RUNS.cache_clear()


@pytest.mark.parametrize("name", RUNS)
def test_a_run_sends_the_bytes_it_always_sent(name: str) -> None:
    assert _OF_RUNS(name).digests() == DIGESTS[name]


def test_no_digest_is_kept_without_its_run() -> None:
    assert list(DIGESTS) == list(RUNS)


def test_a_criterion_of_each_rate_is_traced() -> None:
    traced = {rate for name in CriterionName if name in RATES_TRACED for rate in name.rates}
    assert traced == set(RateName)


def test_both_parties_speak_in_every_run() -> None:
    for name, ways in DIGESTS.items():
        assert {way.partition(",")[0] for way in ways} == {
            "modeler to regulator",
            "regulator to modeler",
        }, name


@pytest.mark.slow
def test_every_message_there_is_occurs_in_some_run() -> None:
    found = set().union(*(_OF_RUNS(name).tags() for name in RUNS))
    known = {*MessageTag, *OpTag, *ProtocolTag, *PartyTag}
    assert sorted(hex(tag) for tag in known - found) == []
    assert found <= known


def test_any_other_byte_number_or_order_of_frames_is_another_trace() -> None:
    def digests(*payloads: bytes) -> object:
        recorder = Recorder()
        for payload in payloads:
            recorder.tap(Role.MODELER)(encode_header(0xF001, len(payload)) + payload)
        return recorder.digests()

    assert digests(b"ab", b"c") == digests(b"ab", b"c")
    others = [digests(b"ab"), digests(b"ab", b"d"), digests(b"c", b"ab"), digests(b"a", b"bc")]
    assert all(other != digests(b"ab", b"c") for other in others)
