"""What carries out each kind of order: said where it is written, asked where orders arrive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from mpc_engine.control.post.declarations import Order
from mpc_engine.party.zone.party import Party

Asked = TypeVar("Asked", bound=Order)

CARRIERS: dict[type[Order], Callable[[Party, Any], None]] = {}
"""What carries out a kind of order; `mpc_engine.party.worker.receive` imports all of it."""


def carries_out(
    order: type[Asked],
) -> Callable[[Callable[[Party, Asked], None]], Callable[[Party, Asked], None]]:
    """Register a function as what carries out a kind of order; TypeError for a second one."""

    def register(carrier: Callable[[Party, Asked], None]) -> Callable[[Party, Asked], None]:
        if order in CARRIERS:
            raise TypeError(f"{order.kind} is carried out twice")
        CARRIERS[order] = carrier
        return carrier

    return register
