"""Addresses of modelers."""

from __future__ import annotations

from django.urls import path

from blindjustice_web.portals.modeler import views

urlpatterns = [
    path("", views.modeler_home, name="modeler_home"),
    path("key/", views.modeler_key, name="modeler_key"),
    path("studies/new/", views.study_new, name="study_new"),
    path("studies/<id:study_id>/", views.modeler_study, name="modeler_study"),
    path("studies/<id:study_id>/models/new/", views.model_new, name="model_new"),
]
