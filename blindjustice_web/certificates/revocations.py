"""Revocations: taken from the regulator, passed on to both parties, and listed.

The regulator's party signs what its approver signed; the modeler's party gets that statement. What
a party refuses is sent again every hour: an operator may have put right what was wrong.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.certificates.access import verified_certificate
from blindjustice_web.certificates.models import (
    Certificate,
    DeliveryState,
    Revocation,
    RevocationDelivery,
    RevocationList,
)
from blindjustice_web.engine import engine_client, engine_revocations, engine_texts
from blindjustice_web.engine.engine_post import Message, about_certificates
from blindjustice_web.lib import push
from blindjustice_web.lib.problems import NotThere, Problem, Refused, Unusable
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.models import OutgoingTask
from blindjustice_web.post.outbox import send_to_party
from blindjustice_web.studies.refusals import note_refusal, settle_refusals

logger = logging.getLogger(__name__)

_AboutRevocation = (
    about_certificates.RevocationSigned
    | about_certificates.CertificateRevoked
    | about_certificates.RevocationRefused
)

CLOCKS_DIFFER = timedelta(minutes=10)
"""By how much a browser's clock may be wrong."""
TRY_AGAIN_AFTER = timedelta(hours=1)
LIST_ASKED_AFTER = timedelta(hours=12)
LIST_ASKED = "certificates.list-asked"


@transaction.atomic
def revoke_certificate(
    certificate: Certificate, text: str, key_id: str, signature: str
) -> Revocation:
    """Take a certificate back, as an approver of the regulator signed; only once.

    What was decided with it can still be challenged.
    """
    revocation = engine_texts.read_revocation(text)
    if revocation.certificate_id.hex() != certificate.id:
        raise Unusable(
            "REVOCATION_FOR_ANOTHER_CERTIFICATE", _("The signed text names another certificate.")
        )
    engine_client.check_approval("revocation", text, Role.REGULATOR, key_id, signature)
    now = timezone.now()
    _require_date(revocation.revoked_at, certificate, now)
    Certificate.objects.select_for_update().get(pk=certificate.pk)
    if Revocation.objects.filter(certificate=certificate).exists():
        raise Refused("CERTIFICATE_REVOKED", _("This certificate was revoked before."))
    row = Revocation.objects.create(
        certificate=certificate,
        text=text,
        key_id=key_id,
        signature=signature,
        reason=revocation.reason,
        revoked_at=now,
    )
    _send(row, Role.REGULATOR)
    record(
        EntryKind.CERTIFICATE_REVOKED,
        study=certificate.study,
        subject=certificate.id,
        detail=revocation.reason,
    )
    _announce(row)
    return row


@hears(about_certificates.RevocationSigned)
@transaction.atomic
def note_revocation_signed(message: Message[about_certificates.RevocationSigned]) -> None:
    """Keep the statement of the regulator's party, hand it to the modeler's, and ask for a list."""
    delivery = _answered(message)
    if delivery is None:
        return
    signature = message.content.statement_signature.hex()
    text = delivery.revocation.text
    try:
        key = verified_certificate(delivery.revocation.certificate).regulator_key
        engine_revocations.check_statement(text, signature, key)
    except (Problem, NotThere):
        _refuse(delivery, message, "REVOCATION_SIGNATURE_INVALID")
        return
    delivery.statement_signature = signature
    _acknowledge(delivery, message)
    _send(delivery.revocation, Role.MODELER)
    send_to_party(Role.REGULATOR, about_certificates.ListRevocations())


@hears(about_certificates.CertificateRevoked)
@transaction.atomic
def note_certificate_revoked(message: Message[about_certificates.CertificateRevoked]) -> None:
    """Keep the word of the modeler's party that it uses a certificate no more."""
    delivery = _answered(message)
    if delivery is not None:
        _acknowledge(delivery, message)


@hears(about_certificates.RevocationRefused)
@transaction.atomic
def note_revocation_refused(message: Message[about_certificates.RevocationRefused]) -> None:
    """Keep why a party did not accept a revocation; it is told to people once, not every hour."""
    delivery = _addressed(message)
    if delivery.state == DeliveryState.ACKNOWLEDGED:
        return
    if delivery.code != message.content.code[:60]:
        note_refusal(message, message.content.study_id, "revocation", delivery.revocation_id)
    _refuse(delivery, message, message.content.code[:60])


@hears(about_certificates.RevocationListed)
@transaction.atomic
def note_revocation_list(message: Message[about_certificates.RevocationListed]) -> None:
    """Keep a list that the regulator's party signed, unless a newer one is known."""
    text, signature = message.content.text, message.content.list_signature.hex()
    try:
        revoked = engine_revocations.check_list(text, signature)
    except Problem as problem:
        logger.error("A list of revocations is unusable: %s", problem.code)
        return
    newest = RevocationList.objects.select_for_update().order_by("-number").first()
    if newest is not None and newest.number >= revoked.number:
        if newest.text != text:
            logger.error("List %d came after list %d", revoked.number, newest.number)
        return
    RevocationList.objects.create(
        number=revoked.number,
        text=text,
        signature=signature,
        issued_at=revoked.issued_at,
        next_update=revoked.next_update,
    )
    RevocationList.objects.filter(number__lt=revoked.number).delete()
    _send_what_is_missing(revoked)


@transaction.atomic
def pass_on_revocations() -> int:
    """Send what no party was sent yet, and again what one refused a while ago; return how many."""
    signed = Q(deliveries__role=Role.REGULATOR, deliveries__state=DeliveryState.ACKNOWLEDGED)
    waiting = [
        *((row, Role.REGULATOR) for row in _not_sent(Role.REGULATOR)),
        *((row, Role.MODELER) for row in _not_sent(Role.MODELER).filter(signed)),
    ]
    refused = RevocationDelivery.objects.select_for_update(of=("self",)).filter(
        state=DeliveryState.REFUSED, at__lt=timezone.now() - TRY_AGAIN_AFTER
    )
    waiting += [
        (delivery.revocation, Role(delivery.role))
        for delivery in refused.select_related("revocation__certificate").order_by("pk")
    ]
    for row, role in waiting:
        _send(row, role)
    return len(waiting)


@transaction.atomic
def ask_for_list_if_due() -> bool:
    """Ask for another list when the last is half a day old; return whether it was asked for.

    Once an hour at most: what the party answered may have been unusable.
    """
    newest = RevocationList.objects.order_by("-number").first()
    if newest is not None and newest.issued_at > timezone.now() - LIST_ASKED_AFTER:
        return False
    asked = OutgoingTask.objects.filter(kind=about_certificates.ListRevocations.kind)
    if not Certificate.objects.exists() or asked.exists():
        return False
    if not cache.add(LIST_ASKED, 1, int(TRY_AGAIN_AFTER.total_seconds())):
        return False
    send_to_party(Role.REGULATOR, about_certificates.ListRevocations())
    return True


def _require_date(stated: datetime, certificate: Certificate, now: datetime) -> None:
    """Raise Unusable (``REVOCATION_DATE``) with the difference, if the signer's clock was wrong."""
    if certificate.issued_at - CLOCKS_DIFFER <= stated <= now + CLOCKS_DIFFER:
        return
    minutes = round((stated - now) / timedelta(minutes=1))
    ahead = _("%(n)d minutes ahead of this site's clock") % {"n": minutes}
    behind = _("%(n)d minutes behind this site's clock") % {"n": -minutes}
    raise Unusable(
        "REVOCATION_DATE",
        _(
            "The revocation is dated before the certificate, or in the future: by its date it was "
            "signed %(difference)s."
        )
        % {"difference": ahead if minutes > 0 else behind},
        next_step=_(
            "Set the clock of the computer that signed, or date the text by the site's "
            "(GET /api/v1/clock), and sign it again."
        ),
    )


def _not_sent(role: Role) -> QuerySet[Revocation]:
    rows = Revocation.objects.select_related("certificate")
    return rows.exclude(deliveries__in=RevocationDelivery.objects.filter(role=role)).order_by("pk")


def _send_what_is_missing(revoked: engine_revocations.RevocationList) -> None:
    """Send the regulator's party again what it signed once and lists no more: it forgot that."""
    missing = (
        RevocationDelivery.objects.select_for_update(of=("self",))
        .filter(
            role=Role.REGULATOR,
            state=DeliveryState.ACKNOWLEDGED,
            at__lt=revoked.issued_at - TRY_AGAIN_AFTER,
            revocation__certificate__valid_until__gt=revoked.issued_at,
        )
        .exclude(revocation__key_id="")
    )  # brought back, without what its approver signed
    for delivery in missing.select_related("revocation__certificate").order_by("pk"):
        if bytes.fromhex(delivery.revocation_id) not in revoked.revoked:
            logger.warning(
                "List %d lacks the revocation of %s: it is sent again",
                revoked.number,
                delivery.revocation_id,
            )
            _send(delivery.revocation, Role.REGULATOR)


def _send(row: Revocation, role: Role) -> None:
    """Send a revocation to a party, in the form it can check; it knows one that comes again."""
    study_id = bytes.fromhex(row.certificate.study_id)
    certificate_id = bytes.fromhex(row.certificate_id)
    order: about_certificates.SignRevocation | about_certificates.TakeRevocation
    if role == Role.REGULATOR:
        approval = engine_client.read_approval_of(role, row.key_id, row.signature)
        order = about_certificates.SignRevocation(study_id, certificate_id, row.text, approval)
    else:
        signed = bytes.fromhex(row.deliveries.get(role=Role.REGULATOR).statement_signature)
        order = about_certificates.TakeRevocation(study_id, certificate_id, row.text, signed)
    RevocationDelivery.objects.update_or_create(
        revocation=row,
        role=role,
        defaults={"state": DeliveryState.SENT, "at": timezone.now()},
    )
    send_to_party(role, order)


def _addressed(message: Message[_AboutRevocation]) -> RevocationDelivery:
    """Return how far a party is with the revocation it speaks of, locked; else NotThere."""
    delivery = (
        RevocationDelivery.objects.select_for_update(of=("self",))
        .select_related("revocation__certificate__study__configuration")
        .filter(
            revocation=message.content.certificate_id.hex(),
            revocation__certificate__study=message.content.study_id.hex(),
            role=message.role.value,
        )
        .first()
    )
    if delivery is None:
        raise NotThere
    return delivery


def _answered(
    message: Message[about_certificates.RevocationSigned | about_certificates.CertificateRevoked],
) -> RevocationDelivery | None:
    """Return the delivery that a party acknowledges now; None where that is known, or not so."""
    delivery = _addressed(message)
    if delivery.state == DeliveryState.ACKNOWLEDGED:
        return None
    if message.content.revocation.hex() != engine_client.text_digest(delivery.revocation.text):
        _refuse(delivery, message, "REVOCATION_OF_ANOTHER_TEXT")
        return None
    return delivery


def _acknowledge(delivery: RevocationDelivery, message: Message[_AboutRevocation]) -> None:
    _settle(delivery, message, DeliveryState.ACKNOWLEDGED, "")
    certificate = delivery.revocation.certificate
    settle_refusals(
        certificate.study_id, "revocation", role=Role(delivery.role), object_id=certificate.id
    )
    record(EntryKind.REVOCATION_ACKNOWLEDGED, study=certificate.study, subject=certificate.id)


def _refuse(delivery: RevocationDelivery, message: Message[_AboutRevocation], code: str) -> None:
    logger.error("The %s's party did not accept a revocation: %s", delivery.role, code)
    _settle(delivery, message, DeliveryState.REFUSED, code)


def _settle(
    delivery: RevocationDelivery,
    message: Message[_AboutRevocation],
    state: DeliveryState,
    code: str,
) -> None:
    delivery.state, delivery.code, delivery.at = state, code, timezone.now()
    delivery.body, delivery.signature = message.body, message.signature.hex()
    delivery.save()
    _announce(delivery.revocation)


def _announce(row: Revocation) -> None:
    push.push_change(push.study_group(row.certificate.study_id), "models")
