"""Decision records as files, one for each case, named after it, and as pictures for a letter."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import segno

from mpc_engine.control.files.decision_record import DecisionRecord
from mpc_engine.control.texts.canonical import canonical_bytes
from mpc_engine.errors import ResourceError
from mpc_engine.party.zone.private_files import PRIVATE_DIRECTORY, write_private

MOST_CODE_BYTES = 2000
"""A QR code of more has modules too small for a camera."""
_PIXELS_A_MODULE = 6


def write_decision_records(directory: Path, records: Sequence[DecisionRecord]) -> list[str]:
    """Write every record to ``<case id>.json`` and its QR code to ``<case id>.png``.

    None is written if one would change a file that exists: ResourceError (``FILE_EXISTS``) names
    it. Returns the case ids whose record is too long for a code.
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
    without_code = []
    for path, data in files.items():
        write_private(path, data, replace=True)
        if len(data) > MOST_CODE_BYTES:
            without_code.append(path.stem)
        else:
            write_private(path.with_suffix(".png"), qr_picture(data), replace=True)
    return without_code


def qr_picture(data: bytes) -> bytes:
    """Return a PNG of the QR code that says ``data``, at most ``MOST_CODE_BYTES`` of it."""
    picture = BytesIO()
    code = segno.make(data, error="l", micro=False)
    code.save(picture, kind="png", scale=_PIXELS_A_MODULE)
    return picture.getvalue()
