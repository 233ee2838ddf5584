"""What a ledger charged, and protocols that must not be run or that break."""

from __future__ import annotations

from typing import Any

from mpc_engine.roles import Role
from tests.engine.party.stories import (
    Reports,
    with_protocols,
)
from tests.engine.party.world import World

OTHER_MODEL = b"o" * 16


def charged(world: World, role: Role) -> list[tuple[int, str]]:
    """Return what a party charged for each question, and how it ended."""
    with world.parties[role].database.reading() as connection:
        rows = connection.execute("SELECT millibits, outcome FROM questions ORDER BY number")
        return [(row["millibits"], row["outcome"]) for row in rows]


def codes(reports: Reports) -> dict[Role, str]:
    """Return the code of each party's refusal."""
    return {role: report.text("code") for role, report in reports.items()}


def never(*_: Any) -> Any:
    """Stand for a protocol that must not be run."""
    raise AssertionError("the protocol was run")


NO_PROTOCOL = with_protocols(certify_as_modeler=never, certify_as_regulator=never)


def broken(*_: Any) -> Any:
    """Stand for a protocol that breaks at once."""
    raise ValueError


BROKEN = with_protocols(certify_as_modeler=broken, certify_as_regulator=broken)
