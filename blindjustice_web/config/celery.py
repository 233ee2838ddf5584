"""The Celery application of the web zone: takes the parties' messages and watches the clock."""

from __future__ import annotations

import os
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blindjustice_web.config.settings")
django.setup()

from celery.signals import (  # noqa: E402
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)
from django.db import connections  # noqa: E402

from blindjustice_web.conduct import tasks  # noqa: E402, F401
from blindjustice_web.conduct.watchdog import Watchdog  # noqa: E402
from blindjustice_web.engine import engine_client  # noqa: E402
from blindjustice_web.notices.postman import Postman  # noqa: E402

CONNECTION_KEPT_S = 60

app = engine_client.celery_app()
_watchdog = Watchdog()
_postman = Postman()


@worker_process_init.connect
def keep_connections(**_: Any) -> None:
    """Let a pool process keep its connections from message to message, and end with the worker.

    The connections matter with SQLite: whenever the last one closes, the whole log is written back.
    """
    engine_client.end_with_parent()
    connections.databases["default"]["CONN_MAX_AGE"] = CONNECTION_KEPT_S


@worker_ready.connect
def start_watching(**_: Any) -> None:
    """Start watchdog and postman in the worker's main process once it takes messages."""
    _watchdog.start()
    _postman.start()


@worker_shutting_down.connect
def stop_watching(**_: Any) -> None:
    """End both with the worker."""
    _watchdog.stop()
    _postman.stop()
