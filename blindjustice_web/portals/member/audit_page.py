"""The audit log: one page and one export for both organisations, each of its own entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.audit.access import AuditFilter, Wanted, entries_for, narrowed, wanted_of
from blindjustice_web.audit.chain import misfits
from blindjustice_web.audit.entry_views import EntryView, entry_views
from blindjustice_web.audit.export import ExportFormat, export_log
from blindjustice_web.lib.paging import page_of
from blindjustice_web.lib.problems import Unusable
from blindjustice_web.portals.pages import View, member_action, member_page
from blindjustice_web.presentation.cards.study_views import study_url
from blindjustice_web.studies.access import studies_for

MEDIA_TYPES = {
    ExportFormat.CSV: "text/csv; charset=utf-8",
    ExportFormat.JSON_LINES: "application/jsonl; charset=utf-8",
}


@dataclass(frozen=True)
class LogRow:
    """An entry with the study it is about, if it is about one."""

    entry: EntryView
    study_title: str
    study_url: str


def audit_log(role: Role) -> View:
    """Return the view that shows the log to members in one role, newest entry first."""

    @member_page(role)
    def view(request: HttpRequest) -> HttpResponse:
        return render(request, "member/audit.html", _context(request, role))

    return view


def audit_export(role: Role) -> View:
    """Return the view that hands out the entries asked for as a file (POST: it is written down)."""

    @member_action(role)
    def view(request: HttpRequest) -> HttpResponse:
        asked = request.POST.get("format", "")
        if asked not in set(ExportFormat):
            raise Unusable("EXPORT_FORMAT_UNKNOWN", _("The log is exported as csv or jsonl."))
        form = ExportFormat(asked)
        text = export_log(user_of(request), wanted_of(request.POST), form)
        response = HttpResponse(text, content_type=MEDIA_TYPES[form])
        response["Content-Disposition"] = f'attachment; filename="audit-log.{form}"'
        return response

    return view


def _context(request: HttpRequest, role: Role) -> dict[str, Any]:
    user = user_of(request)
    form = AuditFilter(request.GET)
    entries = entries_for(user)
    is_valid = form.is_valid()
    found = narrowed(entries, Wanted(**form.cleaned_data)) if is_valid else entries.none()
    page = page_of(request, found.select_related("organisation", "link"))
    views = entry_views(page.rows, user)
    return {
        "form": form,
        "is_narrowed": any(request.GET.get(name) for name in form.fields),
        "rows": _rows(views, user, role),
        "page": page,
        "misfits": sorted(misfits(page.rows)),
        "export_url": reverse(f"{role.value}_audit_export"),
    }


def _rows(views: list[EntryView], user: User, role: Role) -> list[LogRow]:
    ids = {view.study_id for view in views}
    studies = {study.id: study for study in studies_for(user).filter(pk__in=ids)}
    return [
        LogRow(view, studies[view.study_id].title, study_url(studies[view.study_id], role))
        if view.study_id in studies
        else LogRow(view, "", "")
        for view in views
    ]
