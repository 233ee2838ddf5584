"""Addresses that members of both organisations have alike, named after their role."""

from __future__ import annotations

from django.urls import URLPattern, path

from blindjustice_web.accounts.models import Role
from blindjustice_web.portals.member.audit_page import audit_export, audit_log
from blindjustice_web.portals.member.health_page import health, health_check
from blindjustice_web.portals.member.job_actions import job_cancel, job_go_on
from blindjustice_web.portals.member.key_page import key
from blindjustice_web.portals.member.model_reports import model_report, model_report_file
from blindjustice_web.portals.member.refusal_actions import refused_send_again
from blindjustice_web.portals.member.study_page import study
from blindjustice_web.portals.report_page import report_csv, report_pdf

REPORT = "models/<id:model_id>/reports/<report:report>"


def member_urls(role: Role) -> list[URLPattern]:
    """Return what both portals have, for one role; a name is the role's and the page's."""
    views = {
        "study": ("studies/<id:study_id>/", study(role)),
        "send_again": ("studies/<id:study_id>/send-again/", refused_send_again(role)),
        "job_cancel": ("jobs/<id:job_id>/cancel/", job_cancel(role)),
        "job_go_on": ("jobs/<id:job_id>/go-on/", job_go_on(role)),
        "report": (f"{REPORT}/", model_report(role)),
        "report_csv": (f"{REPORT}.csv", model_report_file(role, report_csv)),
        "report_pdf": (f"{REPORT}.pdf", model_report_file(role, report_pdf)),
        "key": ("key/", key(role)),
        "audit": ("audit/", audit_log(role)),
        "audit_export": ("audit/export/", audit_export(role)),
        "health": ("health/", health(role)),
        "health_check": ("health/check/", health_check(role)),
    }
    return [path(at, view, name=f"{role.value}_{name}") for name, (at, view) in views.items()]
