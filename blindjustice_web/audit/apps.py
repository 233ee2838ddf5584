"""The audit app."""

from __future__ import annotations

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """See the package."""

    name = "blindjustice_web.audit"
    label = "audit"

    def ready(self) -> None:
        """Hear of every log-in, and of those that fail."""
        from blindjustice_web.audit import log_ins  # noqa: F401
