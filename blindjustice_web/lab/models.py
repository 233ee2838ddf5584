"""A published report, a row for each of its figures. What is here was read field by field."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class LabReport(models.Model):
    """What a report says beside its figures; the newest one is shown, others are gone.

    ``claims`` and ``failures``: as the file has them. ``made``: pairs of a name and a text.
    """

    published_at = models.DateTimeField(default=timezone.now)
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=200)
    intro = models.JSONField()
    made = models.JSONField()
    claims = models.JSONField()
    failures = models.JSONField()


class LabFigure(models.Model):
    """A figure of a report; ``content`` is all of it, as the file has it."""

    report = models.ForeignKey(LabReport, on_delete=models.CASCADE, related_name="figures")
    place = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=40)
    title = models.CharField(max_length=200)
    sentence = models.TextField()
    reproduces = models.TextField()
    content = models.JSONField()

    class Meta:
        ordering = ("place",)
        constraints = (
            models.UniqueConstraint(fields=("report", "name"), name="one_figure_of_a_name"),
        )
