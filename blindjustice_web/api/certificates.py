"""Certificates: public, checked, downloadable."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status
from ninja.security import django_auth

from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.api.fields import IdText, PathId, ShortText, Signature64
from blindjustice_web.certificates.access import (
    certificate_to_revoke,
    published_certificate,
    published_certificates,
)
from blindjustice_web.certificates.acknowledgements import (
    acknowledgements_of,
    newest_list_file,
    statement_file,
    statement_signature_of,
)
from blindjustice_web.certificates.models import Certificate, Revocation
from blindjustice_web.certificates.revocations import revoke_certificate
from blindjustice_web.certificates.validity import revocation_of, status_of
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


class RevocationIn(Schema):
    """A revocation, signed by an approver of the regulator."""

    text: ShortText
    key_id: IdText
    signature: Signature64


class AcknowledgementOut(Schema):
    """How far a revocation got with a party."""

    role: str
    state: str
    at: str
    code: str


class RevocationOut(Schema):
    """Why and when a certificate was taken back, what was signed, and which party knows of it."""

    reason: str
    revoked_at: str
    text: str
    key_id: str
    signature: str
    statement_signature: str
    parties: list[AcknowledgementOut]


class CertificateOut(CertificateRow):
    """A certificate with both signatures."""

    text: str
    modeler_signature: str
    regulator_signature: str
    revocation: RevocationOut | None


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
        "revocation": _revocation(revocation_of(certificate)),
    }


@router.post(
    "certificates/{certificate_id}/revocation", auth=django_auth, response={201: RevocationOut}
)
def certificate_revoke(
    request: HttpRequest, certificate_id: PathId, payload: RevocationIn
) -> Status[dict[str, Any] | None]:
    """Take a certificate back with a reason that everybody reads (regulator only)."""
    certificate = certificate_to_revoke(user_of(request), certificate_id)
    row = revoke_certificate(certificate, payload.text, payload.key_id, payload.signature)
    return Status(201, _revocation(row))


@router.get("certificates/{certificate_id}/revocation")
def certificate_revocation_api(request: HttpRequest, certificate_id: PathId) -> HttpResponse:
    """Return the revocation as the regulator's party signed it: the file that a check reads."""
    certificate = published_certificate(certificate_id)
    content = statement_file(revocation_of(certificate))
    return HttpResponse(content, content_type="application/json")


@router.get("revocations")
def revocation_list_api(request: HttpRequest) -> HttpResponse:
    """Return the newest list of revocations, signed by the regulator's party."""
    return HttpResponse(newest_list_file(), content_type="application/json")


def _revocation(row: Revocation | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "reason": row.reason,
        "revoked_at": row.revoked_at.isoformat(),
        "text": row.text,
        "key_id": row.key_id,
        "signature": row.signature,
        "statement_signature": statement_signature_of(row),
        "parties": [
            {
                "role": party.role.value,
                "state": party.state.value,
                "at": party.at.isoformat() if party.at else "",
                "code": party.code,
            }
            for party in acknowledgements_of(row)
        ],
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
