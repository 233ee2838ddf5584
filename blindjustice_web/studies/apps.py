"""The studies app."""

from __future__ import annotations

from django.apps import AppConfig


class StudiesConfig(AppConfig):
    """See the package."""

    name = "blindjustice_web.studies"
    label = "studies"
