"""A closing that one side attacks: what each side sent, kept, returned and raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.commitments import COMMITMENT_BYTES
from mpc_engine.errors import EngineError
from mpc_engine.protocols.closing.protocol import ClosingOutcome, run_closing
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.ends import MemoryPart, closing_terms
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from tests.builders.held_shares import layout_by_file, listed_shares
from tests.engine.protocols.running import job_context

M, R = Role.MODELER, Role.REGULATOR
CATEGORIES = 3
_LIMIT_S = 500.0
"""The first closing of a process compiles its kernels: minutes, where others use the machine."""
LAYOUT = layout_by_file(CATEGORIES)
CHOSEN = (2, 0, 1)
"""The category that each of three people chose."""
ANSWERS: NDArray[np.uint8] = one_hot(np.array(CHOSEN)[:, None], (CATEGORIES,))


def held(seed: int = 5) -> dict[Role, HeldRecords]:
    """Return what each party holds of the three people."""
    return dict(zip(Role, deal_records(ANSWERS, None, seeded_randomness(seed)), strict=True))


class ClosingRun:
    """One closing: what each side returned or raised, the frames it sent, and what it kept."""

    def __init__(
        self,
        records: dict[Role, HeldRecords] | None = None,
        parts: dict[Role, MemoryPart] | None = None,
        seed: int = 1,
    ) -> None:
        self.frames: dict[Role, list[bytes]] = {role: [] for role in Role}
        self.parts = parts or {role: MemoryPart() for role in Role}
        self.failures: dict[Role, EngineError] = {}
        self.results: dict[Role, ClosingOutcome] = {}
        self.records = records or held()
        pair = memory_channel_pair(
            timeout_s=_LIMIT_S,
            tap_a=lambda frame: self.frames[M].append(bytes(frame)),
            tap_b=lambda frame: self.frames[R].append(bytes(frame)),
        )

        def side(role: Role) -> Callable[[Any], None]:
            def run(channel: Any) -> None:
                try:
                    self.results[role] = self._play(job_context(role, channel, seed))
                except EngineError as error:
                    self.failures[role] = error
                    channel.close()

            return run

        run_two_parties(side(M), side(R), channels=pair, timeout_s=_LIMIT_S)

    def _play(self, ctx: JobContext) -> ClosingOutcome:
        shares = listed_shares(self.records[ctx.role])
        terms = closing_terms(ctx.role, self.parts[ctx.role])
        return run_closing(ctx, LAYOUT, shares, set(), terms)

    def sent(self, role: Role, tag: int) -> list[bytes]:
        """Return the payloads that a side sent under a tag."""
        return [
            frame[HEADER_BYTES:]
            for frame in self.frames[role]
            if decode_header(frame[:HEADER_BYTES]).tag == tag
        ]

    def opened(self, role: Role) -> bytes:
        """Return the hash that a side opened, empty if it opened none."""
        messages = self.sent(role, ProtocolTag.CLOSING_OPENING)
        return messages[0][:COMMITMENT_BYTES] if messages else b""

    def code(self, role: Role) -> str:
        """Return the code of what ended a side; empty if it ended well."""
        failure = self.failures.get(role)
        return "" if failure is None else failure.code

    def codes(self) -> set[str]:
        """Return the codes of both sides."""
        return {self.code(role) for role in Role}
