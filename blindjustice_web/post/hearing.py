"""What is done when a party says something: each handler says itself which messages it hears.

A message that nothing hears is refused. `conduct.inbox` loads every room in which something does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from blindjustice_web.engine.engine_post import Content, Message

First = TypeVar("First", bound=Content)
Second = TypeVar("Second", bound=Content)
Handler = Callable[[Message[First]], None]

HANDLERS: dict[type[Content], Callable[[Message[Any]], None]] = {}
"""What hears each kind of message."""


@overload
def hears(kind: type[First], /) -> Callable[[Handler[First]], Handler[First]]: ...
@overload
def hears(
    kind: type[First], other: type[Second], /
) -> Callable[[Handler[First | Second]], Handler[First | Second]]: ...
def hears(*kinds: type[Content]) -> Callable[[Handler[Any]], Handler[Any]]:
    """Register a function as what hears messages of these kinds; TypeError for a second one."""

    def register(handler: Handler[Any]) -> Handler[Any]:
        for kind in kinds:
            if kind in HANDLERS:
                raise TypeError(f"{kind.kind} is heard twice")
            HANDLERS[kind] = handler
        return handler

    return register
