"""The modeler's data of a training study: committed to, kept encrypted, opened for an audit.

Rows are taken from a file before the study is proposed. Its configuration names the commitment, so
what the party trains on was fixed before anybody was asked.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence

from mpc_engine.control.studies.configuration import (
    Configuration,
    complete_draft,
    party_without_keys,
)
from mpc_engine.control.studies.data_commitment import (
    ROW_SALT_BYTES,
    CommittedRow,
    DataCommitment,
    commit,
)
from mpc_engine.control.studies.study_texts import check_features
from mpc_engine.control.texts.canonical import JsonValue
from mpc_engine.errors import CheckFailedError, UsageError
from mpc_engine.party.services.case_file import read_labelled_cases
from mpc_engine.party.services.models import require_party_role
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role
from mpc_engine.sharing.records import HeldRecords

_PLACE = "committed row"


def commit_data(
    party: Party,
    draft: Mapping[str, JsonValue],
    table: bytes,
    *,
    decimal_comma: bool = False,
) -> tuple[DataCommitment, list[str], list[str]]:
    """Keep the rows of a CSV; return the commitment, each row's case id and columns left out.

    ``draft``: of the study, whose features and outcome are the columns. Codes besides those of
    drafts and `party.services.case_file`: ``NOT_FOR_THIS_PARTY``.
    """
    require_party_role(party, Role.MODELER)
    configuration = _stand_in(draft)
    cases, left_out = read_labelled_cases(table, configuration, decimal_comma=decimal_comma)
    rows = [
        CommittedRow(position, case.x, label, party.rng.bytes(ROW_SALT_BYTES))
        for position, (case, label) in enumerate(cases)
    ]
    commitment = commit(rows, configuration.encoding_digest)
    with party.database.transaction() as connection:
        connection.executemany(
            "INSERT INTO committed_rows (root, position, sealed) VALUES (?, ?, ?)",
            [(commitment.root, row.position, _sealed(party, commitment, row)) for row in rows],
        )
    return commitment, [case.case_id for case, _ in cases], left_out


def committed_rows(party: Party, configuration: Configuration) -> list[CommittedRow]:
    """Return all rows of a study's commitment, checked against it.

    UsageError: ``DATA_NOT_COMMITTED``, ``DATA_COMMITMENT_UNKNOWN``, ``DATA_VALUE_OUT_OF_RANGE``;
    CheckFailedError (``DATA_COMMITMENT_BROKEN``) where the rows are not the committed ones.
    """
    commitment = configuration.data_commitment
    if commitment is None:
        raise UsageError("This study has no committed data.", code="DATA_NOT_COMMITTED")
    with party.database.reading() as connection:
        rows = _stored(party, connection, commitment)
    if not rows:
        raise UsageError(
            "This party made no such commitment; make it with its command commit-data.",
            code="DATA_COMMITMENT_UNKNOWN",
        )
    if commit(rows, configuration.encoding_digest) != commitment:
        raise CheckFailedError(
            "The stored rows, or how the study reads them, are not what was committed to.",
            code="DATA_COMMITMENT_BROKEN",
        )
    for row in rows:
        where = f"Row {row.position}"
        check_features(row.x, configuration, where, "DATA_VALUE_OUT_OF_RANGE")
    return rows


def join_committed(party: Party, configuration: Configuration, records: HeldRecords) -> HeldRecords:
    """Return records with the rows that were committed to for them."""
    rows: Sequence[CommittedRow] = committed_rows(party, configuration)
    commitment = configuration.data_commitment
    if commitment is None:
        raise UsageError("This study has no committed data.", code="DATA_NOT_COMMITTED")
    return records.with_data({commitment.record_id(row.position): (row.x, row.y) for row in rows})


def _stored(
    party: Party, connection: sqlite3.Connection, commitment: DataCommitment
) -> list[CommittedRow]:
    found = connection.execute(
        "SELECT position, sealed FROM committed_rows WHERE root = ? ORDER BY position",
        (commitment.root,),
    )
    rows = []
    for row in found:
        ids = (commitment.root, int(row["position"]).to_bytes(4, "little"))
        x, y, salt = json.loads(party.cipher.open(_PLACE, ids, row["sealed"]))
        rows.append(CommittedRow(row["position"], tuple(x), y, bytes.fromhex(salt)))
    return rows


def _sealed(party: Party, commitment: DataCommitment, row: CommittedRow) -> bytes:
    text = json.dumps([list(row.x), row.y, row.salt.hex()])
    ids = (commitment.root, row.position.to_bytes(4, "little"))
    return party.cipher.seal(_PLACE, ids, text.encode("ascii"))


def _stand_in(draft: Mapping[str, JsonValue]) -> Configuration:
    """Return the draft as a configuration, with zeros for what is not known yet."""
    nobody = party_without_keys("a party")
    placeholder: JsonValue = {**DataCommitment(bytes(32), 1).to_json()}
    configuration = complete_draft(
        {**draft, "data_commitment": placeholder},
        study_id=bytes(16),
        modeler=nobody,
        regulator=nobody,
    )
    if configuration.data_commitment is None:
        raise UsageError("Only the modeler's own table is committed to.", code="DATA_NOT_COMMITTED")
    return configuration
