"""How sentences about a policy are put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Translate = Callable[[str], str]
"""gettext where a page shows the sentence; see `mpc_engine.control.policies.policy_sentence`."""


def joined(parts: Sequence[str], translate: Translate) -> str:
    """Return parts of a sentence one after the other, the last after "and"."""
    if len(parts) == 1:
        return parts[0]
    return translate("%(first)s and %(last)s") % {
        "first": ", ".join(parts[:-1]),
        "last": parts[-1],
    }
