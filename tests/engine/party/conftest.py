from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mpc_engine.control.studies.configuration import Configuration
from tests.engine.party.command_line import in_the_time_of
from tests.engine.party.processes import children
from tests.engine.party.stories import certified_study, compile_kernels
from tests.engine.party.world import START, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return both parties, freshly made."""
    return World(tmp_path)


@pytest.fixture
def certified(world: World) -> tuple[Configuration, bytes]:
    """Return a study with a certified model, whose parties keep two items."""
    compile_kernels()
    for party in world.parties.values():
        party.config = replace(party.config, stock_items=2)
    return certified_study(world, typed_challenge_limit=1000)


@pytest.fixture
def no_process_is_left() -> Iterator[None]:
    """Check that a test ends every process that it starts."""
    before = children()
    yield
    assert children() <= before


@pytest.fixture
def world_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands live in the time of the world's certificates."""
    in_the_time_of(monkeypatch, START)
