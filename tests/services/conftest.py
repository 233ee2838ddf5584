"""One folder of machine code for this lane's processes, and an installation for several suites."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.machine_code import machine_code
from tests.relay import Relay
from tests.running_stack import RunningStack

# Numba reads it once, when it is imported.
os.environ.setdefault("NUMBA_CACHE_DIR", str(machine_code()))


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a Redis server of a module's own."""
    from tests.services.redis_server import own_redis

    with own_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server.url


@pytest.fixture(scope="session")
def patient_stack() -> Iterator[tuple[RunningStack, Relay]]:
    """Return an installation whose jobs have time and a second attempt, and its parties' relay.

    Tests may kill what is the parties'.
    """
    from tests.services.crash_study import PATIENT, relayed_stack

    with relayed_stack(PATIENT) as both:
        yield both
