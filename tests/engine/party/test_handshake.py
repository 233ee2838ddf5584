from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mpc_engine.control.texts.canonical import JsonObject, canonical_bytes
from mpc_engine.errors import PeerError, ProtocolViolationError, ResourceError
from mpc_engine.params import PROTOCOL_VERSION
from mpc_engine.party.line.handshake import Agreement, Hello, own_hello, shake_hands
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.roles import Role
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel

M, R = Role.MODELER, Role.REGULATOR
NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def _hello(role: Role, **changes: Any) -> Hello:
    hello = own_hello(role, "spec", 0, b"c" * 32, refusal="", holds=b"", now=NOW)
    return replace(hello, **changes)


def _meet(modeler: Hello, regulator: Hello, seed: int = 0) -> tuple[Agreement, Agreement]:
    return run_two_parties(
        lambda channel: shake_hands(channel, modeler, seeded_randomness(2 * seed)),
        lambda channel: shake_hands(channel, regulator, seeded_randomness(2 * seed + 1)),
    )


def test_both_agree_on_a_digest_that_is_fresh_every_time() -> None:
    first, again = _meet(_hello(M), _hello(R)), _meet(_hello(M), _hello(R), seed=1)
    assert first[0].job_digest == first[1].job_digest
    assert first[0].job_digest != again[0].job_digest


def test_each_learns_what_the_other_holds() -> None:
    modeler, regulator = _meet(_hello(M, holds=b"m" * 32), _hello(R, holds=b"r" * 32))
    assert (modeler.peer_holds, regulator.peer_holds) == (b"r" * 32, b"m" * 32)


def test_the_smaller_number_of_workers_holds_at_both() -> None:
    modeler, regulator = _meet(_hello(M, workers=3), _hello(R, workers=2))
    assert modeler.workers == regulator.workers == 2


@pytest.mark.parametrize("ahead", [M, R])
@pytest.mark.parametrize(("apart_ms", "limit_s"), [(60_000, 60), (60_001, 60), (60_001, None)])
def test_clocks_are_compared_where_they_matter(
    ahead: Role, apart_ms: int, limit_s: int | None
) -> None:
    hellos = {role: _hello(role) for role in Role}
    hellos[ahead] = replace(hellos[ahead], time_ms=hellos[ahead].time_ms + apart_ms)
    limit = None if limit_s is None else timedelta(seconds=limit_s)

    def meet(channel: Channel, role: Role) -> str:
        try:
            shake_hands(channel, hellos[role], seeded_randomness(1), clock_limit=limit)
        except ResourceError as error:
            return error.code
        return ""

    codes = run_two_parties(lambda channel: meet(channel, M), lambda channel: meet(channel, R))
    too_far = limit_s is not None and apart_ms > 1000 * limit_s
    assert set(codes) == ({"CLOCKS_DIFFER"} if too_far else {""})


@pytest.mark.parametrize(
    ("other", "code"),
    [
        (_hello(R, attempt=b"x" * 32), "OTHER_JOB"),
        (_hello(M), "OTHER_JOB"),
        (_hello(R, code=b"x" * 32), "OTHER_CODE"),
    ],
)
def test_another_job_role_or_code_is_refused(other: Hello, code: str) -> None:
    with pytest.raises(ProtocolViolationError) as caught:
        _meet(_hello(M), other)
    assert caught.value.code == code


def test_a_refusal_is_told_by_its_code() -> None:
    with pytest.raises(PeerError, match="MODEL_UNKNOWN") as caught:
        _meet(_hello(M), _hello(R, refusal="MODEL_UNKNOWN"))
    assert caught.value.code == "PEER_REFUSED"


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"\xff", canonical_bytes({"format": "bj2 hello", "protocol": "bj1"})]
)
def test_a_broken_hello_is_the_peers_fault(data: bytes) -> None:
    with pytest.raises(ProtocolViolationError):
        run_two_parties(
            lambda channel: channel.send(PartyTag.HELLO, data),
            lambda channel: shake_hands(channel, _hello(R), seeded_randomness(1)),
        )


@pytest.mark.parametrize(
    ("protocol", "code", "expected"),
    [("bj0", b"c", "OTHER_VERSION"), (PROTOCOL_VERSION, b"x", "OTHER_CODE")],
)
def test_of_another_version_or_code_nothing_more_is_read(
    protocol: str, code: bytes, expected: str
) -> None:
    told: JsonObject = {
        "format": "bj2 hello",
        "protocol": protocol,
        "code": (code * 32).hex(),
        "new": 1,
    }
    with pytest.raises(ProtocolViolationError) as caught:
        run_two_parties(
            lambda channel: channel.send(PartyTag.HELLO, canonical_bytes(told)),
            lambda channel: shake_hands(channel, _hello(R), seeded_randomness(1)),
        )
    assert caught.value.code == expected
