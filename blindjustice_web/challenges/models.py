"""A challenge: a person's case about a decision, answered by the regulator's party, signed."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.jobs.models import Job
from blindjustice_web.lib.labels import VerificationResult, choices_of


class ChallengeState(models.TextChoices):
    """Where a case stands."""

    RECEIVED = "RECEIVED", _("Received")
    QUEUED = "QUEUED", _("Waiting to be checked")
    RUNNING = "RUNNING", _("Being checked")
    ANSWERED = "ANSWERED", _("Answered")
    REFUSED = "REFUSED", _("Not readable")


class Source(models.TextChoices):
    """Where the claimed decision comes from."""

    RECORD = "record", _("Signed decision record")
    TYPED = "typed", _("Typed in")


class Challenge(models.Model):
    """One case; the person's values and the claim lie sealed in the envelope."""

    id = models.CharField(primary_key=True, max_length=32, editable=False)
    certificate = models.ForeignKey(
        Certificate, on_delete=models.PROTECT, related_name="challenges"
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="challenges"
    )
    source = models.CharField(max_length=6, choices=Source.choices)
    state = models.CharField(
        max_length=10, choices=ChallengeState.choices, default=ChallengeState.RECEIVED
    )
    outcome = models.CharField(max_length=20, choices=choices_of(VerificationResult), blank=True)
    refusal_code = models.CharField(max_length=60, blank=True)
    refusal_sentence = models.TextField(blank=True)
    job = models.ForeignKey(Job, null=True, on_delete=models.PROTECT, related_name="challenges")
    answer_body = models.TextField(blank=True)
    answer_signature = models.CharField(max_length=128, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    deadline = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at",)
        indexes = (
            models.Index(
                fields=("certificate", "state", "source", "outcome", "-created_at", "id"),
                name="cases_by_how_they_ended",
            ),
        )
