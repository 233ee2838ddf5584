"""What is said of an error code, and the sentences that many codes share."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """What happened, what was kept (saved, charged, lost), and what to do now."""

    what: str
    kept: str
    next: str


def marked(text: str) -> str:
    """Return a sentence as it is; its being called ``_`` marks it for translators."""
    return text


_ = marked

NOTHING = _("Nothing was changed.")
UNSENT = _("Nothing was sent.")
UNWRITTEN = _("Nothing was written or sent.")
ANSWER = _("This answer was not taken. An earlier one with both receipts still counts.")
UNCHARGED = _("Nothing was charged. Answers, models and certificates are as they were.")
RUN = _(
    "Answers, models and certificates are as they were. The bits of a question that had begun"
    " stay charged; a training is not charged twice unless a model may have been opened."
)
CLOSING = _("The study takes answers again; every answer with both receipts is kept.")
