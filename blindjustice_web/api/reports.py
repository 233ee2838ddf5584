"""Reports from opened counts: of certified models for anyone, of any verdict for its two sides."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from ninja import Router, Schema

from blindjustice_web.api.fields import PathId
from blindjustice_web.certificates.access import certified_result, result_for
from blindjustice_web.certificates.models import CertificationResult
from blindjustice_web.lib.problems import NotThere, Refused
from blindjustice_web.presentation.reports.catalogue import REPORTS
from blindjustice_web.presentation.reports.opened import GroupRows, opened_table, why_not_offered

router = Router(tags=["reports"])


class FactOut(Schema):
    """A line of what a report is about."""

    label: str
    value: str


class TableOut(Schema):
    """A table; the first cell of a row heads it."""

    title: str
    headings: list[str]
    rows: list[list[str]]
    notes: list[str]


class ReportOut(Schema):
    """A report as its page shows it."""

    name: str
    title: str
    day: date
    facts: list[FactOut]
    tables: list[TableOut]
    limits: list[str]
    sources: list[str]


@router.get("certificates/{certificate_id}/reports/{report}", response=ReportOut, auth=None)
def certificate_report_read(request: HttpRequest, certificate_id: PathId, report: str) -> Any:
    """Return a report on a certified model, made of what its certificate says."""
    return _report(*certified_result(certificate_id), report)


@router.get("models/{model_id}/reports/{report}", response=ReportOut)
def model_report_read(request: HttpRequest, model_id: PathId, report: str) -> Any:
    """Return a report on a model's verdict, passed or not."""
    result = result_for(request.user, model_id)
    return _report(result, result.groups, report)


def _report(result: CertificationResult, groups: GroupRows, name: str) -> Any:
    if name not in REPORTS:
        raise NotThere
    why_not = why_not_offered(result, groups)
    if why_not:
        raise Refused(
            "REPORT_NOT_OFFERED",
            why_not,
            next_step=_("A study whose policy opens the full table has reports."),
        )
    return REPORTS[name](opened_table(result, groups))
