"""A run whose end is attacked: what each side sent, kept, returned and raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mpc_engine.errors import EngineError
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.ending import purposes
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.verification.protocol import verify_as_modeler, verify_as_regulator
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.ends import MemoryEnds
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from tests.engine.hostile.ending_cases import (
    CHALLENGE,
    CHALLENGED,
    COVARIANCE,
    HELD,
    NONCE,
    RATES,
    SIGNATURE,
    THETA,
)
from tests.engine.protocols.running import job_context

M, R = Role.MODELER, Role.REGULATOR


class Run:
    """One run: what each side returned or raised, the frames it sent, and what it kept."""

    def __init__(self, spec: CertificationSpec | VerificationSpec, seed: int = 1) -> None:
        self.frames: dict[Role, list[bytes]] = {role: [] for role in Role}
        self.ends = {role: MemoryEnds() for role in Role}
        self.failures: dict[Role, EngineError] = {}
        self.results: dict[Role, Any] = {}
        pair = memory_channel_pair(
            tap_a=lambda frame: self.frames[M].append(bytes(frame)),
            tap_b=lambda frame: self.frames[R].append(bytes(frame)),
        )

        def side(role: Role) -> Callable[[Any], None]:
            def run(channel: Any) -> None:
                ctx = job_context(role, channel, seed, self.ends[role])
                try:
                    self.results[role] = _play(ctx, spec)
                except EngineError as error:
                    self.failures[role] = error
                    channel.close()

            return run

        run_two_parties(side(M), side(R), channels=pair)

    def sent(self, role: Role, tag: int) -> list[bytes]:
        """Return the payloads that a side sent under a tag."""
        frames = self.frames[role]
        return [
            frame[HEADER_BYTES:]
            for frame in frames
            if decode_header(frame[:HEADER_BYTES]).tag == tag
        ]

    def code(self, role: Role) -> str:
        """Return the code of what ended a side; empty if it ended well."""
        failure = self.failures.get(role)
        return "" if failure is None else failure.code


def _play(ctx: Any, spec: CertificationSpec | VerificationSpec) -> Any:
    if isinstance(spec, VerificationSpec):
        if ctx.role is M:
            return verify_as_modeler(ctx, spec, THETA, NONCE, len(CHALLENGE))
        return verify_as_regulator(ctx, spec, SIGNATURE, CHALLENGE)
    if ctx.role is M:
        return certify_as_modeler(ctx, spec, HELD[0], THETA, NONCE)
    return certify_as_regulator(ctx, spec, HELD[1])


EVERY_KIND = pytest.mark.parametrize(
    "spec", [COVARIANCE, RATES, CHALLENGED], ids=["covariance", "rates", "verification"]
)


def require_nothing_told(run: Run) -> None:
    """The modeler told no label, and no proof but under a commitment."""
    assert not run.sent(M, ProtocolTag.LABELS_OPENING)
    for message in run.sent(M, ProtocolTag.PROOF_OPENING):
        assert message[:1] == purposes.STOPS
        assert not any(message[1:-64])
    assert not run.ends[M].is_answering
