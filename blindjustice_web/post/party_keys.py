"""Note in the log that a party publishes other keys than before."""

from __future__ import annotations

import hashlib

from django.db import transaction

from blindjustice_web.audit.acting import party_of
from blindjustice_web.audit.models import AuditEntry, EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_client import PartyDescriptor


@transaction.atomic
def note_published_keys() -> None:
    """Add an entry for each party whose descriptor names other keys than the last entry does."""
    for role, party in engine_client.find_parties().items():
        actor = party_of(role)
        known = AuditEntry.objects.filter(kind=EntryKind.PARTY_KEYS_CHANGED, actor=actor.kind)
        last = known.order_by("-pk").values_list("detail", flat=True).first()
        if last != (keys := _keys_of(party)):
            record(EntryKind.PARTY_KEYS_CHANGED, detail=keys, actor=actor)


def _keys_of(party: PartyDescriptor) -> str:
    approvers = b"".join(sorted(party.approvers))
    return (
        f"signing key {_short(party.signing_key)}, "
        f"TLS certificate {_short(party.tls_certificate.encode())}, "
        f"approver keys: {len(party.approvers)} ({_short(approvers)})"
    )


def _short(content: bytes) -> str:
    """Return the start of a digest, hex, as the start page names keys."""
    return hashlib.sha256(content).hexdigest()[:32]
