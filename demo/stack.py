"""What the demo is told about the running installation: its address, log-ins and key files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from mpc_engine.errors import UsageError
from mpc_engine.roles import Role

PERSON = "person"


@dataclass(frozen=True)
class LogIn:
    """One person of the demo's cast; ``password`` was drawn for this installation."""

    email: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class Stack:
    """A running installation on this machine; ``log_ins`` by role ("person" for Uma)."""

    base_url: str
    state: Path
    approver_keys: dict[Role, Path]
    log_ins: dict[str, LogIn]

    def party_folder(self, role: Role) -> Path:
        """Return a party's own directory."""
        return self.state / role.value


def read_stack(path: Path) -> Stack:
    """Read the file that ``./run`` writes when everything is up.

    Raises:
        UsageError: the file is missing or lacks something the demo needs (STACK_NOT_READABLE).
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        return Stack(
            base_url=value["base_url"],
            state=Path(value["state"]),
            approver_keys={role: Path(value["approver_keys"][role.value]) for role in Role},
            log_ins={
                person["role"]: LogIn(person["email"], person["password"])
                for person in value["people"]["people"]
            },
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} does not describe a running installation; start one with ./run up.",
            code="STACK_NOT_READABLE",
        ) from error
