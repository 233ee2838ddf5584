"""Reports on a certified model, for anyone: made of what the signed certificate says, no more."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from blindjustice_web.certificates.access import certified_result
from blindjustice_web.portals.pages import public_page
from blindjustice_web.portals.report_page import Place, report_context, report_csv, report_pdf


@public_page
def certificate_report(request: HttpRequest, certificate_id: str, report: str) -> HttpResponse:
    """Show a report on a certified model, or why its policy allows none."""
    result, groups = certified_result(certificate_id)
    back = reverse("certificate_detail", args=(certificate_id,))
    place = Place("certificate_report", certificate_id, back, result.model.study.title)
    context = report_context(result, groups, report, place)
    return render(request, "public/certificate_report.html", context)


@public_page
def certificate_report_csv(request: HttpRequest, certificate_id: str, report: str) -> HttpResponse:
    """Hand out a report on a certified model as CSV."""
    return report_csv(*certified_result(certificate_id), report)


@public_page
def certificate_report_pdf(request: HttpRequest, certificate_id: str, report: str) -> HttpResponse:
    """Hand out a report on a certified model as PDF."""
    return report_pdf(*certified_result(certificate_id), report)
