"""Addresses of regulators."""

from __future__ import annotations

from django.urls import path

from blindjustice_web.accounts.models import Role
from blindjustice_web.portals.member.policy_editor import policy_editor
from blindjustice_web.portals.member.urls import member_urls
from blindjustice_web.portals.regulator import policies, views

urlpatterns = [
    path("", views.regulator_home, name="regulator_home"),
    path("policies/", policies.policy_list, name="policy_list"),
    path("policies/new/", policies.policy_new, name="policy_new"),
    path("policies/publish/", policies.policy_publish, name="policy_publish"),
    path("policies/editor/", policy_editor(Role.REGULATOR), name="regulator_policy_editor"),
    path("policies/<id:policy_id>/", policies.policy_detail, name="policy_detail"),
    path("policies/<id:policy_id>/withdraw/", policies.policy_withdraw, name="policy_withdraw"),
    path("challenges/", views.regulator_challenges, name="regulator_challenges"),
    *member_urls(Role.REGULATOR),
]
