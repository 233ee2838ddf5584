"""Signed messages to the web: stored with what they report, sent after, kept until handed over."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from datetime import datetime

from mpc_engine.control.post.declarations import Content
from mpc_engine.control.post.messages import message_body, sign_message
from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.signatures import Ed25519SigningKey
from mpc_engine.errors import named
from mpc_engine.party.zone.database import Database
from mpc_engine.roles import Role

Send = Callable[[str, str], None]
"""Hands a body and its signature (hex) to the broker; raises whatever the broker's client does."""

_log = logging.getLogger(__name__)
_BATCH = 64


class Outbox:
    """Signs messages, keeps them in the store, and hands them to the broker.

    A message is stored in the transaction that makes it true. If the broker is away it stays and
    goes with the next one: the web may see a message twice, never one that isn't so.
    """

    def __init__(
        self,
        role: Role,
        key: Ed25519SigningKey,
        database: Database,
        send: Send,
        now: Callable[[], datetime],
        rng: Randomness,
    ) -> None:
        self._role = role
        self._key = key
        self._database = database
        self._send = send
        self._now = now
        self._rng = rng

    def add(self, connection: sqlite3.Connection, content: Content) -> tuple[str, bytes]:
        """Sign a message and store it in the running transaction; ``flush`` sends it.

        Return body and signature.
        """
        body, signature = self._signed(content)
        self.put(connection, body, signature)
        return body, signature

    def put(self, connection: sqlite3.Connection, body: str, signature: bytes) -> None:
        """Store a message that was signed before; its id is the same, so it acts once."""
        connection.execute("INSERT INTO outbox (body, signature) VALUES (?, ?)", (body, signature))

    def tell(self, content: Content) -> None:
        """Sign, store and send a message that no other change goes with."""
        with self._database.transaction() as connection:
            self.add(connection, content)
        self.flush()

    def mention(self, content: Content) -> None:
        """Sign and send a message that may get lost (progress)."""
        body, signature = self._signed(content)
        self._hand_over(body, signature)

    def flush(self) -> int:
        """Send what is stored, in order, until the broker fails; return how many went."""
        n_sent = 0
        while True:
            handed_over, is_done = self._send_batch()
            n_sent += handed_over
            if is_done:
                return n_sent

    def _send_batch(self) -> tuple[int, bool]:
        """Send at most `_BATCH` messages; return how many went, and whether that is all for now.

        Another process's messages that are stored by now go along, in one transaction.
        """
        with self._database.transaction(durable=False) as connection:
            rows = connection.execute(
                "SELECT number, body, signature FROM outbox ORDER BY number LIMIT ?", (_BATCH,)
            ).fetchall()
            sent = []
            for row in rows:
                if not self._hand_over(row["body"], row["signature"]):
                    break
                sent.append((row["number"],))
            connection.executemany("DELETE FROM outbox WHERE number = ?", sent)
        return len(sent), len(sent) < _BATCH

    def _signed(self, content: Content) -> tuple[str, bytes]:
        body = message_body(
            self._role, content, message_id=self._rng.bytes(16), sent_at=self._now()
        )
        return body, sign_message(body, self._key)

    def _hand_over(self, body: str, signature: bytes) -> bool:
        try:
            self._send(body, signature.hex())
        except Exception as error:
            _log.warning("the broker took no message: %s", named(error))
            return False
        return True
