"""What pages, the API and exports show of the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Membership
from blindjustice_web.accounts.selectors import Viewer, membership_of
from blindjustice_web.audit.models import ActorKind, AuditEntry, EntryKind
from blindjustice_web.lib.named import Named


@dataclass(frozen=True)
class EntryView:
    """An entry as its reader sees it; ``who`` names members of the reader's organisation only."""

    id: int
    at: datetime
    kind: Named
    actor: Named
    who: str
    study_id: str
    subject: str
    detail: str
    number: int | None
    digest: str


def entry_views(entries: Sequence[AuditEntry], reader: Viewer) -> list[EntryView]:
    """Return entries for a reader; they come with organisation and link."""
    membership = membership_of(reader)
    own = membership.organisation_id if membership else None
    asked = {entry.member for entry in entries if entry.organisation_id == own}
    colleagues = Membership.objects.filter(organisation=own, user__in=asked - {None})
    names = dict(colleagues.values_list("user_id", "user__email"))
    return [_view(entry, names) for entry in entries]


def _view(entry: AuditEntry, names: dict[int, str]) -> EntryView:
    link = entry.link if hasattr(entry, "link") else None
    return EntryView(
        id=entry.pk,
        at=entry.at,
        kind=Named.of(EntryKind(entry.kind)),
        actor=Named.of(ActorKind(entry.actor)),
        who=_who(entry, names),
        study_id=entry.study_id,
        subject=entry.subject,
        detail=entry.detail,
        number=link.number if link else None,
        digest=link.digest if link else "",
    )


def _who(entry: AuditEntry, names: dict[int, str]) -> str:
    if entry.organisation is None or entry.member is None:
        return ""
    member = names.get(entry.member) or _("account %(number)d") % {"number": entry.member}
    return f"{entry.organisation.name}, {member}"
