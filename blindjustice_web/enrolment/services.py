"""Writes on invitations, submissions and data files; envelopes pass through unopened."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine import engine_client, engine_texts
from blindjustice_web.engine.engine_post import Message, about_people
from blindjustice_web.enrolment.models import (
    Answer,
    Invitation,
    InvitationBatch,
    Submission,
)
from blindjustice_web.lib import push
from blindjustice_web.lib.ids import id_of
from blindjustice_web.lib.problems import NotThere, Problem, Refused, Unusable
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.outbox import kept_orders, send_to_party
from blindjustice_web.studies.access import require_role
from blindjustice_web.studies.models import Study, StudyState
from blindjustice_web.studies.services import approved_configuration

SEND_AGAIN_AFTER = timedelta(seconds=10)
SEND_AGAIN = _("Open your invitation again and send a new answer.")


@dataclass(frozen=True)
class SealedSubmission:
    """What a person's browser sends: two envelopes it sealed, and her signature."""

    record_id: str
    submission_id: str
    sequence: int
    owner_key: str
    signature: str
    envelope_modeler: bytes
    envelope_regulator: bytes


@dataclass(frozen=True)
class SignedInvitations:
    """One list of credentials per party, each signed by an approver of the inviter."""

    modeler_text: str
    regulator_text: str
    key_id: str
    modeler_signature: str
    regulator_signature: str


def decode_envelope(text: str, name: str) -> bytes:
    """Return an envelope from base64; Unusable names the field."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Unusable(
            "ENVELOPE_NOT_READABLE", _("“%(name)s” is not base64.") % {"name": name}
        ) from None


@transaction.atomic
def invite(study: Study, role: Role, signed: SignedInvitations) -> InvitationBatch:
    """Hand both parties their list of credentials; the site keeps the record ids only.

    The same lists again change nothing, even where new ones would not be taken any more.
    """
    configuration = approved_configuration(study)
    inviter = Role(configuration.inviter.value)
    require_role(role, inviter, _("The other organisation invites people to this study."))
    batch_id = id_of(signed.modeler_text + signed.regulator_text)
    known = study.invitation_batches.filter(pk=batch_id).first()
    if known is not None:
        return known
    _require_open(study)
    texts = {Role.MODELER: signed.modeler_text, Role.REGULATOR: signed.regulator_text}
    signatures = {
        Role.MODELER: signed.modeler_signature,
        Role.REGULATOR: signed.regulator_signature,
    }
    records = {to: _records_in(texts[to], to, study, configuration) for to in Role}
    if records[Role.MODELER] != records[Role.REGULATOR]:
        raise Unusable("INVITATIONS_DIFFER", _("The two lists name different records."))
    for to in Role:
        engine_client.check_approval(
            "invitations", texts[to], inviter, signed.key_id, signatures[to]
        )
    batch = _store_batch(study, batch_id, sorted(records[Role.MODELER]))
    for to in Role:
        order = about_people.AddInvitations(
            study_id=bytes.fromhex(study.id),
            text=texts[to],
            approval=engine_client.read_approval_of(inviter, signed.key_id, signatures[to]),
        )
        send_to_party(to, order)
    record(EntryKind.PEOPLE_INVITED, study=study, subject=batch.id, detail=str(batch.count))
    push.push_change(push.study_group(study.id), "invitations")
    return batch


@hears(about_people.InvitationsAccepted)
@transaction.atomic
def note_invitations_accepted(message: Message[about_people.InvitationsAccepted]) -> None:
    """Mark the oldest list of this size the party hasn't answered yet; send what waited for it."""
    flag, study_id = f"{message.role.value}_accepted", message.content.study_id.hex()
    waiting = InvitationBatch.objects.select_for_update().filter(
        study_id=study_id, count=message.content.count, **{flag: False}
    )
    refused = kept_orders(about_people.AddInvitations, study_id, Role(message.role.value))
    texts = [payload["text"] for payload in refused.values_list("payload", flat=True)]
    batch = next((b for b in waiting.order_by("created_at") if not _is_in(b, texts)), None)
    if batch is not None:
        setattr(batch, flag, True)
        batch.save(update_fields=[flag])
        _send_waiting_envelopes(batch, Role(message.role.value))
        push.push_change(push.study_group(batch.study_id), "invitations")


@transaction.atomic
def submit(study: Study, sealed: SealedSubmission) -> Submission:
    """Take two envelopes and send each to its party; the same ones again change nothing.

    A party that hasn't confirmed the invitation yet gets its share when it does. Sending the same
    submission again later hands it once more to a party that hasn't answered.
    """
    _require_open(study)
    invited = study.invitations.select_for_update(of=("self",)).select_related("batch")
    invitation = invited.filter(record_id=sealed.record_id).first()
    if invitation is None:
        raise Refused(
            "RECORD_NOT_INVITED",
            _("This study has no invitation for this record."),
            next_step=_("Open the link of your invitation again, complete, and send once more."),
        )
    digests = {
        "digest_modeler": hashlib.sha256(sealed.envelope_modeler).hexdigest(),
        "digest_regulator": hashlib.sha256(sealed.envelope_regulator).hexdigest(),
    }
    known = _what_clashes(study, sealed, digests)
    _require_owner(study, sealed, known)
    earlier = _earlier_submission(sealed, digests, known)
    if earlier is not None and earlier.created_at > timezone.now() - SEND_AGAIN_AFTER:
        return earlier
    submission = earlier or _store_submission(study, sealed, digests)
    answered = set(submission.answers.values_list("role", flat=True))
    for role in Role:
        if getattr(invitation.batch, f"{role.value}_accepted") and role.value not in answered:
            _send_envelope(submission, role)
    return submission


@hears(about_people.Receipt, about_people.SubmissionRefused)
@transaction.atomic
def take_answer(
    message: Message[about_people.Receipt | about_people.SubmissionRefused],
) -> None:
    """Store what a party says about a submission, a receipt or a refusal; its first word stands."""
    told = message.content
    study_id = told.study_id.hex()
    submission = Submission.objects.filter(
        study_id=study_id,
        record_id=told.record_id.hex(),
        submission_id=told.submission_id.hex(),
        sequence=told.sequence,
    )
    found = submission.values_list("pk", flat=True).first()
    if found is None:
        raise NotThere
    receipt = told if isinstance(told, about_people.Receipt) else None
    refusal = told if isinstance(told, about_people.SubmissionRefused) else None
    answer = Answer(
        submission_id=found,
        role=message.role.value,
        accepted=receipt is not None,
        common_digest=receipt.common_digest.hex() if receipt else "",
        code=refusal.code[:60] if refusal else "",
        sentence=refusal.sentence if refusal else "",
        body=message.body,
        signature=message.signature.hex(),
    )
    Answer.objects.bulk_create([answer], ignore_conflicts=True)
    push.push_change(push.study_group(study_id), "records")


def _is_in(batch: InvitationBatch, texts: Sequence[str]) -> bool:
    """Return whether a list is one of these texts: a record is in one list only."""
    first = batch.invitations.values_list("record_id", flat=True).first()
    return any(first is not None and first in text for text in texts)


def _require_open(study: Study) -> None:
    if study.state != StudyState.OPEN:
        raise Refused(
            "STUDY_NOT_OPEN",
            _("This study takes no answers now."),
            next_step=_("If you answered before, that answer counts. There is nothing to do."),
        )


def _what_clashes(
    study: Study, sealed: SealedSubmission, digests: dict[str, str]
) -> list[Submission]:
    """Return, oldest first, what came for the same record, and what has an envelope in common."""
    found = study.submissions.filter(
        Q(record_id=sealed.record_id)
        | Q(digest_modeler=digests["digest_modeler"])
        | Q(digest_regulator=digests["digest_regulator"])
    )
    return list(found.defer("envelope_modeler", "envelope_regulator").order_by("pk"))


def _require_owner(study: Study, sealed: SealedSubmission, known: Sequence[Submission]) -> None:
    """Return unless another key's answer stands: a party accepted it, or none has refused it yet.

    Parties let nobody but the first answer's owner replace it; a number that the site took from
    somebody else would be missing for her. ``known``: as `_what_clashes` gives it.
    """
    of_record = [one for one in known if one.record_id == sealed.record_id]
    if all(one.owner_key == sealed.owner_key for one in of_record):
        return
    others = study.submissions.filter(record_id=sealed.record_id).exclude(
        owner_key=sealed.owner_key
    )
    refused = Answer.objects.filter(submission__in=others, accepted=False)
    accepted = Answer.objects.filter(submission__in=others, accepted=True)
    standing = Q(pk__in=accepted.values("submission")) | ~Q(pk__in=refused.values("submission"))
    if others.filter(standing).exists():
        raise Refused(
            "OWNER_KEY_CHANGED",
            _("This invitation was answered in another browser before; that answer stands."),
            kept=_("Nothing was sent from here. The answer given there counts."),
            next_step=_(
                "To replace it, open the link in that browser. If it was not you, tell whoever "
                "invited you."
            ),
        )


def _records_in(
    text: str, to: Role, study: Study, configuration: engine_client.Configuration
) -> set[str]:
    listed = engine_texts.read_invitation_list(text)
    fits = (
        listed.study_id.hex() == study.id
        and listed.configuration == configuration.digest
        and listed.role.value == to
    )
    if not fits:
        raise Unusable(
            "INVITATIONS_FOR_ANOTHER_STUDY",
            _("A list was made for another study, configuration or party."),
        )
    return {record.hex() for record in listed.credentials}


def _store_batch(study: Study, batch_id: str, records: list[str]) -> InvitationBatch:
    try:
        with transaction.atomic():
            batch = InvitationBatch.objects.create(id=batch_id, study=study, count=len(records))
            Invitation.objects.bulk_create(
                (Invitation(batch=batch, study=study, record_id=record) for record in records),
                batch_size=500,
            )
    except IntegrityError:
        raise Refused(
            "RECORD_INVITED_ALREADY", _("At least one of these records was invited before.")
        ) from None
    return batch


def _earlier_submission(
    sealed: SealedSubmission, digests: dict[str, str], known: Sequence[Submission]
) -> Submission | None:
    """Return the same submission if it came before; Refused if part of it did.

    ``known``: as `_what_clashes` gives it.
    """

    def has_part(one: Submission) -> bool:
        of_record = one.record_id == sealed.record_id and (
            one.submission_id == sealed.submission_id or one.sequence == sealed.sequence
        )
        sent = (one.digest_modeler, one.digest_regulator)
        return (
            of_record
            or sent[0] == digests["digest_modeler"]
            or sent[1] == digests["digest_regulator"]
        )

    clash = next((one for one in known if has_part(one)), None)
    if clash is None:
        return None
    same = (
        clash.record_id == sealed.record_id
        and clash.submission_id == sealed.submission_id
        and clash.sequence == sealed.sequence
        and clash.owner_key == sealed.owner_key
        and clash.signature == sealed.signature
        and clash.digest_modeler == digests["digest_modeler"]
        and clash.digest_regulator == digests["digest_regulator"]
    )
    if same:
        return clash
    raise _clash_problem(clash, sealed)


def _clash_problem(clash: Submission, sealed: SealedSubmission) -> Problem:
    if clash.record_id != sealed.record_id:
        return Refused(
            "ENVELOPE_REPLAYED",
            _("This sealed answer was sent before for another record."),
            next_step=SEND_AGAIN,
        )
    if clash.submission_id != sealed.submission_id and clash.sequence == sealed.sequence:
        return Refused(
            "SEQUENCE_TAKEN",
            _("Another answer with the same number was sent before."),
            next_step=SEND_AGAIN,
        )
    return Refused(
        "ENVELOPE_REPLAYED",
        _("Part of this answer was sent before, in another one."),
        next_step=SEND_AGAIN,
    )


def _store_submission(
    study: Study, sealed: SealedSubmission, digests: dict[str, str]
) -> Submission:
    try:
        with transaction.atomic():
            return Submission.objects.create(
                study=study,
                record_id=sealed.record_id,
                submission_id=sealed.submission_id,
                sequence=sealed.sequence,
                owner_key=sealed.owner_key,
                signature=sealed.signature,
                envelope_modeler=sealed.envelope_modeler,
                envelope_regulator=sealed.envelope_regulator,
                **digests,
            )
    except IntegrityError:
        raise Refused(
            "SUBMISSION_DOUBLED",
            _("Another answer with the same number arrived at the same moment."),
            next_step=SEND_AGAIN,
        ) from None


def _send_waiting_envelopes(batch: InvitationBatch, role: Role) -> None:
    """Send a party the envelopes that came before it knew their invitations."""
    records = batch.invitations.values("record_id")
    waiting = Submission.objects.filter(study_id=batch.study_id, record_id__in=records)
    for submission in waiting.exclude(answers__role=role).order_by("pk").iterator():
        _send_envelope(submission, role)


def _send_envelope(submission: Submission, role: Role) -> None:
    envelopes = {
        Role.MODELER: (submission.envelope_modeler, submission.digest_regulator),
        Role.REGULATOR: (submission.envelope_regulator, submission.digest_modeler),
    }
    envelope, other_digest = envelopes[role]
    send_to_party(
        role,
        about_people.TakeSubmission(
            study_id=bytes.fromhex(submission.study_id),
            record_id=bytes.fromhex(submission.record_id),
            submission_id=bytes.fromhex(submission.submission_id),
            sequence=submission.sequence,
            envelope=bytes(envelope),
            other_envelope_digest=bytes.fromhex(other_digest),
            owner_key=bytes.fromhex(submission.owner_key),
            signature=engine_client.read_base64(submission.signature, "signature"),
        ),
    )
