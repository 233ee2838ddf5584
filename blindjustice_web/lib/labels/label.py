"""What people read in the place of a word."""

from __future__ import annotations

from dataclasses import dataclass

from blindjustice_web.lib.problems import Text


@dataclass(frozen=True)
class WordLabel:
    """A title, and where people need more a sentence; both are translated when they are read."""

    title: Text
    sentence: Text = ""
