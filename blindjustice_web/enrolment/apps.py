"""The enrolment app."""

from __future__ import annotations

from django.apps import AppConfig


class EnrolmentConfig(AppConfig):
    """See the package."""

    name = "blindjustice_web.enrolment"
    label = "enrolment"
