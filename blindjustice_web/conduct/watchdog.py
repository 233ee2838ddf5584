"""What must happen even when no message comes: deadlines, the next job, tasks left behind.

A thread of the web worker looks every few seconds. Every step is safe in several workers at once.
"""

from __future__ import annotations

from django.conf import settings

from blindjustice_web.audit.chain import link_entries
from blindjustice_web.certificates.revocations import ask_for_list_if_due, pass_on_revocations
from blindjustice_web.challenges.services import answer_overdue_challenges, ask_again
from blindjustice_web.conduct.outcomes import settle_overdue_job
from blindjustice_web.jobs.diagnostics import check_if_due
from blindjustice_web.lib.rounds import Rounds
from blindjustice_web.post.outbox import resend_waiting_tasks
from blindjustice_web.post.party_keys import note_published_keys


def look_once() -> None:
    """Do everything that is due now."""
    settle_overdue_job()
    answer_overdue_challenges()
    ask_again()
    pass_on_revocations()
    resend_waiting_tasks()
    note_published_keys()
    check_if_due()
    link_entries()
    ask_for_list_if_due()


class Watchdog(Rounds):
    """Do what is due, again and again."""

    def __init__(self, period_s: float | None = None) -> None:
        super().__init__("watchdog", settings.WATCHDOG_PERIOD_S if period_s is None else period_s)

    def look(self) -> None:
        """Do everything that is due now."""
        look_once()
