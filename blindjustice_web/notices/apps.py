"""The notices app."""

from __future__ import annotations

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    """See the package."""

    name = "blindjustice_web.notices"
    label = "notices"

    def ready(self) -> None:
        """Hear of every entry of the audit log."""
        from blindjustice_web.notices import services  # noqa: F401
