"""Opening the lines of a job: the regulator listens, the modeler connects, both pinned.

If the parties come for different jobs at one moment, the one whose job has the greater name gives
way and the other one waits on: both follow one order, so no two jobs wait for each other for ever.
"""

from __future__ import annotations

import time

from mpc_engine.control.files.descriptor import PartyDescriptor
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import BusyError, OtherSessionError, ResourceError
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role
from mpc_engine.transport.channel import StreamChannel
from mpc_engine.transport.tls import connect_lines, serve_lines

_MEET_AGAIN_S = 0.05
_MEETING_S = 10.0
"""How long a meeting (`party.worker.line_check`) may take the regulator's address at most."""
_WORKER_LINES_S = 30.0
_WORKER_LABEL = b"blindjustice/v1/party/share-lines"
_FIRST = bytes(4)


def open_lines(
    party: Party,
    peer: PartyDescriptor,
    session: bytes,
    n_lines: int,
    *,
    wait_s: float,
    receive_limit_s: float,
) -> list[StreamChannel]:
    """Return the channels to the other party for one attempt at a job, in their order.

    Raises TransportError subclasses if it does not come, ProtocolViolationError if it misbehaves,
    BusyError if another job comes first (``PARTY_BUSY``) or the regulator's party cannot listen
    because another job of it does (``ADDRESS_IN_USE``).
    """
    address = (party.config.host, party.config.port)
    opening = serve_lines if party.role is Role.REGULATOR else connect_lines
    begun = time.monotonic()
    deadline = begun + wait_s
    while True:
        try:
            return opening(
                address,
                party.keys.tls_identity,
                peer.tls_certificate,
                n_lines,
                timeout_s=max(0.001, deadline - time.monotonic()),
                session=session,
                recv_timeout_s=receive_limit_s,
            )
        except OtherSessionError as error:
            if session > error.peer_session:
                raise BusyError("The other party came for a job that comes first.") from None
            time.sleep(_MEET_AGAIN_S)
        except OSError:
            if time.monotonic() + _MEET_AGAIN_S < min(deadline, begun + _MEETING_S):
                time.sleep(_MEET_AGAIN_S)
                continue
            raise BusyError(
                f"The party cannot listen on {party.config.address}; is another job running?",
                code="ADDRESS_IN_USE",
            ) from None


def open_worker_lines(
    party: Party,
    peer: PartyDescriptor,
    attempt: bytes,
    n_lines: int,
    *,
    wait_s: float,
    receive_limit_s: float,
) -> list[StreamChannel]:
    """Return further lines of an attempt that runs, whose ``attempt`` digest both parties know.

    Their name comes before every attempt's, so that whoever only waits for a job to begin gives way
    to one that has begun. Errors as of `open_lines`, but ResourceError in place of BusyError, since
    an attempt that has begun is not put off; they are waited for half a minute at most.
    """
    session = _FIRST + sha256(_WORKER_LABEL + attempt)[len(_FIRST) :]
    deadline = time.monotonic() + min(wait_s, _WORKER_LINES_S)
    while True:
        try:
            return open_lines(
                party,
                peer,
                session,
                n_lines,
                wait_s=max(0.001, deadline - time.monotonic()),
                receive_limit_s=receive_limit_s,
            )
        except BusyError as error:
            if time.monotonic() >= deadline:
                raise ResourceError(error.sentence, code=error.code) from None
            time.sleep(_MEET_AGAIN_S)
