"""Addresses of the live updates."""

from __future__ import annotations

from django.urls import re_path

from blindjustice_web.conduct.consumers import ChallengePages, NoSuchPage, StudyPages
from blindjustice_web.lib.ids import ID_PATTERN

websocket_urlpatterns = [
    re_path(rf"^ws/studies/(?P<object_id>{ID_PATTERN})/$", StudyPages.as_asgi()),
    re_path(rf"^ws/challenges/(?P<object_id>{ID_PATTERN})/$", ChallengePages.as_asgi()),
    re_path(r"", NoSuchPage.as_asgi()),
]
