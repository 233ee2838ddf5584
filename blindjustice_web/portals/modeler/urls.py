"""Addresses of modelers."""

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
from blindjustice_web.portals.modeler import views
from blindjustice_web.portals.policy_editor import policy_editor
from blindjustice_web.portals.refusal_actions import refused_send_again
from blindjustice_web.portals.report_page import report_csv, report_pdf

ROLE = Role.MODELER

urlpatterns = [
    path("jobs/<id:job_id>/cancel/", job_cancel(ROLE), name="modeler_job_cancel"),
    path("jobs/<id:job_id>/go-on/", job_go_on(ROLE), name="modeler_job_go_on"),
    path("audit/", audit_log(ROLE), name="modeler_audit"),
    path("audit/export/", audit_export(ROLE), name="modeler_audit_export"),
    path("health/", health(ROLE), name="modeler_health"),
    path("health/check/", health_check(ROLE), name="modeler_health_check"),
    path("", views.modeler_home, name="modeler_home"),
    path("key/", views.modeler_key, name="modeler_key"),
    path("policy/", policy_editor(ROLE), name="modeler_policy_editor"),
    path("studies/new/", views.study_new, name="study_new"),
    path("studies/<id:study_id>/", views.modeler_study, name="modeler_study"),
    path("studies/<id:study_id>/send-again/", refused_send_again(ROLE), name="modeler_send_again"),
    path("studies/<id:study_id>/models/new/", views.model_new, name="model_new"),
    path(
        "models/<id:model_id>/reports/<report:report>/", model_report(ROLE), name="modeler_report"
    ),
    path(
        "models/<id:model_id>/reports/<report:report>.csv",
        model_report_file(ROLE, report_csv),
        name="modeler_report_csv",
    ),
    path(
        "models/<id:model_id>/reports/<report:report>.pdf",
        model_report_file(ROLE, report_pdf),
        name="modeler_report_pdf",
    ),
]
