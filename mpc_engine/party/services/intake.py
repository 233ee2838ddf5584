"""Taking people's sealed shares, and signing a receipt for each that passes every check."""

from __future__ import annotations

import sqlite3

from mpc_engine.control.post.exchanges.about_people import Receipt, TakeSubmission
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import IntakeError
from mpc_engine.party.studies.known_study import StudyState, envelope_layout, get_study, sealing_key
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party
from mpc_engine.sharing.intake import EarlierSubmission, check_succession, open_submission
from mpc_engine.sharing.intake_refusals import IntakeRefusal, refusal
from mpc_engine.sharing.sealed import encapsulation_digest

SHARE_PLACE = "share"


@carries_out(TakeSubmission)
def take_submission(party: Party, order: TakeSubmission) -> None:
    """Check one share, store it sealed, and report a receipt.

    The same share delivered twice gets its receipt again. Codes: those of
    `sharing.intake_refusals`, and ``STUDY_UNKNOWN``, ``STUDY_CLOSED``, ``RECORD_NOT_INVITED``,
    ``KEY_RETIRED``.
    """
    with party.database.reading() as connection:
        study = get_study(connection, order.study_id)
        known_digest = _known_receipt(connection, order)
        credential = _credential(connection, order)
    if known_digest is not None:
        party.outbox.tell(_receipt(order, known_digest))
        return
    _require_open(study.state)
    enc_digest = encapsulation_digest(order.envelope)
    key = sealing_key(party, order.study_id, order.envelope)
    share = open_submission(
        envelope_layout(study.configuration),
        party.role,
        order.envelope,
        order.other_envelope_digest,
        order.owner_key,
        order.signature,
        order.record_id,
        order.submission_id,
        order.sequence,
        key,
        key.key_id,
        credential,
    )
    sealed = party.cipher.seal(SHARE_PLACE, _ids(order), share.to_bytes())
    with party.database.transaction() as connection:
        _require_open(get_study(connection, order.study_id).state)
        _check_earlier(connection, order, enc_digest)
        connection.execute(
            "INSERT OR IGNORE INTO owners (study_id, record_id, owner_key) VALUES (?, ?, ?)",
            (order.study_id, order.record_id, order.owner_key),
        )
        connection.execute(
            "INSERT INTO shares (study_id, record_id, sequence, submission_id, common_digest,"
            " enc_digest, envelope_digest, sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                order.study_id,
                order.record_id,
                order.sequence,
                order.submission_id,
                share.common_digest,
                enc_digest,
                sha256(order.envelope),
                sealed,
            ),
        )
        party.outbox.add(connection, _receipt(order, share.common_digest))
    party.outbox.flush()


def count_refusals(party: Party, study_id: bytes, code: str, n: int = 1) -> None:
    """Count refused submissions or receipts by the reason; unknown studies are not counted."""
    with party.database.transaction() as connection:
        connection.execute(
            "INSERT INTO refusals (study_id, code, n)"
            " SELECT study_id, ?, ? FROM studies WHERE study_id = ?"
            " ON CONFLICT (study_id, code) DO UPDATE SET n = n + excluded.n",
            (code, n, study_id),
        )


def share_ids(
    study_id: bytes, record_id: bytes, submission_id: bytes, sequence: int
) -> tuple[bytes, ...]:
    """Return what a stored share is bound to."""
    return study_id, record_id, submission_id, sequence.to_bytes(4, "little")


def _ids(order: TakeSubmission) -> tuple[bytes, ...]:
    return share_ids(order.study_id, order.record_id, order.submission_id, order.sequence)


def _require_open(state: StudyState) -> None:
    if state is not StudyState.OPEN:
        raise IntakeError("The study takes no more answers.", code="STUDY_CLOSED")


def _credential(connection: sqlite3.Connection, order: TakeSubmission) -> bytes:
    row = connection.execute(
        "SELECT credential FROM credentials WHERE study_id = ? AND record_id = ?",
        (order.study_id, order.record_id),
    ).fetchone()
    if row is None:
        raise IntakeError("Nobody was invited under this record.", code="RECORD_NOT_INVITED")
    return bytes(row["credential"])


def _known_receipt(connection: sqlite3.Connection, order: TakeSubmission) -> bytes | None:
    """Return the digest of C if exactly this share was accepted before."""
    row = connection.execute(
        "SELECT common_digest FROM shares JOIN owners USING (study_id, record_id)"
        " WHERE study_id = ? AND record_id = ? AND sequence = ? AND submission_id = ?"
        " AND envelope_digest = ? AND owner_key = ?",
        (
            order.study_id,
            order.record_id,
            order.sequence,
            order.submission_id,
            sha256(order.envelope),
            order.owner_key,
        ),
    ).fetchone()
    return None if row is None else bytes(row["common_digest"])


def _check_earlier(
    connection: sqlite3.Connection, order: TakeSubmission, enc_digest: bytes
) -> None:
    repeated = connection.execute(
        "SELECT 1 FROM shares WHERE study_id = ? AND enc_digest = ?",
        (order.study_id, enc_digest),
    ).fetchone()
    if repeated is not None:
        raise refusal(IntakeRefusal.ENVELOPE_REPEATED)
    rows = connection.execute(
        "SELECT submission_id, sequence, owner_key FROM shares"
        " JOIN owners USING (study_id, record_id) WHERE study_id = ? AND record_id = ?",
        (order.study_id, order.record_id),
    )
    earlier = [
        EarlierSubmission(row["submission_id"], row["sequence"], row["owner_key"]) for row in rows
    ]
    check_succession(earlier, order.submission_id, order.sequence, order.owner_key)


def _receipt(order: TakeSubmission, common_digest: bytes) -> Receipt:
    return Receipt(
        study_id=order.study_id,
        record_id=order.record_id,
        submission_id=order.submission_id,
        sequence=order.sequence,
        common_digest=common_digest,
    )
