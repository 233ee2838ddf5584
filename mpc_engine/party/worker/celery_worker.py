"""The party's Celery worker: one task, a few slots, ready once all have compiled their kernels."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import (
    task_failure,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_shutdown,
)

from mpc_engine.control.post.exchanges.about_jobs import RunJob
from mpc_engine.control.post.messages import MESSAGE_TASK, claimed_message
from mpc_engine.control.post.orders import ORDER_TASK, read_order
from mpc_engine.control.post.queues import (
    WORKER_OPTIONS,
    Zone,
    consumed_queues,
    make_celery,
    queue_of_message,
    queue_of_order,
)
from mpc_engine.control.post.upkeep import add_upkeep, end_with_parent
from mpc_engine.errors import EngineError
from mpc_engine.party.jobs.attempts import (
    abandon_attempt,
    abandon_attempts,
    overdue_processes,
)
from mpc_engine.party.jobs.ends import close_overdue
from mpc_engine.party.services.study_keys import renew_noted_keys
from mpc_engine.party.stock.store import forget_all
from mpc_engine.party.studies.closing_states import end_overdue_closings
from mpc_engine.party.worker.line_check import READY_FILE
from mpc_engine.party.worker.receive import receive
from mpc_engine.party.worker.rehearsal import rehearse
from mpc_engine.party.worker.status import report_status
from mpc_engine.party.zone.config import PartyConfig
from mpc_engine.party.zone.faults import as_engine_error
from mpc_engine.party.zone.party import Party, open_party
from mpc_engine.party.zone.private_files import make_private_directory, write_private
from mpc_engine.party.zone.stock_epoch import StockEpoch

_WARM_DIRECTORY = "warm"
_COMPILE_LIMIT_S = 600
_LAST_RESORT_S = 600
_OVERDUE_S = 3.0
_PUT_BACK_S = 0.2
_log = logging.getLogger(__name__)


class PartyWorker:
    """A worker of one party; its processes are forked, so each opens what it needs itself."""

    def __init__(self, config: PartyConfig) -> None:
        self.config = config
        self.app = self._make_app()
        self._stock_epoch = StockEpoch()
        self._party: Party | None = None

    def run(self) -> None:
        """Work until the process is told to end.

        Raises ResourceError before any work for a store that this version can't use.
        """
        self.party().database.add_missing_tables()
        self.party().database.close()
        self._connect_signals()
        self.app.worker_main(
            [
                "worker",
                "--pool=prefork",
                f"--concurrency={self.config.slots}",
                f"--queues={','.join(consumed_queues(Zone(self.config.role.value)))}",
                f"--hostname=party-{self.config.role.value}",
                "--loglevel=INFO",
                *WORKER_OPTIONS,
            ]
        )

    def party(self) -> Party:
        """Return this process's party, opened on first use."""
        if self._party is None:
            self._party = open_party(self.config, self._send, stock_epoch=self._stock_epoch)
        return self._party

    def _make_app(self) -> Celery:
        app = make_celery(self.config.role.value, self.config.broker_url())
        app.conf.worker_proc_alive_timeout = _COMPILE_LIMIT_S
        app.conf.task_time_limit = self.config.job_limit_s + _LAST_RESORT_S

        @app.task(name=ORDER_TASK, typing=False)
        def receive_order(*_: object, **order: object) -> None:
            if not receive(self.party(), order.get("kind"), order.get("payload")):
                self._put_back(order)

        add_upkeep(app, self._end_overdue, self._flush)
        return app

    def _put_back(self, order: Mapping[str, object]) -> None:
        """Put an order whose turn has not come at the end of the queue it came from."""
        time.sleep(_PUT_BACK_S)
        queue = queue_of_order(self.config.role, order.get("kind"), order.get("payload"))
        self.app.send_task(ORDER_TASK, kwargs=dict(order), queue=queue)

    def _end_overdue(self) -> None:
        """In the main process: kill a slot that is past its job's deadline and does not end."""
        for process in overdue_processes(self.party(), _OVERDUE_S):
            if process in _children():
                _log.error("a slot is past its job's time limit and is ended")
                os.kill(process, signal.SIGKILL)
        self.party().database.close()

    def _flush(self) -> None:
        """In the main process: send what the broker did not take; end what was not delivered.

        What was deleted while the store was busy leaves its log, too, and the keys of studies that
        are over their directory. A duty that fails comes again, and keeps none of the others back.
        """
        party = self.party()
        for duty in (
            lambda: close_overdue(party),
            lambda: end_overdue_closings(party),
            lambda: renew_noted_keys(party),
            party.database.forget_noted,
            party.outbox.flush,
        ):
            try:
                duty()
            except Exception as error:
                _log.warning("upkeep failed: %s", as_engine_error(error).code)
        party.database.close()

    def _send(self, body: str, signature: str) -> None:
        self.app.send_task(
            MESSAGE_TASK,
            kwargs={"body": body, "signature": signature},
            queue=queue_of_message(self.config.role, type(claimed_message(body).content)),
            retry=False,
        )

    def _connect_signals(self) -> None:
        worker_init.connect(self._on_start, weak=False)
        worker_process_init.connect(self._on_slot_start, weak=False)
        worker_process_shutdown.connect(self._on_slot_end, weak=False)
        worker_shutdown.connect(self._on_end, weak=False)
        task_failure.connect(self._on_task_failure, weak=False)

    def _on_start(self, **_: Any) -> None:
        """In the main process: settle what a worker that was killed left behind."""
        self._ready_path.unlink(missing_ok=True)
        make_private_directory(self._warm_directory)
        for path in self._warm_directory.iterdir():
            path.unlink()
        n_abandoned = abandon_attempts(self.party())
        if n_abandoned:
            _log.warning("%d attempts were lost with an earlier worker", n_abandoned)
        forget_all(self.party())
        renew_noted_keys(self.party())
        self.party().outbox.flush()
        self.party().database.close()

    def _on_slot_start(self, **_: Any) -> None:
        """In a pool child: compile every kernel, then say so; a party that fails here ends."""
        end_with_parent()
        self._party = None
        try:
            rehearse(self.party())
        except Exception as error:
            fault = as_engine_error(error)
            _log.critical("the rehearsal failed, ending: %s %s", fault.code, fault.sentence)
            os.kill(os.getppid(), signal.SIGTERM)
            return
        write_private(self._warm_directory / str(os.getpid()), b"", replace=True)
        if len(list(self._warm_directory.iterdir())) >= self.config.slots:
            write_private(self._ready_path, b"", replace=True)
            report_status(self.party())

    def _on_slot_end(self, **_: Any) -> None:
        (self._warm_directory / str(os.getpid())).unlink(missing_ok=True)

    def _on_end(self, **_: Any) -> None:
        self._ready_path.unlink(missing_ok=True)

    def _on_task_failure(self, kwargs: Mapping[str, object] | None = None, **_: Any) -> None:
        """In the main process, when a pool child died with a task: report its job as failed."""
        try:
            order = read_order((kwargs or {}).get("kind"), (kwargs or {}).get("payload"))
            if isinstance(order, RunJob):
                abandon_attempt(self.party(), order.job_id, order.attempt)
        except EngineError as error:
            _log.error("a task was lost with its process: %s", error.code)
        except Exception as error:
            as_engine_error(error)
        finally:
            self.party().database.close()

    @property
    def _ready_path(self) -> Path:
        return self.config.data_dir / READY_FILE

    @property
    def _warm_directory(self) -> Path:
        return self.config.data_dir / _WARM_DIRECTORY


def _children() -> set[int]:
    """Return this process's children."""
    found: set[int] = set()
    for path in Path("/proc/self/task").glob("*/children"):
        found.update(int(process) for process in path.read_text("ascii").split())
    return found
