"""Two real TLS channels over loopback, for tests and benchmarks."""

from __future__ import annotations

import datetime
import socket
import threading
from pathlib import Path

from mpc_engine.transport.certificates import make_self_signed
from mpc_engine.transport.channel import DEFAULT_TIMEOUT_S, StreamChannel
from mpc_engine.transport.tls import TLSIdentity, TLSListener, connect

LOOPBACK = ("127.0.0.1", 0)
_OPENING_S = 10.0


def has_ipv6() -> bool:
    """Return whether this machine can listen at its IPv6 loopback address."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def write_identity(directory: Path, name: str) -> tuple[TLSIdentity, str]:
    """Write a fresh certificate and key under ``directory``; return paths and certificate PEM."""
    certificate, key = make_self_signed(name, datetime.datetime.now(datetime.UTC))
    identity = TLSIdentity(directory / f"{name}.crt", directory / f"{name}.key")
    identity.certificate_path.write_bytes(certificate)
    identity.key_path.write_bytes(key)
    return identity, certificate.decode("ascii")


def tls_channel_pair(
    directory: Path, *, timeout_s: float = DEFAULT_TIMEOUT_S
) -> tuple[StreamChannel, StreamChannel]:
    """Return the server's and the client's channel of one fresh loopback line."""
    server_identity, server_pem = write_identity(directory, "server")
    client_identity, client_pem = write_identity(directory, "client")
    accepted: list[StreamChannel] = []
    with TLSListener(LOOPBACK, server_identity, client_pem) as listener:

        def accept() -> None:
            accepted.append(listener.accept(timeout_s=_OPENING_S, recv_timeout_s=timeout_s))

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        client = connect(
            listener.address,
            client_identity,
            server_pem,
            timeout_s=_OPENING_S,
            recv_timeout_s=timeout_s,
        )
        thread.join(_OPENING_S)
    return accepted[0], client
