"""Addresses of people whose data is used."""

from __future__ import annotations

from django.urls import path

from blindjustice_web.portals.user import views

urlpatterns = [
    path("take-part/<id:study_id>/", views.take_part, name="take_part"),
    path("me/", views.my_page, name="my_page"),
    path("me/challenges/new/", views.challenge_new, name="challenge_new"),
    path("me/challenges/<id:challenge_id>/", views.challenge_detail, name="challenge_detail"),
]
