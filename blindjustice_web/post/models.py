"""The mail between the site and the parties, and what each party last said of itself."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from blindjustice_web.accounts.models import Role


class ReceivedMessage(models.Model):
    """The id of a message that was acted upon: the same message never acts twice."""

    message_id = models.CharField(primary_key=True, max_length=40)
    kind = models.CharField(max_length=40)
    received_at = models.DateTimeField(auto_now_add=True)


class OutgoingTask(models.Model):
    """A task for a party, kept until the party answers it.

    ``subject`` is what the answer will name (see `answers`); a task without one is kept until
    the broker has it. ``is_refused``: the party refused it, and it waits to be sent again by hand.
    """

    role = models.CharField(max_length=10, choices=Role.choices)
    kind = models.CharField(max_length=30)
    payload = models.JSONField()
    subject = models.CharField(max_length=160, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    times_sent = models.PositiveIntegerField(default=0)
    is_refused = models.BooleanField(default=False)
    due_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        indexes = (models.Index(fields=("role", "subject"), name="task_by_what_answers_it"),)


class LineReport(models.Model):
    """A party's last signed account of a meeting, and when one with the other went well."""

    role = models.CharField(primary_key=True, max_length=10, choices=Role.choices)
    check_id = models.CharField(max_length=32)
    body = models.TextField()
    signature = models.CharField(max_length=128)
    at = models.DateTimeField()
    went_well_at = models.DateTimeField(null=True)


class PartyStatus(models.Model):
    """The last thing a party said about itself."""

    role = models.CharField(primary_key=True, max_length=10, choices=Role.choices)
    body = models.TextField()
    at = models.DateTimeField(auto_now=True)
