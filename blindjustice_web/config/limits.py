"""How often something may be done: one row a limit, each an environment variable of its own.

A limit counts for one account, one record, or one network address. What fifty people behind one
address do in the same minute is far below the limits by address; what one account or one record
needs is far below its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

PREFIX = "BLINDJUSTICE_LIMIT_"
_RATE = re.compile(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,3})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}

DEFAULTS = {
    "LOG_IN_ACCOUNT": ("10/15m", "failed log-ins by account; then it is locked for that time"),
    "LOG_IN_ADDRESS": ("200/15m", "failed log-ins by address"),
    "LOG_IN_TRIES_ADDRESS": ("1200/1m", "log-ins by address, right ones too"),
    "SIGN_UP_ADDRESS": ("200/1h", "new accounts by address"),
    "RESETS_ADDRESS": ("200/1m", "asking for a new password, and setting it, by address"),
    "GUESSES_ADDRESS": ("300/10m", "records that nobody is invited for, by address"),
    "SUBMISSIONS_RECORD": ("60/1h", "answers sent for one record, repeated ones too"),
    "LOOKUPS_RECORD": ("600/1m", "looks at the receipts of one record"),
    "CHALLENGES_ACCOUNT": ("30/1h", "challenges by account"),
    "CHALLENGES_ADDRESS": ("600/1h", "challenges by address"),
    "UPLOADS_ACCOUNT": ("200/1h", "drafts, invitation lists, models and data files by account"),
    "UPLOADS_ADDRESS": ("2000/1h", "the same by address"),
}
"""Name, rate (``count/period``) and meaning."""


@dataclass(frozen=True)
class RequestRate:
    """At most ``count`` times in ``period_s`` seconds."""

    count: int
    period_s: int

    @classmethod
    def read(cls, text: str, name: str) -> RequestRate:
        """Return the rate of a text such as ``10/15m``; the error names the setting."""
        match = _RATE.fullmatch(text)
        if match is None:
            raise ImproperlyConfigured(f"{name} must look like 10/15m (count/period in s, m, h, d)")
        return cls(int(match[1]), int(match[2]) * _SECONDS[match[3]])


def read_limits(text_of: Callable[[str, str], str]) -> dict[str, RequestRate]:
    """Return every limit; ``text_of`` gives a variable's text or the default."""
    return {
        name: RequestRate.read(text_of(f"{PREFIX}{name}", default), f"{PREFIX}{name}")
        for name, (default, _meaning) in DEFAULTS.items()
    }
