"""The account of the kernels that a run tried: a strict run fails where a kind can't be."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mpc_engine.kernels.aes import AesPath
from mpc_engine.kernels.gf128 import FieldPath
from tests.engine.kernels.paths import INSTRUCTIONS

_TRIED: Counter[tuple[str, str]] = Counter()
"""Tests that ran, by what they compute and the name of their way to compute it."""


@pytest.fixture(autouse=True)
def _counted(request: pytest.FixtureRequest) -> None:
    """Count a test under its kernel; one that is skipped comes to no fixture."""
    callspec = getattr(request.node, "callspec", None)
    path = callspec.params.get("path") if callspec else None
    if isinstance(path, AesPath):
        _TRIED["AES", path.value] += 1
    elif isinstance(path, FieldPath):
        _TRIED["field", path.name] += 1


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say which kernels were tried, and how often; 0 is a kind that this machine lacks."""
    if _TRIED:
        for kind in ("AES", "field"):
            told = [
                f"{name} ({needs}) {_TRIED[kind, name]}" for name, needs in INSTRUCTIONS.items()
            ]
            terminalreporter.write_line(f"kernels tried, {kind}: {', '.join(told)}")
