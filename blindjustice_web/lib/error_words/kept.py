"""What was kept, in sentences that many codes of the site share."""

from __future__ import annotations

from mpc_engine.error_words.rows import marked as _

UNTOUCHED = _("Nothing was changed; everything you sent before is kept.")
WAITS = _(
    "Pages read, and a person's answer is kept where the database takes it; what the parties "
    "must hear waits and goes out by itself."
)
