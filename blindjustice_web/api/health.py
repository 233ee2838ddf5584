"""Health: what both parties say of their last meeting on the line, and letting them meet now."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema, Status

from blindjustice_web.accounts.selectors import role_of
from blindjustice_web.jobs.diagnostics import ask_for_check
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.post.health import PartyHealth, parties_health

router = Router(tags=["parties"])


class CheckOut(Schema):
    """One thing that was checked: ok, failed or unknown."""

    name: str
    found: str
    fix: str


class HealthOut(Schema):
    """A party's own account."""

    role: str
    is_well: bool
    checks: list[CheckOut]
    protocol: str
    code: str
    at: datetime | None
    went_well_at: datetime | None
    self_test_at: datetime | None
    asked_at: datetime | None


@router.get("health", response=list[HealthOut])
def health_read(request: HttpRequest) -> list[dict[str, Any]]:
    """Return how both parties are doing."""
    _require_member(request)
    return _shown()


@router.post("health/check", response={202: list[HealthOut]})
def health_check(request: HttpRequest) -> Status[list[dict[str, Any]]]:
    """Let both parties meet now; their accounts come within seconds."""
    _require_member(request)
    ask_for_check()
    return Status(202, _shown())


def _require_member(request: HttpRequest) -> None:
    if role_of(request.user) is None:
        raise NotThere


def _shown() -> list[dict[str, Any]]:
    return [_health_out(party) for party in parties_health()]


def _health_out(party: PartyHealth) -> dict[str, Any]:
    checks = [
        {"name": check.name, "found": check.found.value, "fix": check.fix} for check in party.checks
    ]
    return {**vars(party), "role": party.role.value, "checks": checks}
