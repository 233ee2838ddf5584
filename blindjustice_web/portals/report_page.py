"""The page of a report and its files, for anyone who may see the verdict that it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from blindjustice_web.certificates.models import CertificationResult
from blindjustice_web.engine.engine_texts import isolated
from blindjustice_web.lib.named import Named
from blindjustice_web.lib.problems import NotThere, Refused
from blindjustice_web.presentation.reports.catalogue import REPORTS, report_names
from blindjustice_web.presentation.reports.csv_file import csv_file
from blindjustice_web.presentation.reports.document import Report
from blindjustice_web.presentation.reports.opened import GroupRows, opened_table, why_not_offered
from blindjustice_web.presentation.reports.pdf_file import pdf_file, text_not_shown


@dataclass(frozen=True)
class Place:
    """Where a report is shown: the URL name of its page, the id in it, and the page before."""

    url_name: str
    id: str
    back_url: str
    back_title: str


def report_context(
    result: CertificationResult, groups: GroupRows, name: str, place: Place
) -> dict[str, Any]:
    """Return the context of a report's page: the report, or why there is none."""
    why_not = why_not_offered(result, groups)
    report = None if why_not else REPORTS[name](opened_table(result, groups))
    lost = text_not_shown(report) if report else ""
    named = next(each for each in report_names() if each.value == name)
    return {
        "report_name": named,
        "report": report,
        "why_not": why_not,
        "why_no_pdf": f"{_why_no_pdf(lost)} {_print_instead()}" if lost else "",
        "files": _files(name, place, ("csv",) if lost else ("pdf", "csv")) if report else [],
        "place": place,
    }


def report_csv(result: CertificationResult, groups: GroupRows, name: str) -> HttpResponse:
    """Return a report as CSV; NotThere where none is offered."""
    report = _report(result, groups, name)
    return _file(csv_file(report), "text/csv; charset=utf-8", report, "csv")


def report_pdf(result: CertificationResult, groups: GroupRows, name: str) -> HttpResponse:
    """Return a report as PDF; NotThere where none is offered, Refused where it would lose text."""
    report = _report(result, groups, name)
    lost = text_not_shown(report)
    if lost:
        raise Refused("REPORT_NOT_AS_PDF", _why_no_pdf(lost), next_step=_print_instead())
    return _file(pdf_file(report), "application/pdf", report, "pdf")


def _report(result: CertificationResult, groups: GroupRows, name: str) -> Report:
    if why_not_offered(result, groups):
        raise NotThere
    return REPORTS[name](opened_table(result, groups))


def _file(content: bytes, content_type: str, report: Report, ending: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    name = f"{report.name}-{report.day.isoformat()}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _files(name: str, place: Place, endings: Sequence[str]) -> list[Named]:
    """Return the addresses of the files, with the words of their links."""
    words = {"pdf": _("Download as PDF"), "csv": _("Download as CSV")}
    return [
        Named(reverse(f"{place.url_name}_{ending}", args=(place.id, name)), words[ending])
        for ending in endings
    ]


def _why_no_pdf(lost: str) -> str:
    return _("There is no PDF of this report: its typeface can't show “%(text)s” as it is.") % {
        "text": isolated(lost)
    }


def _print_instead() -> str:
    return _("Print the report's page, or take the CSV file; both have every text.")
