"""Addresses of regulators."""

from __future__ import annotations

from django.urls import path

from blindjustice_web.accounts.models import Role
from blindjustice_web.portals.audit_page import audit_export, audit_log
from blindjustice_web.portals.health_page import health, health_check
from blindjustice_web.portals.job_actions import job_cancel, job_go_on
from blindjustice_web.portals.model_reports import (
    model_report,
    model_report_file,
)
from blindjustice_web.portals.policy_editor import policy_editor
from blindjustice_web.portals.refusal_actions import refused_send_again
from blindjustice_web.portals.regulator import policies, views
from blindjustice_web.portals.report_page import report_csv, report_pdf

ROLE = Role.REGULATOR

urlpatterns = [
    path("jobs/<id:job_id>/cancel/", job_cancel(ROLE), name="regulator_job_cancel"),
    path("jobs/<id:job_id>/go-on/", job_go_on(ROLE), name="regulator_job_go_on"),
    path("audit/", audit_log(ROLE), name="regulator_audit"),
    path("audit/export/", audit_export(ROLE), name="regulator_audit_export"),
    path("health/", health(ROLE), name="regulator_health"),
    path("health/check/", health_check(ROLE), name="regulator_health_check"),
    path("", views.regulator_home, name="regulator_home"),
    path("key/", views.regulator_key, name="regulator_key"),
    path("studies/<id:study_id>/", views.regulator_study, name="regulator_study"),
    path(
        "studies/<id:study_id>/send-again/", refused_send_again(ROLE), name="regulator_send_again"
    ),
    path("policies/", policies.policy_list, name="policy_list"),
    path("policies/new/", policies.policy_new, name="policy_new"),
    path("policies/publish/", policies.policy_publish, name="policy_publish"),
    path("policies/editor/", policy_editor(ROLE), name="regulator_policy_editor"),
    path("policies/<id:policy_id>/", policies.policy_detail, name="policy_detail"),
    path("policies/<id:policy_id>/withdraw/", policies.policy_withdraw, name="policy_withdraw"),
    path("challenges/", views.regulator_challenges, name="regulator_challenges"),
    path(
        "models/<id:model_id>/reports/<report:report>/", model_report(ROLE), name="regulator_report"
    ),
    path(
        "models/<id:model_id>/reports/<report:report>.csv",
        model_report_file(ROLE, report_csv),
        name="regulator_report_csv",
    ),
    path(
        "models/<id:model_id>/reports/<report:report>.pdf",
        model_report_file(ROLE, report_pdf),
        name="regulator_report_pdf",
    ),
]
