"""Orders from the web to a party: the payloads of the task ``party.receive``.

The web is a courier. An order is authorised by what it carries (approvals, a person's signature,
a seal), never by having come from the web.
"""

from __future__ import annotations

from mpc_engine.control.post.declarations import Order
from mpc_engine.control.post.table import ORDERS
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError

ORDER_TASK = "party.receive"
CODE = "ORDER_INVALID"


def read_order(kind: object, payload: object) -> Order:
    """Return the order of a task; UsageError (``ORDER_INVALID``) names what is wrong.

    Unknown kinds, unknown fields and wrong types are all refused; nothing else is raised.
    """
    if not isinstance(kind, str) or kind not in ORDERS:
        raise UsageError("This kind of order is not known.", code=CODE)
    return ORDERS[kind].read(Fields(payload, kind, code=CODE))
