"""What every Celery worker of the product does beside its tasks, and how its processes end.

Kombu gives back messages that a killed worker, or a broken connection, had taken and not begun only
after its visibility timeout, which is a day. Here the worker itself looks for them every few
seconds. A message may come twice that way: every receiver takes each once.

A worker whose broker dies just when it acknowledges a message counts that message as not done for
ever, and takes no more. It notices here, and connects anew.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import time
from collections.abc import Callable
from typing import Any, ClassVar

from celery import Celery, bootsteps
from celery.worker import state
from celery.worker.request import Request

from mpc_engine.errors import named

PERIOD_S = 1.0
LEFT_BEHIND_S = 5.0
"""Messages taken longer ago, of which this worker knows nothing, are given back to their queue."""
_PR_SET_PDEATHSIG = 1
_log = logging.getLogger(__name__)

Duty = Callable[[], object]


def end_with_parent() -> None:
    """Let this process be killed when its parent ends, however that ends (Linux).

    A pool process that outlives its worker would go on with what is reported as failed.
    """
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def add_upkeep(app: Celery, *duties: Duty, period_s: float = PERIOD_S) -> None:
    """Let an application's worker do ``duties`` every period, in its main process.

    The first duties of every worker are to hear its queue and to give back messages that were left
    behind. A duty that fails is logged by the kind of its error and comes again.
    """

    class Upkeep(bootsteps.StartStopStep):
        requires: ClassVar[set[str]] = {"celery.worker.consumer.tasks:Tasks"}

        def start(self, parent: Any) -> None:
            def give_back() -> None:
                give_back_left_behind(parent.task_consumer.channel)

            hearing = Hearing()
            parent.timer.call_repeatedly(period_s, hearing.check, (parent,))
            for duty in (give_back, *duties):
                parent.timer.call_repeatedly(period_s, _guarded, (duty,))

    app.steps["consumer"].add(Upkeep)


class Hearing:
    """Notices that a worker waits for the end of messages that no task of it works on."""

    def __init__(self) -> None:
        self._lost_before: set[str] = set()

    def check(self, consumer: Any) -> None:
        """Raise ConnectionResetError, on which the worker connects anew, at the second look.

        A message is worked on if its task is running, waits for a slot, or for its time to come.
        """
        qos = consumer.task_consumer.channel.qos
        waiting = {str(tag) for tag in qos._delivered} - {str(tag) for tag in qos._dirty}
        later = [
            argument
            for scheduled in list(consumer.timer.queue)
            for argument in scheduled.entry.args
            if isinstance(argument, Request)
        ]
        working = {
            str(request.message.delivery_tag)
            for request in (*state.reserved_requests, *later)
            if not request.acknowledged
        }
        lost = waiting - working
        if lost & self._lost_before:
            raise ConnectionResetError("messages were taken whose end the broker never heard of")
        self._lost_before = lost


def give_back_left_behind(channel: Any) -> int:
    """Give messages back that no worker works on any more; return how many.

    ``channel`` is the kombu channel from which this worker takes messages. What it has taken and
    not acknowledged itself stays. Asks over a connection of its own: on ``channel.client`` a wait
    for the next message may be under way, whose answer would be taken for this one's.
    """
    before = time.time() - LEFT_BEHIND_S
    with channel.conn_or_acquire() as client:
        taken = client.zrange(channel.unacked_index_key, 0, -1, withscores=True)
    own = {str(tag) for tag in channel.qos._delivered}
    left = [_text(tag) for tag, at in taken if at < before and _text(tag) not in own]
    for tag in left:
        channel.qos.restore_by_tag(tag)
    if left:
        _log.warning("gave back %d messages that were left behind", len(left))
    return len(left)


def _text(tag: Any) -> str:
    return tag.decode("ascii") if isinstance(tag, bytes) else str(tag)


def _guarded(duty: Duty) -> None:
    try:
        duty()
    except Exception as error:
        _log.warning("upkeep failed: %s", named(error))
