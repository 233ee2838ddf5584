"""Notices that wait to be sent, and those that were."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from blindjustice_web.audit.models import AuditEntry


class Notice(models.Model):
    """One mail to one user about one entry of the audit log; its words are made when it is sent."""

    entry = models.ForeignKey(AuditEntry, on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    due_at = models.DateTimeField(default=timezone.now)
    times_failed = models.PositiveIntegerField(default=0)
    taken_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("entry", "user"), name="one_notice_per_entry_and_user"),
        )
        indexes = (
            models.Index(
                fields=("due_at",), condition=models.Q(taken_at=None), name="notices_to_send"
            ),
        )
