"""The jobs app."""

from __future__ import annotations

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """See the package."""

    name = "blindjustice_web.jobs"
    label = "jobs"
