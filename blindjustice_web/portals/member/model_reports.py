"""Reports on a model's verdict, passed or not, for the two sides of its study."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.certificates.access import result_for
from blindjustice_web.certificates.models import CertificationResult
from blindjustice_web.portals.pages import View, member_page
from blindjustice_web.portals.report_page import Place, report_context
from blindjustice_web.presentation.cards.study_views import study_url
from blindjustice_web.presentation.reports.opened import GroupRows


def model_report(role: Role) -> View:
    """Return the view that shows a report to one side."""

    @member_page(role)
    def view(request: HttpRequest, model_id: str, report: str) -> HttpResponse:
        result = result_for(user_of(request), model_id)
        study = result.model.study
        place = Place(f"{role.value}_report", model_id, study_url(study, role), study.title)
        context = report_context(result, result.groups, report, place)
        return render(request, "member/report.html", context)

    return view


def model_report_file(
    role: Role, hand_out: Callable[[CertificationResult, GroupRows, str], HttpResponse]
) -> View:
    """Return the view that hands a report out to one side as `report_csv` or `report_pdf` does."""

    @member_page(role)
    def view(request: HttpRequest, model_id: str, report: str) -> HttpResponse:
        result = result_for(user_of(request), model_id)
        return hand_out(result, result.groups, report)

    return view
