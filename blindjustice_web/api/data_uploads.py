"""Sealed data files: announce one, send its parts in any order, ask what is missing."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from blindjustice_web.api.fields import DigestText, IdText, PartNumber, PathId, SealedPart
from blindjustice_web.enrolment import data_uploads
from blindjustice_web.enrolment.data_uploads import (
    MAX_FILE_BYTES,
    announce_data,
    missing_parts,
    take_data_part,
)
from blindjustice_web.enrolment.models import DataUpload
from blindjustice_web.enrolment.services import decode_envelope
from blindjustice_web.lib.throttle import spend_by_account
from blindjustice_web.studies.access import study_for

router = Router(tags=["studies"])
SMALLEST_FILE_BYTES = 100


class DataIn(Schema):
    """A sealed data file that is going to arrive: its size and SHA-256."""

    upload_id: IdText
    size_bytes: Annotated[int, Field(ge=SMALLEST_FILE_BYTES, le=MAX_FILE_BYTES, strict=True)]
    digest: DigestText


class PartIn(Schema):
    """One part of it, base64."""

    content: SealedPart


class DataOut(Schema):
    """How far a file came; ``missing`` are the numbers of parts, counted from 0."""

    upload_id: str
    state: str
    part_bytes: int
    missing: list[int]


@router.post("studies/{study_id}/data", response={202: DataOut})
def study_data(request: HttpRequest, study_id: PathId, payload: DataIn) -> Status[dict[str, Any]]:
    """Announce a sealed data file, or ask again what is missing of it (data-holder only)."""
    spend_by_account(request, "UPLOADS")
    access = study_for(request.user, study_id)
    upload = announce_data(
        access.study, access.role, payload.upload_id, payload.size_bytes, payload.digest
    )
    return Status(202, _upload_out(upload))


@router.put("studies/{study_id}/data/{upload_id}/parts/{number}", response={202: DataOut})
def study_data_part(
    request: HttpRequest, study_id: PathId, upload_id: PathId, number: PartNumber, payload: PartIn
) -> Status[dict[str, Any]]:
    """Send one part; the last one forwards the file to its party (data-holder only)."""
    access = study_for(request.user, study_id)
    content = decode_envelope(payload.content, "content")
    upload = take_data_part(access.study, access.role, upload_id, number, content)
    return Status(202, _upload_out(upload))


def _upload_out(upload: DataUpload) -> dict[str, Any]:
    return {
        "upload_id": upload.id,
        "state": upload.state,
        "part_bytes": data_uploads.PART_BYTES,
        "missing": missing_parts(upload),
    }
