"""What two parties say around a protocol: hellos and the certificate's signatures, damaged."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.texts.canonical import canonical_bytes
from mpc_engine.errors import CheckFailedError, DecodeError, PeerError, UsageError
from mpc_engine.party.jobs.certificate_exchange import (
    SignedCertificate,
    check_certificate_fields,
    countersign_certificate,
    offer_certificate,
)
from mpc_engine.party.line.handshake import own_hello, shake_hands
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.transport.channel import StreamChannel
from tests.engine.hostile.mutations import (
    damaged,
    damaged_json,
    fuzzing,
    json_text,
    read_or_refuse,
)
from tests.engine.hostile.specimens import CERTIFICATE, DIGEST, JOBS, SIGNATURES, STUDY, M, R

_NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
_HELLOS = {
    role: own_hello(role, JOBS[0], 1, DIGEST, refusal="", holds=b"\1" * 16, now=_NOW)
    for role in Role
}


def _said(payload: bytes, tag: PartyTag) -> tuple[StreamChannel, StreamChannel]:
    """Return a channel on which ``payload`` has arrived, and the peer's end."""
    own, peer = memory_channel_pair(timeout_s=5.0)
    peer.send(tag, payload)
    return own, peer


def _true_hello() -> bytes:
    own, peer = _said(b"{}", PartyTag.HELLO)
    read_or_refuse(lambda: shake_hands(own, _HELLOS[Role.REGULATOR], seeded_randomness(2)))
    return peer.recv(PartyTag.HELLO)


_HELLO = _true_hello()
_OFFER = canonical_bytes({"certificate": CERTIFICATE, "signature": SIGNATURES[1].hex()})
_ANSWER = canonical_bytes({"signature": SIGNATURES[0].hex()})


def _either(valid: bytes) -> st.SearchStrategy[bytes]:
    return damaged(valid, [_HELLO, _OFFER, _ANSWER]) | damaged_json(json.loads(valid)).map(
        lambda value: json_text(value).encode("utf-8", "surrogatepass")
    )


@pytest.mark.slow
@fuzzing(150)
@given(_either(_HELLO))
def test_a_damaged_hello_ends_typed_or_agrees_on_the_same_job(hello: bytes) -> None:
    own, _ = _said(hello, PartyTag.HELLO)
    agreement = read_or_refuse(
        lambda: shake_hands(own, _HELLOS[Role.MODELER], seeded_randomness(1)), PeerError
    )
    if agreement is not None:
        stated = json.loads(hello)
        assert stated["attempt"] == _HELLOS[Role.MODELER].attempt.hex()
        assert stated["code"] == DIGEST.hex()
        assert stated["holds"] == agreement.peer_holds.hex()


@fuzzing(100)
@given(_either(_OFFER))
def test_a_damaged_certificate_is_not_countersigned(offer: bytes) -> None:
    own, peer = _said(offer, PartyTag.CERTIFICATE)
    stored: list[SignedCertificate] = []
    signed: Any = read_or_refuse(
        lambda: countersign_certificate(
            own,
            M,
            lambda certificate: check_certificate_fields(certificate, STUDY, {}),
            STUDY,
            stored.append,
        ),
        UsageError,
        DecodeError,
        CheckFailedError,
    )
    answer = json.loads(peer.recv(PartyTag.CERTIFICATE_ANSWER))
    assert (signed is None) == (offer != _OFFER) == (not stored) == ("refusal" in answer)


@fuzzing(100)
@given(_either(_ANSWER))
def test_a_damaged_countersignature_is_not_taken(answer: bytes) -> None:
    own, _ = _said(answer, PartyTag.CERTIFICATE_ANSWER)
    signed = read_or_refuse(
        lambda: offer_certificate(own, CERTIFICATE, R, STUDY),
        UsageError,
        PeerError,
        CheckFailedError,
    )
    assert (signed is not None) == (answer == _ANSWER)
