"""The lab app."""

from __future__ import annotations

from django.apps import AppConfig


class LabConfig(AppConfig):
    """See the package."""

    name = "blindjustice_web.lab"
    label = "lab"
