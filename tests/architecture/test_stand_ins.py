"""Stand-ins for brokers, layers and parties occur in unit tests only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source_tree import DEMO, ENGINE, ROOT, SITE, name_of, python_files

STAND_INS = (
    "task_always_eager",
    "InMemoryChannelLayer",
    "memory://",
    "run_two_parties",
    "memory_channel_pair",
)
UNIT_TESTS = ("tests/engine/", "tests/web/", "tests/architecture/", "tools/showroom/")
"""Where they may occur, beside ``mpc_engine/testing``; the showroom is a site without parties."""


def files_without_stand_ins() -> Iterator[Path]:
    for path in python_files(ENGINE, SITE, DEMO, ROOT / "docker", ROOT / "tests", ROOT / "tools"):
        name = name_of(path)
        if not name.startswith((*UNIT_TESTS, "mpc_engine/testing/")):
            yield path


@pytest.mark.parametrize("stand_in", STAND_INS)
def test_stand_in_occurs_in_unit_tests_only(stand_in: str) -> None:
    found = [
        name_of(path)
        for path in files_without_stand_ins()
        if stand_in in path.read_text(encoding="utf-8")
    ]
    assert not found, found
