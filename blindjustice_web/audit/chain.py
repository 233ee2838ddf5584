"""The chain over the log: each link carries the digest of its entry and of the link before it.

``digest[n] = SHA-256(label || digest[n-1] || canonical JSON of entry n)``, with 32 zero bytes
before the first. So an entry that is changed, taken out or put in between changes every digest
after it. An end that is cut off shows only against a digest kept elsewhere: an export carries them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from blindjustice_web.audit.models import AuditEntry, AuditLink

LABEL = b"blindjustice/v1/audit/link"
START = "00" * 32
LATECOMERS = 1000
"""How far behind the last linked entry one is still looked for whose transaction lasted."""
AT_ONCE = 2000


@dataclass(frozen=True)
class ChainState:
    """What a check of the whole chain found; ``broken_at`` is the first link that does not fit."""

    n_entries: int
    last_digest: str
    broken_at: int | None


def digest_of(previous: str, entry: AuditEntry) -> str:
    """Return the digest of a link, hex, from the one before it and its entry."""
    content = {
        "id": entry.pk,
        "at": entry.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "kind": entry.kind,
        "actor": entry.actor,
        "organisation": entry.organisation_id,
        "member": entry.member,
        "study_id": entry.study_id,
        "subject": entry.subject,
        "detail": entry.detail,
        "modeler": entry.modeler_id,
        "regulator": entry.regulator_id,
        "for_all": entry.for_all,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(LABEL + bytes.fromhex(previous) + text.encode()).hexdigest()


def link_entries(*, everything: bool = False) -> int:
    """Link entries that have no place in the chain yet; return how many.

    Another process that does the same at this moment is left to it.
    """
    try:
        with transaction.atomic():
            return _link(everything)
    except IntegrityError:
        return 0


def check_chain() -> ChainState:
    """Link what is left, then go through the whole chain."""
    while link_entries(everything=True):
        pass
    previous, number = START, 0
    for link in AuditLink.objects.select_related("entry").order_by("number").iterator():
        number += 1
        if link.number != number or digest_of(previous, link.entry) != link.digest:
            return ChainState(number, previous, number)
        previous = link.digest
    return ChainState(number, previous, None)


def misfits(entries: Sequence[AuditEntry]) -> set[int]:
    """Return which of some entries, with their links, do not fit the chain, by their ids."""
    links = {entry.link.number: entry for entry in entries if hasattr(entry, "link")}
    before = AuditLink.objects.filter(number__in={number - 1 for number in links})
    previous = dict(before.values_list("number", "digest"))
    return {
        entry.pk
        for number, entry in links.items()
        if digest_of(previous.get(number - 1, START), entry) != entry.link.digest
        or (number > 1 and number - 1 not in previous)
    }


def _link(everything: bool) -> int:
    last = AuditLink.objects.select_for_update().order_by("-number").first()
    previous, number = (last.digest, last.number) if last else (START, 0)
    waiting: QuerySet[AuditEntry] = AuditEntry.objects.filter(link=None)
    if last is not None and not everything:
        waiting = waiting.filter(pk__gt=last.entry_id - LATECOMERS)
    links = []
    for entry in waiting.order_by("pk")[:AT_ONCE]:
        number += 1
        previous = digest_of(previous, entry)
        links.append(AuditLink(number=number, entry=entry, digest=previous))
    AuditLink.objects.bulk_create(links)
    return len(links)
