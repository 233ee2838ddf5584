"""The audit log: what was done in the studies of your organisation, newest first, in pages."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema

from blindjustice_web.accounts.selectors import role_of
from blindjustice_web.audit.access import entries_for, narrowed, wanted_of
from blindjustice_web.audit.entry_views import entry_views
from blindjustice_web.lib.paging import api_page
from blindjustice_web.lib.problems import NotThere

router = Router(tags=["audit"])


class EntryOut(Schema):
    """An entry; ``chain_number`` and ``chain_digest`` come some seconds after it."""

    entry: int
    at: datetime
    kind: str
    actor: str
    who: str
    study_id: str
    subject: str
    detail: str
    chain_number: int | None
    chain_digest: str


@router.get("audit", response=list[EntryOut])
def audit_list(request: HttpRequest, response: HttpResponse) -> list[dict[str, Any]]:
    """Return entries, narrowed by ``since``, ``until`` (days), ``actor``, ``kind``, ``study``."""
    if role_of(request.user) is None:
        raise NotThere
    found = narrowed(entries_for(request.user), wanted_of(request.GET))
    rows = api_page(request, response, found.select_related("organisation", "link"))
    return [
        {
            "entry": view.id,
            "at": view.at,
            "kind": view.kind.value,
            "actor": view.actor.value,
            "who": view.who,
            "study_id": view.study_id,
            "subject": view.subject,
            "detail": view.detail,
            "chain_number": view.number,
            "chain_digest": view.digest,
        }
        for view in entry_views(rows, request.user)
    ]
