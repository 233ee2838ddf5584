"""Publish a report, and take it back."""

from __future__ import annotations

import hashlib

from django.db import transaction

from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine.engine_lab import read_report
from blindjustice_web.lab.models import LabFigure, LabReport


@transaction.atomic
def publish(data: bytes) -> LabReport:
    """Show the report of a file in the place of what was shown; Unusable names the fault."""
    read = read_report(data)
    LabReport.objects.all().delete()
    report = LabReport.objects.create(
        digest=hashlib.sha256(data).hexdigest(),
        title=read.title,
        intro=list(read.intro),
        made=[list(pair) for pair in read.made],
        claims=[claim.fields() for claim in read.claims],
        failures=[failed.fields() for failed in read.failures],
    )
    LabFigure.objects.bulk_create(
        LabFigure(
            report=report,
            place=place,
            name=figure.name,
            title=figure.title,
            sentence=figure.sentence,
            reproduces=figure.reproduces,
            content=figure.fields(),
        )
        for place, figure in enumerate(read.figures)
    )
    record(EntryKind.LAB_REPORT_PUBLISHED, subject=report.digest)
    return report


@transaction.atomic
def withdraw() -> bool:
    """Show no report any more; return whether one was shown."""
    shown = list(LabReport.objects.all())
    for report in shown:
        report.delete()
        record(EntryKind.LAB_REPORT_WITHDRAWN, subject=report.digest)
    return bool(shown)
