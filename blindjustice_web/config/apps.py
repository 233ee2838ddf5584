"""The configuration app: it brings the system checks."""

from __future__ import annotations

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Register the checks at start."""

    name = "blindjustice_web.config"
    label = "site_config"

    def ready(self) -> None:
        """Load the checks."""
        from blindjustice_web.config import checks  # noqa: F401
