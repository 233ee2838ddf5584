"""The command line of a party, as an operator calls it."""

from __future__ import annotations

from datetime import datetime

import pytest

from mpc_engine.party.zone import party as party_module
from mpc_engine.roles import Role
from tests.engine.party.world import M, World


def config_of(world: World, role: Role = M) -> list[str]:
    return ["--config", str(world.folder / role.value / "party.toml")]


def in_the_time_of(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    opened = party_module.open_party
    monkeypatch.setattr(
        "mpc_engine.party.commands.cli.open_party",
        lambda config, send: opened(config, send, now=lambda: moment),
    )
