"""The portals app."""

from __future__ import annotations

from django.apps import AppConfig


class PortalsConfig(AppConfig):
    """See the package."""

    name = "blindjustice_web.portals"
    label = "portals"
