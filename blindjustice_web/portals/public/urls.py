"""Addresses for anyone."""

from __future__ import annotations

from django.urls import path

from blindjustice_web.portals.public import (
    certificate_reports,
    demo_page,
    errors_page,
    lab_pages,
    sample_size_page,
    views,
)
from blindjustice_web.portals.theme import theme

urlpatterns = [
    path("", views.home, name="home"),
    path("certificates/", views.certificate_list, name="certificate_list"),
    path("certificates/revocation-list", views.revocation_list, name="revocation_list"),
    path("certificates/<id:certificate_id>/", views.certificate_detail, name="certificate_detail"),
    path(
        "certificates/<id:certificate_id>/download",
        views.certificate_download,
        name="certificate_download",
    ),
    path(
        "certificates/<id:certificate_id>/revocation",
        views.certificate_revocation,
        name="certificate_revocation",
    ),
    path(
        "certificates/<id:certificate_id>/reports/<report:report>/",
        certificate_reports.certificate_report,
        name="certificate_report",
    ),
    path(
        "certificates/<id:certificate_id>/reports/<report:report>.csv",
        certificate_reports.certificate_report_csv,
        name="certificate_report_csv",
    ),
    path(
        "certificates/<id:certificate_id>/reports/<report:report>.pdf",
        certificate_reports.certificate_report_pdf,
        name="certificate_report_pdf",
    ),
    path("sample-size/", sample_size_page.sample_size, name="sample_size"),
    path("lab/", lab_pages.lab, name="lab"),
    path("lab/<slug:name>/", lab_pages.lab_figure, name="lab_figure"),
    path("errors/", errors_page.errors, name="errors"),
    path("design/", views.design, name="design"),
    path("theme/", theme, name="theme"),
    path("demo/", demo_page.demo, name="demo"),
    path("health/", views.health, name="health"),
]
