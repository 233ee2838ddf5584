"""Protocol jobs and what the parties reported of them."""

from __future__ import annotations

from django.db import models

from blindjustice_web.accounts.models import Role
from blindjustice_web.lib.labels import JobKind, JobState, choices_of
from blindjustice_web.studies.models import Proposal, Study

CANCELLABLE = (JobKind.CERTIFICATION, JobKind.TRAINING)
"""Either side may stop these; closings and verifications concern people, and go on."""


class Job(models.Model):
    """One run of a protocol; at most one job is RUNNING, which the database enforces.

    ``cancelled_by``: the side that asked to stop it; it is CANCELLED once the modeler's party has.
    ``repeats``: it asks the batch of an earlier verification again, and takes no other case in.
    ``paced_from``, ``paced_at``: the first word of progress of this attempt. Its pace is told from
    there: a resumed run does not begin at 0.
    """

    id = models.CharField(primary_key=True, max_length=32, editable=False)
    kind = models.CharField(max_length=14, choices=choices_of(JobKind))
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="jobs")
    proposal = models.OneToOneField(
        Proposal, null=True, on_delete=models.PROTECT, related_name="job"
    )
    subject_id = models.CharField(max_length=32, blank=True, db_index=True)
    spec = models.TextField()
    repeats = models.BooleanField(default=False)
    state = models.CharField(
        max_length=10, choices=choices_of(JobState), default=JobState.QUEUED.value, db_index=True
    )
    attempt = models.PositiveIntegerField(default=0)
    stage = models.CharField(max_length=60, blank=True)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    paced_from = models.PositiveBigIntegerField(default=0)
    paced_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    deadline = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    failure_code = models.CharField(max_length=60, blank=True)
    failure_sentence = models.TextField(blank=True)
    cancelled_by = models.CharField(max_length=10, blank=True, choices=Role.choices)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("state",),
                condition=models.Q(state=JobState.RUNNING.value),
                name="one_job_at_a_time",
            ),
        )


class JobReport(models.Model):
    """A party's signed word on how an attempt ended."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="reports")
    attempt = models.PositiveIntegerField()
    role = models.CharField(max_length=10, choices=Role.choices)
    succeeded = models.BooleanField()
    code = models.CharField(max_length=60, blank=True)
    sentence = models.TextField(blank=True)
    body = models.TextField()
    signature = models.CharField(max_length=128)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("job", "attempt", "role"), name="one_report_per_party_and_attempt"
            ),
        )
