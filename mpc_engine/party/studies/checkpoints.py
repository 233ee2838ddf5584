"""States of trainings at the ends of epochs, encrypted, and which one both parties still hold.

A checkpoint's name is the digest of the attempt's fresh keys and the step, so that both states of
one name belong together and no two sessions share a name. Each party keeps its two newest: it is
never more than one checkpoint ahead of the other. A state that was torn, altered, or made with
other data, terms or code does not open, and counts as none. Setting a store back is harmless: what
both still hold is the state after a step that is repeated under fresh keys, with the same values.

``openings`` notes, on disk before anything is opened, that an attempt reached the opening of a
model. An attempt that was ended meanwhile keeps nothing and opens nothing: another one may have
begun that was not charged because nothing had been opened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from mpc_engine.control.policies.questions import QuestionEntry
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import EngineError, ProtocolViolationError
from mpc_engine.party.line.code_digest import code_digest
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.training.checkpoint import (
    Checkpointing,
    TrainingState,
    decode_state,
)
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.transport.channel import Channel
from mpc_engine.wire.codec import ByteReader, length_prefixed, u8, u32

KEPT = 2
_PLACE = "checkpoint"
_NAME_BYTES = 32
_NONE = bytes(_NAME_BYTES)
_NAME_LABEL = b"blindjustice/v1/checkpoint/name"


@dataclass(frozen=True)
class RunningTraining:
    """An attempt at a training, as its checkpoints are bound to it.

    ``job_digest``: of the keys of this session, fresh in each attempt; ``own_data``: digest of the
    data that this party puts in, if any.
    """

    study_id: bytes
    job_id: bytes
    attempt: int
    job_digest: bytes
    own_data: bytes


class Checkpoints:
    """A party's states for one attempt: those of earlier attempts, and where new ones go.

    ``model_id`` returns that of the point at work: a point is named by it. ``require_running``
    raises, within a transaction, if the attempt was ended.
    """

    def __init__(
        self,
        party: Party,
        running: RunningTraining,
        model_id: Callable[[], bytes],
        require_running: Callable[[sqlite3.Connection], None],
    ) -> None:
        self._party = party
        self._running = running
        self._model_id = model_id
        self._require_running = require_running

    def over(self, channel: Channel) -> Checkpointing:
        """Return what a protocol starts from, once both parties agreed, and where it keeps."""
        is_modeler = self._party.role is Role.MODELER
        agree = self.agree_as_modeler if is_modeler else self.agree_as_regulator
        return Checkpointing(lambda spec: agree(channel, spec), self.keep, self.note_opening)

    def keep(self, spec: TrainingSpec, state: TrainingState) -> None:
        """Write a state down and drop the oldest; on disk when it returns, all of it or nothing."""
        running, model_id = self._running, self._model_id()
        named = length_prefixed(_NAME_LABEL, running.job_digest, model_id, u32(state.step))
        name = sha256(named)
        sealed = self._party.cipher.seal(_PLACE, self._bound(spec, name), state.encode())
        with self._party.database.transaction() as connection:
            self._require_running(connection)
            connection.execute(
                "INSERT INTO checkpoints (job_id, name, study_id, sealed) VALUES (?, ?, ?, ?)",
                (running.job_id, name, running.study_id, sealed),
            )
            connection.execute(
                "DELETE FROM checkpoints WHERE job_id = ? AND number NOT IN (SELECT number FROM"
                " checkpoints WHERE job_id = ? ORDER BY number DESC LIMIT ?)",
                (running.job_id, running.job_id, KEPT),
            )

    def note_opening(self, _spec: TrainingSpec) -> None:
        """Note, on disk when it returns, that this attempt opens the model of the point at work."""
        running = self._running
        with self._party.database.transaction() as connection:
            self._require_running(connection)
            connection.execute(
                "INSERT OR IGNORE INTO openings (job_id, model_id, attempt) VALUES (?, ?, ?)",
                (running.job_id, self._model_id(), running.attempt),
            )

    def agree_as_modeler(self, channel: Channel, spec: TrainingSpec) -> TrainingState | None:
        """Tell which states are held, newest first; return the one to go on from, None for none.

        Raises ProtocolViolationError if the other party names one that was not told.
        """
        held = self._held(spec)
        channel.send(PartyTag.CHECKPOINTS, u8(len(held)) + b"".join(held))
        chosen = channel.recv(PartyTag.CHECKPOINT_CHOSEN, size=_NAME_BYTES)
        if chosen != _NONE and chosen not in held:
            raise ProtocolViolationError("The other party chose a checkpoint nobody told of.")
        return self._go_on(held, chosen)

    def agree_as_regulator(self, channel: Channel, spec: TrainingSpec) -> TrainingState | None:
        """Choose the newest state that both hold; return it, None for none. One round, < 70 bytes.

        Raises DecodeError for a list that does not parse.
        """
        data = channel.recv(PartyTag.CHECKPOINTS, limit=1 + KEPT * _NAME_BYTES)
        reader = ByteReader(data, "list of checkpoints")
        told = [reader.take(_NAME_BYTES) for _ in range(reader.u8())]
        reader.finish()
        held = self._held(spec)
        chosen = next((name for name in told if name in held), _NONE)
        channel.send(PartyTag.CHECKPOINT_CHOSEN, chosen)
        return self._go_on(held, chosen)

    def _held(self, spec: TrainingSpec) -> dict[bytes, TrainingState]:
        """Return the states that open and fit this run, by name, newest first."""
        with self._party.database.reading() as connection:
            rows = connection.execute(
                "SELECT name, sealed FROM checkpoints WHERE job_id = ? ORDER BY number DESC",
                (self._running.job_id,),
            ).fetchall()
        held = {}
        for row in rows:
            name = bytes(row["name"])
            try:
                data = self._party.cipher.open(_PLACE, self._bound(spec, name), row["sealed"])
                held[name] = decode_state(spec, data)
            except EngineError:
                continue
        return held

    def _go_on(self, held: dict[bytes, TrainingState], chosen: bytes) -> TrainingState | None:
        """Drop all states but the chosen one: the other party lacks what is newer."""
        with self._party.database.transaction() as connection:
            connection.execute(
                "DELETE FROM checkpoints WHERE job_id = ? AND name != ?",
                (self._running.job_id, chosen),
            )
        return held.get(chosen)

    def _bound(self, spec: TrainingSpec, name: bytes) -> tuple[bytes, ...]:
        run = repr(spec).encode("ascii")
        job_id, own_data = self._running.job_id, self._running.own_data
        return job_id, self._model_id(), code_digest(), name, run, own_data


def forget_checkpoints(connection: sqlite3.Connection, job_id: bytes) -> None:
    """Delete all states of a job: it ended well, was cancelled, or can't be tried again."""
    connection.execute("DELETE FROM checkpoints WHERE job_id = ?", (job_id,))


def is_paid(connection: sqlite3.Connection, entry: QuestionEntry) -> bool:
    """Return whether an earlier attempt of the same job was charged and nothing opened since.

    Then whatever that attempt's answer can tell is still to come, and the charge stands for it.
    """
    row = connection.execute(
        "SELECT MAX(attempt) AS attempt FROM questions WHERE study_id = ? AND job_id = ?"
        " AND kind = ? AND cohort = ? AND rule = ? AND model_id = ? AND millibits = ?"
        " AND outcome = 'ABORTED'",
        (
            entry.study_id,
            entry.job_id,
            entry.kind.value,
            entry.cohort,
            entry.rule,
            entry.model_id,
            entry.millibits,
        ),
    ).fetchone()
    if row["attempt"] is None or row["attempt"] >= entry.attempt:
        return False
    opened = connection.execute(
        "SELECT 1 FROM openings WHERE job_id = ? AND model_id = ? AND attempt >= ?",
        (entry.job_id, entry.model_id, row["attempt"]),
    ).fetchone()
    return opened is None
