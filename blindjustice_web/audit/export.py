"""The log as a file: CSV for a spreadsheet, or one JSON object a line, with the chain's digests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import User
from blindjustice_web.audit.access import Wanted, entries_for, narrowed
from blindjustice_web.audit.entry_views import EntryView, entry_views
from blindjustice_web.audit.models import AuditEntry, EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.lib.csv_cells import csv_text
from blindjustice_web.lib.problems import Refused

MOST_ROWS = 100_000


class ExportFormat(StrEnum):
    """How a file of the log is written."""

    CSV = "csv"
    JSON_LINES = "jsonl"


COLUMNS = (
    "entry",
    "at",
    "kind",
    "actor",
    "who",
    "study_id",
    "subject",
    "detail",
    "chain_number",
    "chain_digest",
)


@transaction.atomic
def export_log(user: User, wanted: Wanted, form: ExportFormat) -> str:
    """Return the entries a user asks for, oldest first; that she did is written down too."""
    found = narrowed(entries_for(user), wanted).order_by("pk")
    n_rows = found.count()
    if n_rows > MOST_ROWS:
        raise Refused(
            "EXPORT_TOO_LARGE",
            _("A file holds at most %(most)d entries, and these are %(n)d.")
            % {"most": MOST_ROWS, "n": n_rows},
            next_step=_("Choose fewer days, and export them one after the other."),
        )
    rows = [_row(view) for view in entry_views(_with_links(found), user)]
    record(EntryKind.LOG_EXPORTED, detail=f"{form}, {n_rows}")
    if form is ExportFormat.CSV:
        return csv_text(COLUMNS, [list(row.values()) for row in rows])
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _with_links(found: QuerySet[AuditEntry]) -> Sequence[AuditEntry]:
    return list(found.select_related("organisation", "link"))


def _row(view: EntryView) -> dict[str, Any]:
    values = (
        view.id,
        view.at.isoformat(),
        view.kind.value,
        view.actor.value,
        view.who,
        view.study_id,
        view.subject,
        view.detail,
        view.number or "",
        view.digest,
    )
    return dict(zip(COLUMNS, values, strict=True))
