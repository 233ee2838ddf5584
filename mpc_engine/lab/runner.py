"""Run tasks over the cores, the longest first, and those that are timed alone and last."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path

from mpc_engine.lab.store import Store
from mpc_engine.lab.tasks import Study, Task, carry_out, weight_of

Tell = Callable[[str], None]
_THREAD_SETTINGS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def run_tasks(
    tasks: Sequence[Task], folder: Path, store: Store, n_workers: int, tell: Tell
) -> None:
    """Carry out what the store does not have yet; a task that raises ends the run.

    ``folder``: of the data. ``tell`` hears of every task that is done.
    """
    waiting = {task.key: task for task in tasks if task.key not in store.rows}
    progress = _Progress(len(waiting), tell)
    if len(waiting) < len(tasks):
        tell(f"{len(tasks) - len(waiting)} of {len(tasks)} were done before.")
    alone = [task for task in waiting.values() if isinstance(task, Study) and task.alone]
    others = sorted(
        (task for task in waiting.values() if task not in alone), key=weight_of, reverse=True
    )
    if others:
        with _workers(min(n_workers, len(others))) as pool:
            running = {pool.submit(carry_out, task, folder): task for task in others}
            for done in as_completed(running):
                store.add(running[done].key, done.result())
                progress.one(running[done])
    for task in alone:
        store.add(task.key, carry_out(task, folder))
        progress.one(task)


class _Progress:
    def __init__(self, n_tasks: int, tell: Tell) -> None:
        self._n_tasks, self._tell = n_tasks, tell
        self._done, self._began = 0, time.monotonic()

    def one(self, task: Task) -> None:
        self._done += 1
        spent = time.monotonic() - self._began
        left = spent / self._done * (self._n_tasks - self._done)
        name = task.kind.value if isinstance(task, Study) else f"{task.data} {task.method.value}"
        self._tell(
            f"{self._done}/{self._n_tasks}  {spent:.0f} s, about {left:.0f} s left  ({name})"
        )


@contextmanager
def _workers(n_workers: int) -> Iterator[ProcessPoolExecutor]:
    """Yield processes of one thread each; what waits is dropped when the caller fails."""
    for name in _THREAD_SETTINGS:
        os.environ.setdefault(name, "1")
    pool = ProcessPoolExecutor(
        n_workers, multiprocessing.get_context("spawn"), initializer=_end_with_parent
    )
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however it ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel

        def watch() -> None:
            wait([sentinel])
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()
