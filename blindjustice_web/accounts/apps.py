"""The accounts app."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """People, organisations, memberships."""

    name = "blindjustice_web.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Start the clock of every log-in, and lift locks where a password was set anew."""
        from blindjustice_web.accounts import login_limits, sessions  # noqa: F401
