"""Who may see a model; certificates are for everyone."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import Viewer
from blindjustice_web.certificates.models import CandidateModel, Certificate, CertificationResult
from blindjustice_web.engine import engine_client, engine_texts
from blindjustice_web.lib.problems import NotThere, Outdated, Problem
from blindjustice_web.studies.access import StudyAccess, require_role, study_for
from blindjustice_web.studies.texts import ONLY_REGULATOR

RELATED = (
    "model",
    "result",
    "revocation",
    "study__modeler",
    "study__regulator",
    "study__configuration",
)


def model_for(user: Viewer, model_id: str) -> tuple[CandidateModel, StudyAccess]:
    """Return a model of a study its viewer takes part in, with that access; else NotThere."""
    model = CandidateModel.objects.filter(pk=model_id).first()
    if model is None:
        raise NotThere
    return model, study_for(user, model.study_id)


def certificate_to_revoke(user: Viewer, certificate_id: str) -> Certificate:
    """Return a certificate that its viewer's organisation signed as regulator, else NotThere."""
    certificate = published_certificate(certificate_id)
    access = study_for(user, certificate.study_id)
    require_role(access.role, Role.REGULATOR, ONLY_REGULATOR)
    return certificate


def result_for(user: Viewer, model_id: str) -> CertificationResult:
    """Return the verdict of a model of a study its viewer takes part in, else NotThere."""
    model, _access = model_for(user, model_id)
    result = model.results.order_by("-at").first()
    if result is None:
        raise NotThere
    return result


def published_certificates() -> QuerySet[Certificate]:
    """Return every certificate, newest first."""
    return Certificate.objects.select_related(*RELATED).order_by("-issued_at", "pk")


def published_certificate(certificate_id: str) -> Certificate:
    """Return a certificate by its id, else NotThere."""
    certificate = published_certificates().filter(pk=certificate_id).first()
    if certificate is None:
        raise NotThere
    return certificate


def verified_certificate(certificate: Certificate) -> engine_client.Certificate:
    """Return what a certificate's signed text says; NotThere unless both signatures verify.

    Raises Outdated for a text of another version.
    """
    try:
        return engine_client.check_certificate(
            certificate.text,
            certificate.modeler_signature,
            certificate.regulator_signature,
            certificate.study.configuration.text,
        )
    except Problem:
        configuration = certificate.study.configuration.text
        if not engine_texts.is_readable(certificate.text, configuration):
            raise Outdated from None
        raise NotThere from None


def certified_result(certificate_id: str) -> tuple[CertificationResult, list[dict[str, Any]]]:
    """Return a certificate's verdict, and its groups as the verified text has them."""
    certificate = published_certificate(certificate_id)
    checked = verified_certificate(certificate)
    return certificate.result, [dict(row.to_json()) for row in checked.groups]
