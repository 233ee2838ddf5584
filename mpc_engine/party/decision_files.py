"""Decision records as files, one for each case, named after it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mpc_engine.control.canonical import canonical_bytes
from mpc_engine.control.decision_record import DecisionRecord
from mpc_engine.errors import ResourceError
from mpc_engine.party.private_files import PRIVATE_DIRECTORY, write_private


def write_decision_records(directory: Path, records: Sequence[DecisionRecord]) -> None:
    """Write every record to ``<case id>.json``, or none if one would change a file that exists.

    Raises ResourceError (``FILE_EXISTS``) naming it.
    """
    directory.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    files = {
        directory / f"{record.case_id}.json": canonical_bytes(record.to_json())
        for record in records
    }
    for path, data in files.items():
        if path.exists() and path.read_bytes() != data:
            raise ResourceError(
                f"{path.name} holds another record already; choose another directory.",
                code="FILE_EXISTS",
            )
    for path, data in files.items():
        write_private(path, data, replace=True)
