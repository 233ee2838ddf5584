"""Pages for anyone: the start page, certificates, health."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone

from blindjustice_web.accounts.models import Role
from blindjustice_web.certificates.access import published_certificate, published_certificates
from blindjustice_web.certificates.acknowledgements import (
    newest_list,
    newest_list_file,
    statement_file,
)
from blindjustice_web.certificates.models import Certificate
from blindjustice_web.certificates.validity import revocation_of
from blindjustice_web.engine import engine_client
from blindjustice_web.lib import own_health
from blindjustice_web.lib.named import Named
from blindjustice_web.lib.paging import page_of
from blindjustice_web.portals.pages import public_page
from blindjustice_web.portals.public.certificate_page import certificate_page
from blindjustice_web.portals.public.design_page import design_page
from blindjustice_web.presentation.cards.challenges import certificate_cards

NEWEST_SHOWN = 5


@dataclass(frozen=True)
class PartyView:
    """A party as the start page names it."""

    role: Named
    name: str
    fingerprint: str


@public_page
def home(request: HttpRequest) -> HttpResponse:
    """Show what the site is for, its parties and the newest certificates."""
    certificates = published_certificates()
    parties = engine_client.find_parties()
    context = {
        "certificates": certificate_cards(list(certificates[:NEWEST_SHOWN])),
        "n_certificates": certificates.count(),
        "parties": [
            PartyView(
                Named.of(role),
                parties[role].name,
                engine_client.fingerprint(parties[role].signing_key),
            )
            for role in Role
            if role in parties
        ],
    }
    return render(request, "public/home.html", context)


@public_page
def certificate_list(request: HttpRequest) -> HttpResponse:
    """Show the public register, searched by words and filtered by status."""
    query = request.GET.get("q", "").replace("\x00", "").strip()[:100]
    status = request.GET.get("status", "")
    found = _searched(query, status)
    page = page_of(request, found)
    context = {
        "certificates": certificate_cards(page.rows),
        "page": page,
        "n_found": page.n_rows,
        "query": query,
        "status": status if status in _STATUS else "",
        "revocation_list": newest_list(),
    }
    return render(request, "public/certificate_list.html", context)


@public_page
def certificate_detail(request: HttpRequest, certificate_id: str) -> HttpResponse:
    """Show a certificate, its chart and what came of challenges under it."""
    certificate = published_certificate(certificate_id)
    return render(request, "public/certificate_detail.html", certificate_page(request, certificate))


@public_page
def certificate_download(request: HttpRequest, certificate_id: str) -> HttpResponse:
    """Hand out the file that the offline check reads."""
    certificate = published_certificate(certificate_id)
    text = engine_client.certificate_as_file(
        certificate.text, certificate.modeler_signature, certificate.regulator_signature
    )
    return _file(text, f"certificate-{certificate.id}.json")


@public_page
def certificate_revocation(request: HttpRequest, certificate_id: str) -> HttpResponse:
    """Hand out the revocation of a certificate as the regulator's party signed it."""
    certificate = published_certificate(certificate_id)
    text = statement_file(revocation_of(certificate))
    return _file(text, f"revocation-{certificate.id}.json")


@public_page
def revocation_list(request: HttpRequest) -> HttpResponse:
    """Hand out the newest list of revocations that the regulator's party signed."""
    return _file(newest_list_file(), "revocation-list.json")


@public_page
def design(request: HttpRequest) -> HttpResponse:
    """Show the design system: every token and component, as the pages use them."""
    return render(request, "public/design.html", design_page())


@public_page
def health(request: HttpRequest) -> HttpResponse:
    """Answer 200 while database and Redis take changes; else 503 with what is not in order."""
    found = own_health.faults()
    if not found:
        return JsonResponse({"status": "ok"})
    told = [{"code": fault.code, "sentence": fault.sentence} for fault in found]
    return JsonResponse({"status": "failed", "faults": told}, status=503)


def _file(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


_STATUS = {"VALID", "EXPIRED", "NOT_YET_VALID", "REVOKED"}


def _searched(query: str, status: str) -> QuerySet[Certificate]:
    found = published_certificates()
    now = timezone.now()
    if query:
        found = found.filter(
            Q(study__title__icontains=query)
            | Q(study__modeler__name__icontains=query)
            | Q(study__regulator__name__icontains=query)
            | Q(model__name__icontains=query)
            | Q(id__startswith=query.lower())
        )
    if status == "REVOKED":
        return found.filter(revocation__isnull=False)
    if status in _STATUS:
        found = found.filter(revocation__isnull=True)
    if status == "VALID":
        return found.filter(valid_from__lte=now, valid_until__gt=now)
    if status == "EXPIRED":
        return found.filter(valid_until__lte=now)
    if status == "NOT_YET_VALID":
        return found.filter(valid_from__gt=now)
    return found
