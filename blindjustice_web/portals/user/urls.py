"""Addresses of people whose data is used."""

from __future__ import annotations

from django.urls import path

from blindjustice_web.portals.user import receipt_page, views

urlpatterns = [
    path("take-part/<id:study_id>/", views.take_part, name="take_part"),
    path("take-part/<id:study_id>/receipts/<id:record_id>/", receipt_page.receipt, name="receipt"),
    path(
        "take-part/<id:study_id>/receipts/<id:record_id>/qr.svg",
        receipt_page.receipt_qr,
        name="receipt_qr",
    ),
    path("me/", views.my_page, name="my_page"),
    path("me/mail/", views.mail_choice, name="mail_choice"),
    path("me/challenges/new/", views.challenge_new, name="challenge_new"),
    path("me/challenges/<id:challenge_id>/", views.challenge_detail, name="challenge_detail"),
    path("me/challenges/<id:challenge_id>/qr.svg", views.challenge_qr, name="challenge_qr"),
]
