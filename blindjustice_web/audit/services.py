"""Write down what is done, in the transaction that does it."""

from __future__ import annotations

from typing import Protocol

from django.db import transaction
from django.dispatch import Signal

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.acting import Actor, actor_now
from blindjustice_web.audit.models import CASES, FOR_ALL, ActorKind, AuditEntry, EntryKind

recorded = Signal()
"""Sent with each new ``entry``, in its transaction."""


class OfStudy(Protocol):
    """A study, as far as entries name it."""

    id: str
    modeler_id: str
    regulator_id: str


def record(
    kind: EntryKind,
    *,
    study: OfStudy | None = None,
    subject: str = "",
    detail: str = "",
    actor: Actor | None = None,
) -> None:
    """Add an entry; both sides of its study read it, without a study the actor's organisation.

    Raises TransactionManagementError outside a transaction: what is written down and what is done
    must stand or fall together.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("an entry belongs to a transaction")
    who = actor or actor_now()
    readers = _readers(kind, study, who)
    entry = AuditEntry.objects.create(
        kind=kind,
        actor=who.kind,
        organisation=who.organisation,
        member=who.member,
        study_id=study.id if study else "",
        subject=subject[:64],
        detail=detail[:1000],
        for_all=kind in FOR_ALL,
        **readers,
    )
    recorded.send(AuditEntry, entry=entry)


def _readers(kind: EntryKind, study: OfStudy | None, who: Actor) -> dict[str, str | None]:
    if study is not None:
        modeler = None if kind in CASES else study.modeler_id
        return {"modeler_id": modeler, "regulator_id": study.regulator_id}
    if who.organisation is None:
        return {}
    is_modeler = who.kind == ActorKind.MODELER
    return {f"{Role.MODELER if is_modeler else Role.REGULATOR}_id": who.organisation.id}
