"""Items made in a thread of their own, one ahead of who uses them, on a line of their own.

While the caller uses an item, the thread makes the next one, and never more than that. Whatever
fails on either side ends both lines, each closed by the one that uses it, and then the thread:
nothing of it runs any more when the caller goes on.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Generic, TypeVar

from mpc_engine.errors import ChannelClosedError
from mpc_engine.transport.channel import Channel

THREAD_NAME = "material"
_Item = TypeVar("_Item")


class MadeAhead(Generic[_Item]):
    """Makes ``items`` in a thread between entering and leaving; `take` hands them over in order.

    ``line`` is the channel that making an item uses, ``main`` the caller's. The error that came
    first is raised in the caller; one that only says that a line closed gives way to its cause,
    also where the cause is found later, on the other line.
    """

    def __init__(self, items: Iterator[_Item], line: Channel, main: Channel) -> None:
        self._items = items
        self._line = line
        self._main = main
        self._changed = threading.Condition()
        self._made: list[_Item] = []
        self._failure: BaseException | None = None
        self._leaving = False
        name = f"{threading.current_thread().name} {THREAD_NAME}"
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def __enter__(self) -> MadeAhead[_Item]:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Wait for the thread's end; after an error, end both lines before that."""
        with self._changed:
            self._leaving = True
            self._changed.notify_all()
        if error is not None:
            self._line.abort()
            self._main.close()
        self._thread.join()
        self._made.clear()
        if self._failure is not None and (error is None or isinstance(error, ChannelClosedError)):
            raise self._failure from None

    def take(self) -> _Item:
        """Return the next item as soon as it is made, and have the one after it begun."""
        with self._changed:
            self._changed.wait_for(lambda: self._made or self._failure is not None)
            if self._failure is not None:
                raise self._failure
            self._changed.notify_all()
            return self._made.pop()

    def _work(self) -> None:
        try:
            while self._may_make():
                self._hand_over(next(self._items))
        except StopIteration:
            return
        except BaseException as failure:
            self._fail(failure)

    def _may_make(self) -> bool:
        """Wait until the last item is taken; return whether another one is wanted."""
        with self._changed:
            self._changed.wait_for(lambda: not self._made or self._leaving)
            return not self._leaving

    def _hand_over(self, item: _Item) -> None:
        with self._changed:
            self._made.append(item)
            self._changed.notify_all()

    def _fail(self, failure: BaseException) -> None:
        """Note a failure, and wake the caller wherever it waits.

        Once the caller leaves, a closed line is no news; anything else may be why it closed.
        """
        with self._changed:
            leaving = self._leaving
            if not (leaving and isinstance(failure, ChannelClosedError)):
                self._failure = failure
            self._changed.notify_all()
        if leaving:
            return
        self._line.close()
        self._main.abort()
