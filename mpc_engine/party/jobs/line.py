"""Opening the line of a job: the regulator listens, the modeler connects, both pinned."""

from __future__ import annotations

from mpc_engine.control.descriptor import PartyDescriptor
from mpc_engine.errors import ResourceError
from mpc_engine.party.party import Party
from mpc_engine.roles import Role
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.tls import connect, serve_once


def open_line(
    party: Party, peer: PartyDescriptor, session: bytes, *, wait_s: float, receive_limit_s: float
) -> Channel:
    """Return the channel to the other party for one attempt at a job.

    Raises TransportError subclasses if it does not come, ProtocolViolationError if it came for
    something else, ResourceError (``ADDRESS_IN_USE``) if this party cannot listen.
    """
    address = (party.config.host, party.config.port)
    opening = serve_once if party.role is Role.REGULATOR else connect
    try:
        return opening(
            address,
            party.keys.tls_identity,
            peer.tls_certificate,
            timeout_s=wait_s,
            session=session,
            recv_timeout_s=receive_limit_s,
        )
    except OSError:
        raise ResourceError(
            f"The party cannot listen on {party.config.address}; is another job running?",
            code="ADDRESS_IN_USE",
        ) from None
