"""A machine value with its label for people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import TextChoices

from blindjustice_web.lib.labels import title_of


@dataclass(frozen=True)
class Named:
    """A value as programs read it, and as people do."""

    value: str
    label: str

    @classmethod
    def of(cls, word: TextChoices | StrEnum) -> Named:
        """Return a choice of the site's own, or a word of the vocabulary, with its label."""
        if isinstance(word, TextChoices):
            return cls(word.value, str(word.label))
        return cls(word.value, title_of(word))


@dataclass(frozen=True)
class PartyRefusal:
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
