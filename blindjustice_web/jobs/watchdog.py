"""What must happen even when no message comes: deadlines, the next job, tasks left behind.

A thread of the web worker looks every few seconds. Every step is safe in several workers at once.
"""

from __future__ import annotations

import logging
import threading

from django.conf import settings
from django.db import close_old_connections, connections

from blindjustice_web.audit.chain import link_entries
from blindjustice_web.challenges.services import answer_overdue_challenges, ask_again
from blindjustice_web.jobs import sequencer
from blindjustice_web.jobs.diagnostics import check_if_due
from blindjustice_web.jobs.outbox import resend_waiting_tasks
from blindjustice_web.jobs.outcomes import settle
from blindjustice_web.jobs.party_keys import note_published_keys

logger = logging.getLogger(__name__)


def look_once() -> None:
    """Do everything that is due now."""
    settle(sequencer.conclude_overdue_job())
    answer_overdue_challenges()
    ask_again()
    resend_waiting_tasks()
    note_published_keys()
    check_if_due()
    link_entries()


class Watchdog(threading.Thread):
    """Look again and again until told to stop; an error is logged and doesn't end the watch."""

    def __init__(self, period_s: float | None = None) -> None:
        super().__init__(name="watchdog", daemon=True)
        self._period_s = settings.WATCHDOG_PERIOD_S if period_s is None else period_s
        self._stopped = threading.Event()

    def run(self) -> None:
        """Look every period; hold no database connection in between."""
        while not self._stopped.wait(self._period_s):
            close_old_connections()
            try:
                look_once()
            except Exception:
                logger.exception("The watchdog could not finish its round")
            finally:
                connections.close_all()

    def stop(self) -> None:
        """End the watch after the current round."""
        self._stopped.set()
