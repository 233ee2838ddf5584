"""Models handed in, what certification found, and certificates both parties signed."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.jobs.models import Job
from blindjustice_web.lib.append_only import AppendOnly
from blindjustice_web.lib.labels import Verdict, choices_of
from blindjustice_web.studies.models import Study


class ModelState(models.TextChoices):
    """What the modeler's party said about a model."""

    RECEIVED = "RECEIVED", _("On its way to your party")
    ACCEPTED = "ACCEPTED", _("Held by your party")
    REFUSED = "REFUSED", _("Refused by your party")


class CandidateModel(models.Model):
    """A model handed in for certification: a name and a sealed envelope, never a coefficient."""

    id = models.CharField(primary_key=True, max_length=32, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="models")
    name = models.CharField(max_length=100)
    state = models.CharField(max_length=10, choices=ModelState.choices, default=ModelState.RECEIVED)
    envelope_digest = models.CharField(max_length=64)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    deployment_sent_at = models.DateTimeField(null=True)
    deployed_at = models.DateTimeField(null=True)
    bounds = models.JSONField(default=list)
    """Of a trained model, c for each constraint, as plain decimals; else empty."""
    constraint = models.CharField(max_length=40, blank=True)
    """Of a trained model, the rate that its training kept alike between groups; else empty."""
    right_per_mille = models.PositiveSmallIntegerField(null=True)
    """How many of a thousand people it trained on are decided as they turned out."""
    n_rows = models.PositiveIntegerField(null=True)
    """How many people that was computed on, by the modeler's party."""
    trained_as = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="taken_over_as"
    )
    """The trained model of another study that this one was taken over from."""

    class Meta:
        indexes = (models.Index(fields=("study", "-created_at", "id"), name="models_of_study"),)

    def __str__(self) -> str:
        return self.name


class SealedModel(models.Model):
    """A trained model as its party sealed it to a member's key: a signed message, never opened."""

    model_id = models.CharField(primary_key=True, max_length=32, editable=False)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="sealed_models")
    body = models.TextField()
    signature = models.CharField(max_length=128)
    at = models.DateTimeField(auto_now_add=True)


class CertificationResult(models.Model):
    """The verdict both parties reported for a model.

    ``job`` is None where the certificate was brought back from the parties' own copies.
    """

    job = models.OneToOneField(
        Job, null=True, on_delete=models.PROTECT, related_name="certification_result"
    )
    model = models.ForeignKey(CandidateModel, on_delete=models.PROTECT, related_name="results")
    verdict = models.CharField(max_length=12, choices=choices_of(Verdict))
    reason = models.CharField(max_length=60, blank=True)
    thresholds = models.JSONField(default=list)
    groups = models.JSONField(default=list)
    """What the policy discloses about each group; empty where it discloses nothing."""
    at = models.DateTimeField(auto_now_add=True)


class Certificate(models.Model):
    """A certificate whose two signatures the site has checked."""

    id = models.CharField(primary_key=True, max_length=32, editable=False)
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="certificates")
    model = models.OneToOneField(
        CandidateModel, on_delete=models.PROTECT, related_name="certificate"
    )
    result = models.OneToOneField(
        CertificationResult, on_delete=models.PROTECT, related_name="certificate"
    )
    text = models.TextField()
    modeler_signature = models.CharField(max_length=128)
    regulator_signature = models.CharField(max_length=128)
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField()
    issued_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        indexes = (
            models.Index(fields=("study", "-issued_at", "id"), name="certificates_of_study"),
        )


class Revocation(AppendOnly):
    """A certificate taken back: the text that an approver of the regulator signed, and why."""

    certificate = models.OneToOneField(
        Certificate, primary_key=True, on_delete=models.PROTECT, related_name="revocation"
    )
    text = models.TextField()
    key_id = models.CharField(max_length=32)
    signature = models.CharField(max_length=128)
    reason = models.CharField(max_length=1000)
    revoked_at = models.DateTimeField()
    """When it was received; the text has the moment of signing."""


class DeliveryState(models.TextChoices):
    """How far a revocation got with a party."""

    SENT = "SENT", _("On its way")
    ACKNOWLEDGED = "ACKNOWLEDGED", _("Acknowledged")
    REFUSED = "REFUSED", _("Not accepted")


class RevocationDelivery(models.Model):
    """What a party said of a revocation last: its signed message, and since when it stands so.

    The regulator's party answers with its own signature of the text, ``statement_signature``.
    """

    revocation = models.ForeignKey(Revocation, on_delete=models.PROTECT, related_name="deliveries")
    role = models.CharField(max_length=10, choices=Role.choices)
    state = models.CharField(max_length=12, choices=DeliveryState.choices)
    at = models.DateTimeField()
    code = models.CharField(max_length=60, blank=True)
    """Of the last refusal, also while it is being tried again."""
    body = models.TextField(blank=True)
    signature = models.CharField(max_length=128, blank=True)
    statement_signature = models.CharField(max_length=128, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("revocation", "role"), name="one_delivery_per_revocation_and_party"
            ),
        )


class RevocationList(models.Model):
    """The newest list of revocations that the regulator's party signed."""

    number = models.BigIntegerField(primary_key=True)
    text = models.TextField()
    signature = models.CharField(max_length=128)
    issued_at = models.DateTimeField()
    next_update = models.DateTimeField()
