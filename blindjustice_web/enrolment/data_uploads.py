"""Sealed data files: announced, arriving in parts in any order, handed on once they are whole."""

from __future__ import annotations

import hashlib

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine.engine_post import Message, about_people
from blindjustice_web.enrolment.models import DataPart, DataUpload
from blindjustice_web.lib import push
from blindjustice_web.lib.named import Named, PartyRefusal
from blindjustice_web.lib.problems import NotThere, Refused, Unusable
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.outbox import send_to_party
from blindjustice_web.studies.access import require_role
from blindjustice_web.studies.models import Study
from blindjustice_web.studies.refusals import note_refusal, settle_refusals
from blindjustice_web.studies.services import approved_configuration

PART_BYTES = 1 << 20
MAX_FILE_BYTES = 45_000_000


@transaction.atomic
def announce_data(
    study: Study, role: Role, upload_id: str, size_bytes: int, digest: str
) -> DataUpload:
    """Make room for a sealed file, or return the one announced before in the same words.

    What arrived of an earlier file that never became whole is dropped.
    """
    _holder_of(study, role)
    known = DataUpload.objects.select_for_update().filter(pk=upload_id).first()
    if known is not None:
        if (known.study_id, known.size_bytes, known.digest) != (study.id, size_bytes, digest):
            raise Refused("UPLOAD_ID_TAKEN", _("Another file was sent under this number."))
        return known
    if study.data_uploads.filter(digest=digest).exists():
        raise Refused("UPLOAD_REPEATED", _("This sealed file was sent before."))
    study.data_uploads.filter(state=DataUpload.State.ARRIVING).delete()
    return DataUpload.objects.create(
        id=upload_id, study=study, size_bytes=size_bytes, digest=digest
    )


@transaction.atomic
def take_data_part(
    study: Study, role: Role, upload_id: str, number: int, content: bytes
) -> DataUpload:
    """Keep one part of a sealed file; the last one sends the file to the data-holder's party."""
    holder = _holder_of(study, role)
    upload = study.data_uploads.select_for_update().filter(pk=upload_id).first()
    if upload is None:
        raise NotThere
    if upload.state != DataUpload.State.ARRIVING:
        return upload
    if not 0 <= number < n_parts(upload) or len(content) != _part_size(upload, number):
        raise Unusable("PART_MISPLACED", _("This is no part of the file as it was announced."))
    DataPart.objects.get_or_create(upload=upload, number=number, defaults={"content": content})
    if not missing_parts(upload):
        _hand_on(upload, holder)
    return upload


def n_parts(upload: DataUpload) -> int:
    """Return in how many parts a file arrives."""
    return -(-upload.size_bytes // PART_BYTES)


def missing_parts(upload: DataUpload) -> list[int]:
    """Return the numbers of the parts that have not arrived."""
    if upload.state != DataUpload.State.ARRIVING:
        return []
    there = set(upload.parts.values_list("number", flat=True))
    return [number for number in range(n_parts(upload)) if number not in there]


@hears(about_people.DataRefused)
@transaction.atomic
def note_data_refused(message: Message[about_people.DataRefused]) -> None:
    """Store that the data-holder's party refused a data file, and why."""
    upload = _addressed(message)
    upload.state = DataUpload.State.REFUSED
    upload.save(update_fields=["state"])
    push.push_change(push.study_group(upload.study_id), "data")
    note_refusal(message, message.content.study_id, "data", upload.id)


@hears(about_people.DataAccepted)
@transaction.atomic
def note_data_accepted(message: Message[about_people.DataAccepted]) -> None:
    """Store that the data-holder's party took a data file."""
    upload = _addressed(message)
    upload.state, upload.n_rows = DataUpload.State.ACCEPTED, message.content.rows
    settle_refusals(upload.study_id, "data")
    record(EntryKind.DATA_ACCEPTED, study=upload.study, subject=upload.id)
    upload.save(update_fields=["state", "n_rows"])
    push.push_change(push.study_group(upload.study_id), "data")


def data_refusal_of(study: Study) -> PartyRefusal | None:
    """Return why the newest table was not accepted; None where it was, or none came."""
    newest = study.data_uploads.order_by("-created_at").first()
    if newest is None or newest.state != DataUpload.State.REFUSED:
        return None
    found = study.refusals.filter(about="data", object_id=newest.id).order_by("-at").first()
    if found is None:
        return None
    return PartyRefusal(found.code, found.sentence, Named.of(Role(found.role)), found.at)


def _addressed(
    message: Message[about_people.DataAccepted | about_people.DataRefused],
) -> DataUpload:
    """Return the upload a message speaks of, locked; else NotThere."""
    content = message.content
    upload = DataUpload.objects.select_for_update().filter(
        pk=content.upload_id.hex(), study_id=content.study_id.hex()
    )
    found = upload.first()
    if found is None:
        raise NotThere
    return found


def _holder_of(study: Study, role: Role) -> Role:
    configuration = approved_configuration(study)
    holder = Role(configuration.data_holder.value)
    require_role(role, holder, _("The other organisation holds the data of this study."))
    if configuration.data_source != "file":
        raise Refused("DATA_COMES_FROM_PEOPLE", _("In this study people enter the data."))
    if configuration.data_commitment is not None:
        raise Refused(
            "DATA_COMMITTED", _("The data of this study were committed to; they stay as they are.")
        )
    return holder


def _part_size(upload: DataUpload, number: int) -> int:
    return min(PART_BYTES, upload.size_bytes - number * PART_BYTES)


def _hand_on(upload: DataUpload, holder: Role) -> None:
    """Send a whole file to its party; one that is not what was announced starts anew."""
    contents = upload.parts.order_by("number").values_list("content", flat=True)
    envelope = b"".join(bytes(content) for content in contents)
    upload.parts.all().delete()
    if hashlib.sha256(envelope).hexdigest() != upload.digest:
        return
    upload.state = DataUpload.State.RECEIVED
    upload.save(update_fields=["state"])
    settle_refusals(upload.study_id, "data")
    record(EntryKind.DATA_SENT, study=upload.study, subject=upload.id)
    send_to_party(
        holder,
        about_people.TakeData(
            study_id=bytes.fromhex(upload.study_id),
            upload_id=bytes.fromhex(upload.id),
            envelope=envelope,
        ),
    )
    push.push_change(push.study_group(upload.study_id), "data")
