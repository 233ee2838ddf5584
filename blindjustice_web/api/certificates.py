"""Certificates: public, checked, downloadable."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema

from blindjustice_web.api.fields import PathId
from blindjustice_web.certificates.access import published_certificate, published_certificates
from blindjustice_web.certificates.cards import status_of
from blindjustice_web.certificates.models import Certificate
from blindjustice_web.challenges.selectors import alarms_by_certificate
from blindjustice_web.lib.paging import api_page

router = Router(tags=["certificates"], auth=None)


class CertificateRow(Schema):
    """A certificate in the public list."""

    certificate_id: str
    study_id: str
    study_title: str
    model_id: str
    model_name: str
    status: str
    valid_from: str
    valid_until: str
    alarms: int


class CertificateOut(CertificateRow):
    """A certificate with both signatures."""

    text: str
    modeler_signature: str
    regulator_signature: str


@router.get("certificates", response=list[CertificateRow])
def certificate_list_api(request: HttpRequest, response: HttpResponse) -> list[dict[str, Any]]:
    """Return certificates, newest first, in pages."""
    found = api_page(request, response, published_certificates())
    alarms = alarms_by_certificate(certificate.id for certificate in found)
    return [_row(certificate, alarms.get(certificate.id, 0)) for certificate in found]


@router.get("certificates/{certificate_id}", response=CertificateOut)
def certificate_read(request: HttpRequest, certificate_id: PathId) -> dict[str, Any]:
    """Return a certificate with its exact signed text."""
    certificate = published_certificate(certificate_id)
    alarms = alarms_by_certificate([certificate.id])
    return {
        **_row(certificate, alarms.get(certificate.id, 0)),
        "text": certificate.text,
        "modeler_signature": certificate.modeler_signature,
        "regulator_signature": certificate.regulator_signature,
    }


def _row(certificate: Certificate, alarms: int) -> dict[str, Any]:
    return {
        "certificate_id": certificate.id,
        "study_id": certificate.study_id,
        "study_title": certificate.study.title,
        "model_id": certificate.model_id,
        "model_name": certificate.model.name,
        "status": status_of(certificate).value,
        "valid_from": certificate.valid_from.isoformat(),
        "valid_until": certificate.valid_until.isoformat(),
        "alarms": alarms,
    }
