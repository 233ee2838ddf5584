"""Non-sensitive data that comes by file: joined with people's records by record id."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from mpc_engine.control.post.exchanges.about_people import DataAccepted, TakeData
from mpc_engine.control.studies.study_texts import DataRow, parse_approved_body, parse_data
from mpc_engine.control.texts.approvals import require_approvals
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import UsageError
from mpc_engine.party.services.models import require_party_role
from mpc_engine.party.studies.known_study import StudyState, get_study, load_study, open_for_study
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party
from mpc_engine.sharing.records import HeldRecords, records_without_data
from mpc_engine.sharing.sealed import Purpose

_PLACE = "data"


@carries_out(TakeData)
def take_data(party: Party, order: TakeData) -> None:
    """Take a sealed upload that the data-holder's approver signed; it replaces an earlier one.

    Once the study is closed the first data stay. Codes besides those of seals, approvals and
    `control.study_texts.parse_data`: ``NOT_FOR_THIS_PARTY``, ``STUDY_UNKNOWN``,
    ``DATA_NOT_BY_FILE``, ``DATA_COMMITTED``,
    ``DATA_RECORD_UNKNOWN``, ``DATA_FIXED``.
    """
    study = load_study(party, order.study_id)
    configuration = study.configuration
    require_party_role(party, configuration.data_holder)
    if configuration.data_source != "file":
        raise UsageError("In this study the data come from the people.", code="DATA_NOT_BY_FILE")
    if configuration.data_commitment is not None:
        raise UsageError(
            "The data of this study were committed to before; they are not replaced.",
            code="DATA_COMMITTED",
        )
    digest = sha256(order.envelope)
    plaintext = open_for_study(party, configuration, Purpose.DATA, order.upload_id, order.envelope)
    body, approval = parse_approved_body(plaintext, "data", "DATA_INVALID")
    require_approvals(
        "data", body, [approval], party.trusted_approvers(), [configuration.data_holder]
    )
    rows = parse_data(body, configuration)
    with party.database.transaction() as connection:
        _check_records(connection, order.study_id, rows)
        if not _is_repeated(connection, order, digest):
            _replace_rows(party, connection, order, digest, rows)
        accepted = DataAccepted(study_id=order.study_id, upload_id=order.upload_id, rows=len(rows))
        party.outbox.add(connection, accepted)
    party.outbox.flush()


def join_data(party: Party, study_id: bytes, records: HeldRecords) -> HeldRecords:
    """Return records with their features; UsageError ``RECORDS_WITHOUT_DATA`` if some lack."""
    with party.database.reading() as connection:
        rows = connection.execute(
            "SELECT record_id, sealed FROM data_rows"
            " WHERE study_id = ? AND record_id BETWEEN ? AND ?",
            (study_id, min(records.record_ids), max(records.record_ids)),
        ).fetchall()
    opened: dict[bytes, tuple[list[int], int]] = {}
    for row in rows:
        x, y = json.loads(party.cipher.open(_PLACE, (study_id, row["record_id"]), row["sealed"]))
        opened[row["record_id"]] = (x, y)
    return records.with_data(opened)


def require_data(party: Party, study_id: bytes, record_ids: Sequence[bytes]) -> None:
    """Raise UsageError ``RECORDS_WITHOUT_DATA`` unless every record has a row; none is opened."""
    with party.database.reading() as connection:
        rows = connection.execute(
            "SELECT record_id FROM data_rows WHERE study_id = ?", (study_id,)
        ).fetchall()
    n_missing = len(set(record_ids).difference(row["record_id"] for row in rows))
    if n_missing:
        raise records_without_data(n_missing)


def _check_records(connection: sqlite3.Connection, study_id: bytes, rows: list[DataRow]) -> None:
    invited = {
        row["record_id"]
        for row in connection.execute(
            "SELECT record_id FROM credentials WHERE study_id = ?", (study_id,)
        )
    }
    for number, row in enumerate(rows, start=1):
        if row.record_id not in invited:
            raise UsageError(
                f"Row {number}: nobody was invited under record {row.record_id.hex()}.",
                code="DATA_RECORD_UNKNOWN",
            )


def _is_repeated(connection: sqlite3.Connection, order: TakeData, digest: bytes) -> bool:
    """Return whether this upload was taken; ``DATA_FIXED`` if it would change closed data."""
    known = connection.execute(
        "SELECT envelope_digest FROM uploads WHERE study_id = ? AND upload_id = ?",
        (order.study_id, order.upload_id),
    ).fetchone()
    if known is not None and known["envelope_digest"] == digest:
        return True
    has_data = connection.execute(
        "SELECT 1 FROM uploads WHERE study_id = ?", (order.study_id,)
    ).fetchone()
    is_open = get_study(connection, order.study_id).state is StudyState.OPEN
    if known is not None or (has_data is not None and not is_open):
        raise UsageError(
            "The study is closed, or this upload was used before; its data stay as they are.",
            code="DATA_FIXED",
        )
    return False


def _replace_rows(
    party: Party,
    connection: sqlite3.Connection,
    order: TakeData,
    digest: bytes,
    rows: list[DataRow],
) -> None:
    connection.execute("DELETE FROM data_rows WHERE study_id = ?", (order.study_id,))
    connection.executemany(
        "INSERT INTO data_rows (study_id, record_id, sealed) VALUES (?, ?, ?)",
        [
            (
                order.study_id,
                row.record_id,
                party.cipher.seal(
                    _PLACE,
                    (order.study_id, row.record_id),
                    json.dumps([list(row.x), row.y]).encode("ascii"),
                ),
            )
            for row in rows
        ],
    )
    connection.execute(
        "INSERT INTO uploads (study_id, upload_id, envelope_digest, n_rows) VALUES (?, ?, ?, ?)",
        (order.study_id, order.upload_id, digest, len(rows)),
    )
