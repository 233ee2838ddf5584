from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.party.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return both parties, freshly made."""
    return World(tmp_path)
