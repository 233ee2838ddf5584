"""A machine value with its label for people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import TextChoices


@dataclass(frozen=True)
class Named:
    """A value as programs read it, and as people do."""

    value: str
    label: str

    @classmethod
    def of(cls, choice: TextChoices) -> Named:
        """Return a choice with its translated label."""
        return cls(choice.value, str(choice.label))


@dataclass(frozen=True)
class Refusal:
    """Why a party refused something."""

    code: str
    sentence: str
    role: Named
    at: datetime | None


@dataclass(frozen=True)
class Live:
    """Where a page hears of changes, and where it fetches its live region."""

    socket: str
    partial: str
