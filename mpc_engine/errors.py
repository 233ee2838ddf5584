"""Errors of the engine, grouped by who is at fault.

::

    EngineError
    ├── UsageError                 the caller gave something unusable (data, model, configuration)
    │   ├── IntakeError            a submission that a party refuses, with a stable code
    │   └── SiteRefusalError       the site refuses what a client asked
    ├── PeerError                  the other party misbehaved or is broken
    │   ├── ProtocolViolationError  a message out of order, of the wrong type or size
    │   │   └── OtherSessionError  the other party came for another job
    │   ├── PeerRefusedError       the other party says by a code why it cannot run a job
    │   └── DecodeError            bytes that do not parse
    ├── TransportError             the line failed
    │   ├── PeerTimeoutError
    │   ├── ChannelClosedError
    │   └── PeerIdentityError      whoever is at the other end is not the pinned party
    ├── ResourceError              this machine lacks something (memory, disk, a slot)
    │   └── BusyError              another job comes first; this one is to be tried again
    └── CheckFailedError           a cryptographic check failed: nothing is decoded
        ├── OTConsistencyError
        ├── ForgedLabelError
        ├── SumMismatchError
        ├── BrokenPromiseError     the garbler's circuit gives what it did not promise
        ├── BrokenCommitmentError  something else was opened than had been committed to
        ├── DisputedError          the modeler stopped where only an audit says who is at fault
        ├── RefusedError           the modeler refused an outcome that it could see
        ├── ClosingDisagreedError  a closing's two runs differ: one party deviated, and it is final
        ├── InvalidSignatureError
        └── InvalidCertificateError

Each error carries a stable ``code`` and a plain ``sentence``; neither ever contains a secret.
"""

from __future__ import annotations

import errno
import sqlite3


class EngineError(Exception):
    """Base of all errors; ``code`` is stable, ``sentence`` is for people."""

    default_code = "ENGINE_ERROR"

    def __init__(self, sentence: str, *, code: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code or self.default_code


class UsageError(EngineError):
    """The caller gave something unusable; ``where`` is the path of the field at fault, if any."""

    default_code = "UNUSABLE_INPUT"

    def __init__(self, sentence: str, *, code: str | None = None, where: str = "") -> None:
        super().__init__(sentence, code=code)
        self.where = where


class IntakeError(UsageError):
    """A party refuses a submission."""

    default_code = "SUBMISSION_NOT_READABLE"


class PeerError(EngineError):
    """The other party misbehaved."""

    default_code = "PEER_MISBEHAVED"


class ProtocolViolationError(PeerError):
    """A message came out of order, of the wrong type or of the wrong size."""

    default_code = "PROTOCOL_VIOLATION"


class OtherSessionError(ProtocolViolationError):
    """The other party opened the line for another session; ``peer_session`` names it."""

    default_code = "OTHER_SESSION"

    def __init__(self, sentence: str, peer_session: bytes) -> None:
        super().__init__(sentence)
        self.peer_session = peer_session


class PeerRefusedError(PeerError):
    """The other party cannot run a job: ``peer_code`` says why, ``peer_holds`` what it holds."""

    default_code = "PEER_REFUSED"

    def __init__(self, sentence: str, peer_code: str, peer_holds: bytes) -> None:
        super().__init__(sentence)
        self.peer_code = peer_code
        self.peer_holds = peer_holds


class DecodeError(PeerError):
    """Bytes do not parse as what they should be."""

    default_code = "NOT_DECODABLE"


class TransportError(EngineError):
    """The line between the parties failed."""

    default_code = "TRANSPORT_FAILED"


class PeerTimeoutError(TransportError):
    """The other party did not answer in time."""

    default_code = "PEER_TIMEOUT"


class ChannelClosedError(TransportError):
    """The other party closed the line."""

    default_code = "CHANNEL_CLOSED"


class ResourceError(EngineError):
    """This machine lacks something."""

    default_code = "RESOURCE_MISSING"


class BusyError(ResourceError):
    """Another job comes first; nothing of this one has begun, and it is to be tried again."""

    default_code = "PARTY_BUSY"


class CheckFailedError(EngineError):
    """A cryptographic check failed; nothing was decoded."""

    default_code = "CHECK_FAILED"


class OTConsistencyError(CheckFailedError):
    """The receiver's columns in an OT extension are inconsistent."""

    default_code = "OT_INCONSISTENT"


class ForgedLabelError(CheckFailedError):
    """A returned output label is neither of the wire's two labels."""

    default_code = "FORGED_LABEL"


class SumMismatchError(CheckFailedError):
    """The sums that the modeler entered are not the sums it received."""

    default_code = "SUMS_ALTERED"


class BrokenPromiseError(CheckFailedError):
    """An output label that was evaluated is not the one that the garbler promised."""

    default_code = "PROMISE_BROKEN"


class BrokenCommitmentError(CheckFailedError):
    """What was opened is not what had been committed to."""

    default_code = "COMMITMENT_BROKEN"


class DisputedError(CheckFailedError):
    """The modeler stopped on what the regulator sent; only an audit says whose fault it was."""

    default_code = "DISPUTED"


class RefusedError(CheckFailedError):
    """The modeler could see the outcome and did not let the regulator have it."""

    default_code = "REFUSED"


class ClosingDisagreedError(CheckFailedError):
    """The parties opened different hashes of a closing; that is final for these envelopes."""

    default_code = "CLOSING_DISAGREED"


class InvalidSignatureError(CheckFailedError):
    """A signature does not verify."""

    default_code = "SIGNATURE_INVALID"


class InvalidCertificateError(CheckFailedError):
    """A certificate does not verify; the sentence names what does not match."""

    default_code = "CERTIFICATE_INVALID"


class SiteRefusalError(UsageError):
    """The site refuses a client's request; ``kept`` and ``next_step`` repeat its advice."""

    default_code = "SITE_REFUSED"

    def __init__(
        self,
        sentence: str,
        *,
        code: str | None = None,
        status: int = 0,
        kept: str = "",
        next_step: str = "",
    ) -> None:
        super().__init__(sentence, code=code)
        self.status = status
        self.kept = kept
        self.next_step = next_step


class PeerIdentityError(TransportError):
    """Whoever is at the other end of the line did not prove that it is the other party."""

    default_code = "PEER_NOT_AUTHENTICATED"


def cause_of(error: BaseException) -> str:
    """Return the system's own name of what went wrong (``ENOSPC``, ``SQLITE_FULL``), or ""."""
    if isinstance(error, sqlite3.Error):
        return str(getattr(error, "sqlite_errorname", ""))
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, "")
    return ""


def named(error: BaseException) -> str:
    """Return an error's kind and cause for a log: none of its text, which may hold values.

    Of an error that stands for another one (the broker's client raises such), that one's kind.
    """
    cause = cause_of(error)
    if not cause and error.__cause__ is not None:
        cause = type(error.__cause__).__name__
    return f"{type(error).__name__} ({cause})" if cause else type(error).__name__
