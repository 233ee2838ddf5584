"""Invitations, sealed submissions, what each party said about them, and sealed data files."""

from __future__ import annotations

from django.db import models

from blindjustice_web.accounts.models import Role
from blindjustice_web.lib.ids import fresh_id
from blindjustice_web.studies.models import Study


class InvitationBatch(models.Model):
    """One list of invitations, handed to both parties; the codes never come here."""

    id = models.CharField(primary_key=True, max_length=32, default=fresh_id, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitation_batches")
    count = models.PositiveIntegerField()
    modeler_accepted = models.BooleanField(default=False)
    regulator_accepted = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)


class Invitation(models.Model):
    """A record somebody is invited to fill; who that is, the site doesn't know."""

    batch = models.ForeignKey(InvitationBatch, on_delete=models.CASCADE, related_name="invitations")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    record_id = models.CharField(max_length=32)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("study", "record_id"), name="one_invitation_per_record"
            ),
        )


class Submission(models.Model):
    """A pair of sealed envelopes with the owner's signature, as they arrived."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="submissions")
    record_id = models.CharField(max_length=32)
    submission_id = models.CharField(max_length=32)
    sequence = models.PositiveBigIntegerField()
    owner_key = models.CharField(max_length=130)
    signature = models.CharField(max_length=100)
    envelope_modeler = models.BinaryField()
    envelope_regulator = models.BinaryField()
    digest_modeler = models.CharField(max_length=64)
    digest_regulator = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("study", "record_id", "submission_id"), name="one_row_per_submission"
            ),
            models.UniqueConstraint(
                fields=("study", "record_id", "sequence"), name="one_submission_per_sequence"
            ),
            models.UniqueConstraint(
                fields=("study", "digest_modeler"), name="no_modeler_envelope_twice"
            ),
            models.UniqueConstraint(
                fields=("study", "digest_regulator"), name="no_regulator_envelope_twice"
            ),
        )


class Answer(models.Model):
    """A party's signed word on a submission: a receipt, or a refusal with its reason."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="answers")
    role = models.CharField(max_length=10, choices=Role.choices)
    accepted = models.BooleanField()
    common_digest = models.CharField(max_length=64, blank=True)
    code = models.CharField(max_length=60, blank=True)
    sentence = models.TextField(blank=True)
    body = models.TextField()
    signature = models.CharField(max_length=128)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("submission", "role"), name="one_answer_per_party_and_submission"
            ),
        )


class DataUpload(models.Model):
    """A sealed file of the data-holder, on its way to that party in parts."""

    class State(models.TextChoices):
        """How far it came, and what the data-holder's party said."""

        ARRIVING = "ARRIVING"
        RECEIVED = "RECEIVED"
        ACCEPTED = "ACCEPTED"
        REFUSED = "REFUSED"

    id = models.CharField(primary_key=True, max_length=32, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="data_uploads")
    state = models.CharField(max_length=10, choices=State.choices, default=State.ARRIVING)
    size_bytes = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    n_rows = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)


class DataPart(models.Model):
    """A piece of a sealed file; kept until the whole file went to the party."""

    upload = models.ForeignKey(DataUpload, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("upload", "number"), name="one_piece_per_number"),
        )
