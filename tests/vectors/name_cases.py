"""Names and titles: which characters are refused, which names look the same, what is isolated."""

from __future__ import annotations

from typing import Any

_HIDDEN, _BLANK = "hidden", "blank"


def name_cases() -> dict[str, Any]:
    """Return texts with their fault, families of names that look the same, and names that don't."""
    return {
        "texts": [{"text": text, "fault": fault} for text, fault in _TEXTS],
        "alike": [list(names) for names in _ALIKE],
        "different": [
            "Female",
            "Male",
            "Fem ale",
            "<=50K",
            ">50K",
            "o",
            "ö",
            "ø",
            "\u0646\u0627\u0645\u0647",
            "\u0646\u0627\u0645",
            "\u0915\u094d\u0937",
            "\u0915\u0937",
        ],
        "isolated": [
            {"text": "Age", "isolated": "Age"},
            {"text": "\u5e74\u9f84", "isolated": "\u5e74\u9f84"},
            {"text": "\u05d2\u05d9\u05dc", "isolated": "\u2068\u05d2\u05d9\u05dc\u2069"},
            {"text": "2 \u0639\u0645\u0631", "isolated": "\u20682 \u0639\u0645\u0631\u2069"},
        ],
    }


_TEXTS = (
    ("Female", ""),
    ("\u0646\u0627\u0645\u0647\u200c\u0647\u0627", ""),
    ("\u0915\u094d\u200d\u0937", ""),
    ("\u6027\u522b \U0001f469\u200d\U0001f467 \u2764\ufe0f", ""),
    ("Fe\u200bmale", _HIDDEN),
    ("by \u202ethgir", _HIDDEN),
    ("a\u2066b", _HIDDEN),
    ("a\u200fb", _HIDDEN),
    ("a\u061cb", _HIDDEN),
    ("a\ufeffb", _HIDDEN),
    ("a\u00adb", _HIDDEN),
    ("a\nb", _HIDDEN),
    ("a\x7fb", _HIDDEN),
    ("a\x85b", _HIDDEN),
    ("a\u2028b", _HIDDEN),
    ("a\U000e0041b", _HIDDEN),
    (" \u00a0\u3000", _BLANK),
    ("\u200d\u200c", _BLANK),
    ("\u3164", _BLANK),
    ("\u2800 \ufe0f", _BLANK),
)
_ALIKE = (
    ("Female", "female", " FEMALE ", "Fema\u200dle", "Fe\u034fmale", "\uff26emale", "Female\ufe0f"),
    ("Prefer not to say", "Prefer  not to say", "prefer\u00a0not to say"),
    ("Caf\u00e9", "Cafe\u0301", "CAF\u00c9"),
    ("Stra\u00dfe", "STRASSE"),
    ("\u03a3\u03c3", "\u03c3\u03c2"),
    ("\u0646\u0627\u0645\u0647\u200c\u0647\u0627", "\u0646\u0627\u0645\u0647\u0647\u0627"),
    ("\ufb01t", "fit"),
    ("\u2460", "1"),
)
