"""Who may see a model; certificates are for everyone."""

from __future__ import annotations

from django.db.models import QuerySet

from blindjustice_web.accounts.selectors import Viewer
from blindjustice_web.certificates.models import CandidateModel, Certificate
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.studies.access import StudyAccess, study_for

RELATED = ("model", "result", "study__modeler", "study__regulator", "study__configuration")


def model_for(user: Viewer, model_id: str) -> tuple[CandidateModel, StudyAccess]:
    """Return a model of a study its viewer takes part in, with that access; else NotThere."""
    model = CandidateModel.objects.filter(pk=model_id).first()
    if model is None:
        raise NotThere
    return model, study_for(user, model.study_id)


def published_certificates() -> QuerySet[Certificate]:
    """Return every certificate, newest first."""
    return Certificate.objects.select_related(*RELATED).order_by("-issued_at", "pk")


def published_certificate(certificate_id: str) -> Certificate:
    """Return a certificate by its id, else NotThere."""
    certificate = published_certificates().filter(pk=certificate_id).first()
    if certificate is None:
        raise NotThere
    return certificate
