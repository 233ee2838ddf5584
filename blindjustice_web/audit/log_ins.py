"""Log-ins of members in the log. Of people's, and of unknown addresses', nothing says whose."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.core.cache import cache
from django.db import transaction
from django.dispatch import receiver

from blindjustice_web.accounts.adapter import log_in_locked
from blindjustice_web.accounts.models import User
from blindjustice_web.audit.acting import Actor, actor_of
from blindjustice_web.audit.models import ActorKind, EntryKind
from blindjustice_web.audit.services import record


@receiver(user_logged_in)
@transaction.atomic
def note_logged_in(sender: Any, user: User, **kwargs: Any) -> None:
    """Write a member's log-in down."""
    actor = actor_of(user)
    if actor.organisation is not None:
        record(EntryKind.LOGGED_IN, actor=actor)


@receiver(user_login_failed)
@transaction.atomic
def note_log_in_failed(sender: Any, credentials: dict[str, Any], **kwargs: Any) -> None:
    """Write a failed log-in down; so much work is done whether there is such an account or not."""
    record(EntryKind.LOG_IN_FAILED, actor=_meant(str(credentials.get("email", ""))))


@receiver(log_in_locked)
@transaction.atomic
def note_log_in_locked(sender: Any, email: str, wait_s: int, **kwargs: Any) -> None:
    """Write down, once in the time it lasts, that log-ins of an account are locked."""
    name = hashlib.sha256(email.lower().encode()).hexdigest()
    if cache.add(f"audit.locked.{name}", 1, wait_s):
        record(EntryKind.LOG_IN_LOCKED, actor=_meant(email))


def _meant(email: str) -> Actor:
    """Return whose log-in was tried, where that is a member of an organisation."""
    user = User.objects.filter(email__iexact=email).first()
    actor = actor_of(user) if user else Actor(ActorKind.VISITOR)
    return actor if actor.organisation else Actor(ActorKind.VISITOR)
