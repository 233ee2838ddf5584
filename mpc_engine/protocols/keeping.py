"""What a protocol's end needs of its party: signatures of both, and a place on disk.

Certifications and verifications have one kind of end, closings another.

The protocols know neither keys nor files; a `session.JobContext` hands these in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mpc_engine.sharing.records import HeldRecords


@dataclass(frozen=True, repr=False)
class Signatures:
    """How a party signs, and how it checks what the other one signed.

    ``sign(message)`` returns 64 bytes, the same ones each time; ``verify(message, signature)``
    raises InvalidSignatureError.
    """

    sign: Callable[[bytes], bytes]
    verify: Callable[[bytes, bytes], None]


class EndStore(Protocol):
    """Where a party keeps its part of an end, so that it can be delivered again after a break.

    What is kept is secret. Each method returns when its change is on disk, and raises if it cannot
    be: then the message that would follow is not sent.
    """

    def keep(self, end: bytes) -> None:
        """Keep this end in place of an earlier attempt's.

        At the regulator this is what charges the question: from here on no fresh session of it
        begins. At the modeler one may until `note_answering`.
        """
        ...

    def note_answering(self, answer: bytes, *, refuses: bool) -> None:
        """Keep the modeler's last message, which is about to leave; no fresh session from here on.

        ``answer``: its bytes, which are all that ever goes out again; ``refuses``: what it says.
        """
        ...


@dataclass(frozen=True, repr=False)
class EndTerms:
    """What a job hands to a protocol for its end."""

    signatures: Signatures
    store: EndStore


class ClosingStore(Protocol):
    """Where a party keeps its part of the equality that ends a closing.

    What is kept is secret until it is opened. Each method returns when its change is on disk, and
    raises if it cannot be: then the message that would follow is not sent.
    """

    def keep(self, part: bytes, records: HeldRecords) -> None:
        """Keep this run's part in place of an earlier run's, before the commitment leaves.

        ``records``: all on both lists, whatever was evaluated of them: the other side sees how long
        this takes. Raises if a part of this closing was opened before.
        """
        ...

    def note_opening(self, part: bytes) -> None:
        """Keep the part with this side's opening, before it leaves; no fresh run from here on."""
        ...


@dataclass(frozen=True, repr=False)
class ClosingTerms:
    """What a job hands to a closing for its equality."""

    signatures: Signatures
    store: ClosingStore
