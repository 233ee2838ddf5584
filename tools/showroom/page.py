"""What the showroom has to show, as its server tells it and its visitors read it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class ShownPage:
    """One page: a name that files can have, its address, and who of the cast looks at it."""

    name: str
    path: str
    who: str = "anonymous"


@dataclass(frozen=True)
class Exhibition:
    """Everything that is shown: the address of the site, its pages, and everybody's log-in."""

    base_url: str
    pages: list[ShownPage]
    sessions: dict[str, str]
    """The session cookie's value of each member of the cast."""
    approver_keys: dict[str, str]
    """The key file of each role's approver."""
    decision_record: str
    """The file of a decision that was made with a certified model."""

    def as_json(self) -> dict[str, Any]:
        """Return it as the server prints it."""
        return asdict(self)

    @classmethod
    def of_json(cls, raw: dict[str, Any]) -> Exhibition:
        """Return it from what the server printed."""
        pages = [ShownPage(**page) for page in raw["pages"]]
        return cls(**{**raw, "pages": pages})
