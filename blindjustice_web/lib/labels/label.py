"""What people read in the place of a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from django.utils.functional import Promise

Text: TypeAlias = str | Promise


@dataclass(frozen=True)
class Label:
    """A title, and where people need more a sentence; both are translated when they are read."""

    title: Text
    sentence: Text = ""
