"""The app of what passes between the site and the parties."""

from __future__ import annotations

from django.apps import AppConfig


class PostConfig(AppConfig):
    """See the package."""

    name = "blindjustice_web.post"
    label = "post"
