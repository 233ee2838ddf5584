"""What the runner asks of each kind of job."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from mpc_engine.control.post.exchanges.about_jobs import RunJob
from mpc_engine.control.post.jobs import JobSpec
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.crypto.signatures import verify_ed25519
from mpc_engine.errors import EngineError, ResourceError
from mpc_engine.party.jobs.protocol_table import ProtocolTable
from mpc_engine.party.studies.known_study import Study
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.keeping import EndTerms, Signatures
from mpc_engine.protocols.session import JobContext


@dataclass(frozen=True)
class Costs:
    """Public counts that only the protocol knows."""

    and_gates: int = 0
    ots: int = 0


@dataclass(frozen=True, repr=False)
class JobRun:
    """One attempt at a job, as its work sees it."""

    party: Party
    spec: JobSpec
    order: RunJob
    study: Study
    table: ProtocolTable


Conclude = Callable[[Callable[[sqlite3.Connection], JsonObject], Costs], None]
"""Runs a function in the transaction that also reports its outcome as the job's result."""


def signatures_of(party: Party) -> Signatures:
    """Return how a party signs an end, and checks the other's signatures.

    They are checked by the key in the other party's descriptor, which its operator handed over.
    """
    peer = party.peer().signing_key
    return Signatures(
        sign=party.keys.signing.sign,
        verify=lambda message, signature: verify_ed25519(peer, message, signature),
    )


class JobWork(ABC):
    """One kind of job. The runner calls ``prepare``, then ``perform``, or else ``give_up``.

    ``n_lines``: 2 where material is made on a line of its own, beside the job's first.
    ``is_over``: whether an attempt that failed ended what it is about for good.
    ``clock_limit``: how far apart both parties' clocks may be when they meet, where it matters.
    """

    n_lines: ClassVar[int] = 1
    clock_limit: ClassVar[timedelta | None] = None

    def __init__(self, run: JobRun) -> None:
        self.run = run
        self.party = run.party
        self.spec = run.spec
        self.configuration = run.study.configuration
        self.is_over = False

    @property
    def holds(self) -> bytes:
        """Return the outcome held from an earlier attempt, to be compared with the peer's."""
        return b""

    def end_terms(self, job_digest: bytes) -> EndTerms | None:
        """Return how the end of this run is signed and kept; None where a protocol has no end."""
        return None

    def require_signing_key(self) -> None:
        """Raise ResourceError (``SIGNING_KEY_OTHER``) unless the study names the key in use.

        Whatever this party signs at the end of the job would not verify.
        """
        named = self.configuration.party(self.party.role).signing_key
        if self.party.keys.signing.public_bytes != named:
            raise ResourceError(
                f"The {self.party.role.value}'s party signs with another key than the study's "
                "configuration names, so what it signs does not count. Its operator puts the "
                "earlier signing.key back.",
                code="SIGNING_KEY_OTHER",
            )

    @abstractmethod
    def prepare(self) -> None:
        """Load and check this party's inputs; an EngineError is told to the peer by its code."""

    @abstractmethod
    def perform(self, ctx: JobContext, peer_holds: bytes, conclude: Conclude) -> None:
        """Run the protocol and call ``conclude`` once its outcome is this party's to report."""

    def give_up(self, connection: sqlite3.Connection, error: EngineError) -> JsonObject | None:
        """Undo what ``prepare`` did, in the transaction that reports the failure.

        An outcome, if returned, is reported in place of the failure.
        """
        return None

    def reported(self, error: EngineError) -> EngineError:
        """Return what a failed attempt is reported as, once ``give_up`` was called with it."""
        return error

    def afterwards(self) -> None:
        """Tidy up once an end is reported; most kinds of job leave nothing behind."""
        return
