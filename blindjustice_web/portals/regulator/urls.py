"""Addresses of regulators."""

from __future__ import annotations

from django.urls import path

from blindjustice_web.portals.regulator import views

urlpatterns = [
    path("", views.regulator_home, name="regulator_home"),
    path("key/", views.regulator_key, name="regulator_key"),
    path("studies/<id:study_id>/", views.regulator_study, name="regulator_study"),
    path("challenges/", views.regulator_challenges, name="regulator_challenges"),
]
