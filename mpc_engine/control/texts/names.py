"""The one rule for names, titles and other words that people write and others rely on.

What is signed must read as it is: no control or format character hides or turns text round, and two
names that look the same are one. The browser applies the same rule (``static/js/lib/names.js``,
``tests/vectors/names.json``). Letters of two scripts that look alike are not told from each other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_JOINERS = frozenset("\u200c\u200d")
"""Zero-width (non-)joiner: Persian, Hindi and others spell words with them."""
_REFUSED = frozenset({"Cc", "Cf", "Zl", "Zp"})
"""General categories: controls, format characters (those of direction too), line separators."""
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Default_Ignorable_Code_Point (Unicode 15.0, DerivedCoreProperties.txt), and the blank Braille."""
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
"""Bidirectional classes of characters that run from right to left or turn their neighbours."""


def text_fault(text: str) -> str:
    """Return what is wrong with text that people are to read, as part of a sentence, or ''."""
    if any(
        unicodedata.category(character) in _REFUSED and character not in _JOINERS
        for character in text
    ):
        return "must not contain characters that control or hide text"
    return "" if likeness(text) else "must not be blank"


def likeness(text: str) -> str:
    """Return what all names that look like this one have in common.

    Unseen characters are left out; NFKC (Unicode Standard Annex 15), case and runs of white space
    make no difference. Upper case comes before lower case, as browsers know no case folding.
    """
    seen = unicodedata.normalize("NFKC", _UNSEEN.sub("", text))
    return " ".join(unicodedata.normalize("NFKC", seen.upper().lower()).split())


def doublet(texts: Iterable[str]) -> int | None:
    """Return the position of the first text that looks like one before it, None without one."""
    seen: set[str] = set()
    for position, text in enumerate(texts):
        form = likeness(text)
        if form in seen:
            return position
        seen.add(form)
    return None


def isolated(text: str) -> str:
    """Return a name as it stands inside a sentence: one that turns text round is isolated.

    U+2068 and U+2069 (Unicode Standard Annex 9, 2.4) keep its direction from its neighbours.
    """
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return f"\u2068{text}\u2069"
    return text
