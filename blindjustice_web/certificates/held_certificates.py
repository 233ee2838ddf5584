"""Certificates that a party holds and this site lost: brought back with both signatures checked."""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.certificates.models import (
    CandidateModel,
    Certificate,
    CertificationResult,
    DeliveryState,
    ModelState,
    Revocation,
    RevocationDelivery,
)
from blindjustice_web.engine import engine_client, engine_revocations, engine_texts
from blindjustice_web.engine.engine_post import Message, about_certificates
from blindjustice_web.lib import push
from blindjustice_web.lib.labels import Verdict
from blindjustice_web.lib.problems import NotThere, Problem
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.outbox import ask_to_resynchronise
from blindjustice_web.studies.models import Study

logger = logging.getLogger(__name__)


@hears(about_certificates.CertificateHeld)
@transaction.atomic
def note_certificate_held(message: Message[about_certificates.CertificateHeld]) -> None:
    """Store a certificate and its revocation where the site lost them; NotThere before its study.

    The regulator's party alone can bring a certificate back: in a certification it signs first, so
    the modeler's can hold both signatures of one that the regulator neither stored nor can revoke.
    A revocation comes back from either: the regulator's signature is under it.
    """
    study = Study.objects.filter(
        pk=message.content.study_id.hex(),
        configuration__approved_at__isnull=False,
        record_set__gt="",
    ).first()
    if study is None:
        raise NotThere
    certificate_id = message.content.certificate_id.hex()
    try:
        certificate = Certificate.objects.filter(pk=certificate_id, study=study).first()
        if certificate is None and message.role.value == Role.REGULATOR:
            certificate = _brought_back(study, message)
        if certificate is not None:
            _revoke_again(certificate, message)
    except Problem as problem:
        logger.error("Certificate %s can't be brought back: %s", certificate_id, problem.code)


def _brought_back(
    study: Study, message: Message[about_certificates.CertificateHeld]
) -> Certificate | None:
    """Return the certificate, stored again; None where its model has another one."""
    held = message.content
    checked = engine_client.check_certificate(
        held.text,
        held.modeler_signature.hex(),
        held.regulator_signature.hex(),
        study.configuration.text,
    )
    model_id = checked.model_id.hex()
    model, _fresh = CandidateModel.objects.get_or_create(
        pk=model_id,
        defaults={
            "study": study,
            "name": _("Model %(start)s") % {"start": model_id[:8]},
            "state": ModelState.ACCEPTED,
        },
    )
    fits = (
        checked.certificate_id == held.certificate_id
        and model.study_id == study.id
        and checked.record_set.hex() == study.record_set
        and not Certificate.objects.filter(model=model).exists()
    )
    if not fits:
        logger.error("A certificate of study %s fits no model of this site", study.id)
        return None
    record(EntryKind.CERTIFICATE_BROUGHT_BACK, study=study, subject=held.certificate_id.hex())
    push.push_change(push.study_group(study.id), "models")
    ask_to_resynchronise(anew=True)  # a revocation that the modeler's party told came too early
    return Certificate.objects.create(
        id=held.certificate_id.hex(),
        study=study,
        model=model,
        result=CertificationResult.objects.create(
            model=model,
            verdict=Verdict.PASS,
            thresholds=[row.to_json() for row in checked.thresholds],
            groups=[row.to_json() for row in checked.groups],
        ),
        text=checked.text,
        modeler_signature=held.modeler_signature.hex(),
        regulator_signature=held.regulator_signature.hex(),
        valid_from=checked.valid_from,
        valid_until=checked.valid_until,
    )


def _revoke_again(
    certificate: Certificate, message: Message[about_certificates.CertificateHeld]
) -> None:
    """Store a revocation that the site lost, as the regulator's party signed it.

    What its approver signed is gone with the site's row; the modeler's party gets the statement.
    What the modeler's party tells is no acknowledgement of the regulator's: the statement alone is.
    """
    held = message.content.revocation
    if held is None or Revocation.objects.filter(certificate=certificate).exists():
        return
    text, signature = held.text, held.statement_signature.hex()
    key = engine_client.read_configuration(certificate.study.configuration.text).regulator
    engine_revocations.check_statement(text, signature, key.signing_key)
    revocation = engine_texts.read_revocation(text)
    if revocation.certificate_id.hex() != certificate.id:
        return
    is_own_word = message.role.value == Role.REGULATOR
    row = Revocation.objects.create(
        certificate=certificate,
        text=text,
        reason=revocation.reason,
        revoked_at=revocation.revoked_at,
    )
    RevocationDelivery.objects.create(
        revocation=row,
        role=Role.REGULATOR,
        state=DeliveryState.ACKNOWLEDGED,
        at=timezone.now(),
        body=message.body if is_own_word else "",
        signature=message.signature.hex() if is_own_word else "",
        statement_signature=signature,
    )
    record(
        EntryKind.CERTIFICATE_REVOKED,
        study=certificate.study,
        subject=certificate.id,
        detail=revocation.reason,
    )
