"""Every setting that an operator can make is in ``docs/operations.md``."""

from __future__ import annotations

import pytest

from blindjustice_web.config.environment import KNOWN
from mpc_engine.party.zone import config
from tests.architecture.source_tree import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
OTHERS = (
    "DATABASE_URL",
    "REDIS_URL",
    "NUMBA_CACHE_DIR",
    "BLINDJUSTICE_PYTHON",
    "BLINDJUSTICE_STRICT",
    "BLINDJUSTICE_TEST_DATABASE_URL",
    "BLINDJUSTICE_TEST_REDIS_URL",
)


@pytest.mark.parametrize("name", sorted({*KNOWN, *OTHERS}))
def test_environment_variable_is_documented(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("key", [*config._TEXTS, *config._NUMBERS])
def test_party_key_is_documented(key: str) -> None:
    assert f"`{key}`" in PAGE
