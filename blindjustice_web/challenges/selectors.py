"""Reads on cases that are not about one viewer: alarms and counts of a certificate."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count, QuerySet

from blindjustice_web.challenges.models import Challenge, ChallengeState, Source
from blindjustice_web.lib.labels import JobState, VerificationResult

ALARMING = frozenset(
    {
        VerificationResult.DIFFERENT_DECISION.value,
        VerificationResult.DIFFERENT_MODEL.value,
        VerificationResult.NOT_ANSWERED.value,
    }
)
"""Outcomes that count against a certificate, where the decision came with a signed record."""


def alarms_in(cases: QuerySet[Challenge]) -> QuerySet[Challenge]:
    """Return those cases that raise an alarm on their certificate."""
    return cases.filter(state=ChallengeState.ANSWERED, source=Source.RECORD, outcome__in=ALARMING)


def alarms_by_certificate(certificate_ids: Iterable[str]) -> dict[str, int]:
    """Return how many alarms each certificate has; those without any are missing."""
    cases = Challenge.objects.filter(certificate_id__in=set(certificate_ids))
    counted = alarms_in(cases).order_by().values("certificate_id").annotate(n=Count("pk"))
    return {row["certificate_id"]: row["n"] for row in counted}


def counts_by_state(cases: QuerySet[Challenge]) -> dict[ChallengeState, int]:
    """Return how many cases stand in each state; one is being checked while its job runs."""
    counts = dict.fromkeys(ChallengeState, 0)
    for row in cases.order_by().values("state", "job__state").annotate(n=Count("pk")):
        state = ChallengeState(row["state"])
        runs = state is ChallengeState.QUEUED and row["job__state"] == JobState.RUNNING
        counts[ChallengeState.RUNNING if runs else state] += row["n"]
    return counts
