"""A party's command with blocks of ten people, so that few people are divided among workers.

``python -m tests.services.small_blocks --config FILE ...``: workers begin when there is no file
``hold`` beside the configuration; the rest is as of ``python -m mpc_engine.party``.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

from mpc_engine.party.commands.cli import main
from mpc_engine.party.jobs import worker_processes
from mpc_engine.protocols import instances
from mpc_engine.protocols.certification import people

_answer = worker_processes._answer


def _answer_later(*given: Any) -> Any:
    while Path(sys.argv[2]).with_name("hold").exists():
        time.sleep(0.05)
    return _answer(*given)


if __name__ == "__main__":
    with (
        patch.object(people, "PART_RECORDS", 10),
        patch.object(instances, "BLOCK_ITEMS", 50),
        patch.object(worker_processes, "_answer", _answer_later),
    ):
        sys.exit(main(sys.argv[1:]))
