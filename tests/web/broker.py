"""The broker as the site sees it: a place that takes tasks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from blindjustice_web.accounts.models import Role


@dataclass(frozen=True)
class SentTask:
    """A task that reached a party's queue."""

    role: Role
    kind: str
    payload: dict[str, Any]


@dataclass
class RecordingBroker:
    """Keep every task; refuse them all while away."""

    tasks: list[SentTask] = field(default_factory=list)
    is_away: bool = False
    is_behind: bool = False
    """Whether the parties have not taken everything from their queues."""

    def n_waiting(self, role: Role) -> int:
        """Return how many tasks a party has not taken."""
        return len(self.tasks) if self.is_behind else 0

    def __call__(self, role: Role, kind: str, payload: dict[str, Any]) -> None:
        """Take a task, as `engine_client.hand_to_broker` does."""
        if self.is_away:
            raise ConnectionError("no broker")
        self.tasks.append(SentTask(role, kind, payload))

    def of_kind(self, kind: str) -> list[SentTask]:
        """Return the tasks of one kind, oldest first."""
        return [task for task in self.tasks if task.kind == kind]
