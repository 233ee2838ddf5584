"""Addresses for anyone."""

from __future__ import annotations

from django.urls import path

from blindjustice_web.portals.public import demo_page, views
from blindjustice_web.portals.theme import theme

urlpatterns = [
    path("", views.home, name="home"),
    path("certificates/", views.certificate_list, name="certificate_list"),
    path("certificates/<id:certificate_id>/", views.certificate_detail, name="certificate_detail"),
    path(
        "certificates/<id:certificate_id>/download",
        views.certificate_download,
        name="certificate_download",
    ),
    path("design/", views.design, name="design"),
    path("theme/", theme, name="theme"),
    path("demo/", demo_page.demo, name="demo"),
    path("health/", views.health, name="health"),
]
