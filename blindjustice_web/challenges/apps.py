"""The challenges app."""

from __future__ import annotations

from django.apps import AppConfig


class ChallengesConfig(AppConfig):
    """See the package."""

    name = "blindjustice_web.challenges"
    label = "challenges"
