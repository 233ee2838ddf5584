"""A party's side of each prepared item: encrypted, bound, spent on disk before any use.

An item's row says READY or SPENT; its side lies beside it, sealed. Spending is one durable
transaction before the first message that depends on the item: whatever dies after it, the item is
lost and never used again. Sides of spent items are deleted when nobody waits.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from mpc_engine.control.files.certificate import Certificate, parse_certificate
from mpc_engine.control.texts.fields import format_time
from mpc_engine.crypto.digests import sha256
from mpc_engine.party.line.code_digest import code_digest
from mpc_engine.party.zone.database import note_deletion
from mpc_engine.party.zone.party import Party
from mpc_engine.party.zone.private_files import PRIVATE_FILE
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.roles import Role
from mpc_engine.wire.codec import length_prefixed

KEPT_FOR = timedelta(days=7)
MAX_CERTIFICATES = 32
"""The newest ones that are valid get a stock."""
_PLACE = "stock"
_LOCK_NAME = "stock.lock"
_LABEL = b"blindjustice/v1/stock/bound"


@dataclass(frozen=True)
class Binding:
    """What an item is for: it opens, and is offered, under exactly this."""

    certificate_id: bytes
    job_digest: bytes
    """What both parties bind the preparing session to: equal on both sides."""
    own: bytes
    """This with the party's epoch."""


def binding(party: Party, certificate: Certificate, spec: VerificationSpec) -> Binding:
    """Return what items for a certificate are bound to: parties, code, certificate, parameters."""
    keys = {party.role: party.keys.signing.public_bytes, party.role.peer: party.peer().signing_key}
    common = sha256(
        length_prefixed(
            _LABEL,
            keys[Role.MODELER],
            keys[Role.REGULATOR],
            code_digest(),
            certificate.certificate_id,
            certificate.model_signature,
            repr(spec).encode("ascii"),
        )
    )
    own = sha256(length_prefixed(_LABEL, common, party.stock_epoch.epoch_id))
    return Binding(certificate.certificate_id, common, own)


@contextmanager
def alone_at_the_stock(party: Party) -> Iterator[bool]:
    """Run a block as the only one that makes stock; False if another process or thread does.

    The lock is the kernel's: it ends with the process that holds it.
    """
    descriptor = os.open(party.config.data_dir / _LOCK_NAME, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        alone = True
    except BlockingIOError:
        alone = False
    try:
        yield alone
    finally:
        os.close(descriptor)


def valid_certificates(party: Party, connection: sqlite3.Connection) -> list[Certificate]:
    """Return the certificates that get a stock, newest last: in time, and not revoked."""
    rows = connection.execute(
        "SELECT text FROM certificates"
        " WHERE certificate_id NOT IN (SELECT certificate_id FROM revocations)"
    ).fetchall()
    now = party.now()
    found = [parse_certificate(row["text"]) for row in rows]
    valid = [one for one in found if one.valid_from <= now < one.valid_until]
    return sorted(valid, key=lambda one: (one.valid_from, one.certificate_id))[-MAX_CERTIFICATES:]


def keep(party: Party, bound: Binding, stock_id: bytes, side: bytes) -> None:
    """Write a side down, ready; on disk when it returns."""
    sealed = party.cipher.seal(_PLACE, (bound.own, stock_id), side)
    with party.database.transaction() as connection:
        connection.execute(
            "INSERT INTO stock (stock_id, certificate_id, bound, made_at, state)"
            " VALUES (?, ?, ?, ?, 'READY')",
            (stock_id, bound.certificate_id, bound.own, format_time(party.now())),
        )
        connection.execute(
            "INSERT INTO stock_sides (stock_id, sealed) VALUES (?, ?)", (stock_id, sealed)
        )


def ready_items(party: Party, connection: sqlite3.Connection, bound: Binding) -> list[bytes]:
    """Return the ids of the items that could be used now, in the order in which they are used."""
    rows = connection.execute(
        "SELECT stock_id FROM stock WHERE certificate_id = ? AND bound = ? AND state = 'READY'"
        " AND number > ? AND made_at > ? ORDER BY number",
        (
            bound.certificate_id,
            bound.own,
            party.stock_epoch.last_used(bound.certificate_id),
            format_time(_oldest(party)),
        ),
    ).fetchall()
    return [bytes(row["stock_id"]) for row in rows]


def spend_item(party: Party, bound: Binding, stock_id: bytes) -> bytes | None:
    """Mark an item as spent, on disk when it returns; return the side, None if it can't be used.

    Raises CheckFailedError (``STORE_ALTERED``) for a side that does not open; it is spent as well.
    """
    with party.database.transaction() as connection:
        row = connection.execute(
            "SELECT number, sealed FROM stock JOIN stock_sides USING (stock_id)"
            " WHERE stock_id = ? AND bound = ? AND state = 'READY'",
            (stock_id, bound.own),
        ).fetchone()
        if row is None or not party.stock_epoch.claim(bound.certificate_id, row["number"]):
            return None
        connection.execute("UPDATE stock SET state = 'SPENT' WHERE stock_id = ?", (stock_id,))
    return party.cipher.open(_PLACE, (bound.own, stock_id), row["sealed"])


def forget_useless(party: Party, connection: sqlite3.Connection) -> None:
    """Delete what no verification can use any more: spent, behind the mark, old, or not valid."""
    valid = [one.certificate_id for one in valid_certificates(party, connection)]
    marks = ", ".join("?" * len(valid))
    connection.execute(
        f"UPDATE stock SET state = 'SPENT' WHERE made_at <= ? OR certificate_id NOT IN ({marks})",
        (format_time(_oldest(party)), *valid),
    )
    connection.executemany(
        "UPDATE stock SET state = 'SPENT' WHERE certificate_id = ? AND number <= ?",
        [(one, party.stock_epoch.last_used(one)) for one in valid],
    )
    _delete_spent(connection)


def forget_others(connection: sqlite3.Connection, bound: Binding, common: set[bytes]) -> None:
    """Delete a certificate's items that the other party lacks, or that are bound otherwise."""
    rows = connection.execute(
        "SELECT stock_id, bound FROM stock WHERE certificate_id = ? AND state = 'READY'",
        (bound.certificate_id,),
    ).fetchall()
    lost = [row["stock_id"] for row in rows if row["stock_id"] not in common]
    connection.executemany(
        "UPDATE stock SET state = 'SPENT' WHERE stock_id = ?", [(stock_id,) for stock_id in lost]
    )
    _delete_spent(connection)


def forget_all(party: Party) -> None:
    """Delete every item: an epoch begins, and what an earlier one made can't be used."""
    with party.database.transaction() as connection:
        connection.execute("UPDATE stock SET state = 'SPENT'")
        _delete_spent(connection)


def forget_spent(party: Party) -> None:
    """Delete the sides of spent items."""
    with party.database.transaction(durable=False) as connection:
        _delete_spent(connection)


def stored_bytes(connection: sqlite3.Connection) -> int:
    """Return how many bytes all sides take."""
    (total,) = connection.execute(
        "SELECT COALESCE(SUM(LENGTH(sealed)), 0) FROM stock_sides"
    ).fetchone()
    return int(total)


def _delete_spent(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM stock WHERE state = 'SPENT'")
    gone = connection.execute(
        "DELETE FROM stock_sides WHERE stock_id NOT IN (SELECT stock_id FROM stock)"
    )
    if gone.rowcount:
        note_deletion(connection)


def _oldest(party: Party) -> datetime:
    return party.now() - KEPT_FOR
