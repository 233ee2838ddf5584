"""A thread that looks after something again and again."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod

from django.db import close_old_connections, connections

logger = logging.getLogger(__name__)


class Rounds(threading.Thread, ABC):
    """Look again and again until told to stop; an error is logged and doesn't end the watch."""

    def __init__(self, name: str, period_s: float) -> None:
        super().__init__(name=name, daemon=True)
        self._period_s = period_s
        self._stopped = threading.Event()

    def run(self) -> None:
        """Look every period; hold no database connection in between."""
        while not self._stopped.wait(self._period_s):
            close_old_connections()
            try:
                self.look()
            except Exception:
                logger.exception("The %s could not finish its round", self.name)
            finally:
                connections.close_all()

    def stop(self) -> None:
        """End the watch after the current round."""
        self._stopped.set()

    @abstractmethod
    def look(self) -> None:
        """Do what is due now."""
