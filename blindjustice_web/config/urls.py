"""Addresses of the site."""

from __future__ import annotations

from django.urls import include, path, register_converter

from blindjustice_web.api.app import api
from blindjustice_web.lib.ids import IdConverter
from blindjustice_web.presentation.reports.catalogue import ReportConverter

register_converter(IdConverter, "id")
register_converter(ReportConverter, "report")

handler429 = "blindjustice_web.portals.pages.too_often"

urlpatterns = [
    path("", include("blindjustice_web.portals.public.urls")),
    path("", include("blindjustice_web.portals.user.urls")),
    path("modeler/", include("blindjustice_web.portals.modeler.urls")),
    path("regulator/", include("blindjustice_web.portals.regulator.urls")),
    path("accounts/", include("blindjustice_web.accounts.urls")),
    path("api/v1/", api.urls),
]
