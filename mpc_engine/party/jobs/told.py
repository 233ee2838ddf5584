"""What a party told of its jobs, kept: it is told again when the web asks for an ended attempt.

A broker that loses what it holds may lose a result that a party has handed over. The web sends the
order again as long as it has no result; the same signed words count once there.
"""

from __future__ import annotations

import sqlite3

from mpc_engine.control.post.declarations import Content
from mpc_engine.errors import UsageError
from mpc_engine.party.zone.party import Party

ATTEMPT_REPEATED = "ATTEMPT_REPEATED"


def tell_of_job(
    party: Party,
    connection: sqlite3.Connection,
    job_id: bytes,
    content: Content,
) -> None:
    """Sign a message about a job, store it to be sent, and keep it to be told again."""
    body, signature = party.outbox.add(connection, content)
    connection.execute(
        "INSERT INTO told (job_id, body, signature) VALUES (?, ?, ?)", (job_id, body, signature)
    )


def tell_again(party: Party, job_id: bytes, attempt: int) -> bool:
    """Tell all of a job again if this attempt has ended; return whether it had.

    Raises UsageError (``ATTEMPT_REPEATED``) while it runs.
    """
    with party.database.transaction() as connection:
        known = connection.execute(
            "SELECT state FROM attempts WHERE job_id = ? AND attempt = ?", (job_id, attempt)
        ).fetchone()
        if known is None:
            return False
        if known["state"] == "RUNNING":
            raise UsageError("This attempt is being made.", code=ATTEMPT_REPEATED)
        rows = connection.execute(
            "SELECT body, signature FROM told WHERE job_id = ? ORDER BY number", (job_id,)
        ).fetchall()
        for row in rows:
            party.outbox.put(connection, row["body"], row["signature"])
    party.outbox.flush()
    return True
