"""Days and moments as every page and report writes them: one form each, the zone said."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format


def moment_text(at: datetime, *, seconds: bool = False) -> str:
    """Return a moment in words: ``29 November 2026, 18:24 UTC``."""
    return date_format(timezone.localtime(at), "j F Y, H:i:s T" if seconds else "j F Y, H:i T")


def day_text(at: datetime) -> str:
    """Return the day of a moment: ``29 November 2026 (UTC)``, where its hour does not matter."""
    return date_format(timezone.localtime(at), "j F Y (T)")
