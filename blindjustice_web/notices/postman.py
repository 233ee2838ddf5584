"""A thread of the site's worker that sends notices: a slow mail server delays nothing else."""

from __future__ import annotations

from blindjustice_web.lib.rounds import Rounds
from blindjustice_web.notices.services import send_due_notices

PERIOD_S = 5.0


class Postman(Rounds):
    """Send what waits, again and again."""

    def __init__(self, period_s: float = PERIOD_S) -> None:
        super().__init__("postman", period_s)

    def look(self) -> None:
        """Send what is due now."""
        send_due_notices()
