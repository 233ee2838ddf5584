"""Addresses of modelers."""

from __future__ import annotations

from django.urls import path

from blindjustice_web.accounts.models import Role
from blindjustice_web.portals.member.policy_editor import policy_editor
from blindjustice_web.portals.member.urls import member_urls
from blindjustice_web.portals.modeler import views

urlpatterns = [
    path("", views.modeler_home, name="modeler_home"),
    path("policy/", policy_editor(Role.MODELER), name="modeler_policy_editor"),
    path("studies/new/", views.study_new, name="study_new"),
    path("studies/<id:study_id>/models/new/", views.model_new, name="model_new"),
    *member_urls(Role.MODELER),
]
