"""On a running installation both parties meet by themselves, and again when somebody asks."""

from __future__ import annotations

from typing import Any

from mpc_engine.client.http import Session
from tests.running_stack import RunningStack
from tests.services.crash_study import wait_for

LIMIT_S = 180


def test_parties_that_start_meet_and_meet_again_when_asked(stack: RunningStack) -> None:
    with Session(stack.base_url) as rae:
        rae.log_in(*stack.log_in_of("regulator"))

        def well(since: tuple[str, ...] = ("", "")) -> tuple[str, ...] | None:
            parties: list[dict[str, Any]] = rae.get_json("/api/v1/health")
            last = tuple(party["went_well_at"] or "" for party in parties)
            later = all(new > old for new, old in zip(last, since, strict=True))
            return last if later and all(party["is_well"] for party in parties) else None

        first = wait_for("both parties met", well, LIMIT_S)
        rae.post_json("/api/v1/health/check", {})
        wait_for("both met again", lambda: well(first), LIMIT_S)
