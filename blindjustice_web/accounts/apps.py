"""The accounts app."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """People, organisations, memberships."""

    name = "blindjustice_web.accounts"
    label = "accounts"
