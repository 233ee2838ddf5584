"""Celery between the zones: queue names and one application per zone.

Celery carries orders and signed messages, nothing else: no results, no events, no remote control,
no gossip. Each zone has its own Redis user, which may touch the keys of its own queues only; all
keys of a zone begin with the names given here.
"""

from __future__ import annotations

from enum import StrEnum

from celery import Celery
from kombu.entity import Exchange, Queue

from mpc_engine.control.post.declarations import Content, Lane
from mpc_engine.control.post.redis_transport import use_strict_transport
from mpc_engine.control.post.table import ORDERS
from mpc_engine.roles import Role

DEFAULT_EXCHANGE = Exchange("", type="direct")
WORKER_OPTIONS = ("--without-gossip", "--without-mingle", "--without-heartbeat")
"""Command-line options every Celery worker of the product is started with."""
ANSWER_LIMIT_S = 3.0
"""The longest wait for an answer of the broker; a worker's wait for a task is far shorter (1 s)."""


class Zone(StrEnum):
    """A zone that talks to the broker."""

    WEB = "web"
    MODELER = "modeler"
    REGULATOR = "regulator"


def order_queue(role: Role) -> str:
    """Return the queue of orders from the web to a party."""
    return f"bj.{role.value}"


def message_queue(role: Role) -> str:
    """Return the queue of signed messages from a party to the web."""
    return f"bj.web.{role.value}"


def intake_queue(role: Role) -> str:
    """Return the queue of orders on people's answers and data; a worker takes from all in turn."""
    return f"bj.{role.value}.intake"


def receipt_queue(role: Role) -> str:
    """Return the queue of what a party says of people's answers."""
    return f"bj.web.{role.value}.receipts"


def queue_of_order(role: Role, kind: object, payload: object) -> str:
    """Return the queue an order goes to, whatever it holds; one of no known kind is ordinary."""
    order = ORDERS.get(kind) if isinstance(kind, str) else None
    is_intake = order is not None and order.lane_of(payload) is Lane.PEOPLE
    return intake_queue(role) if is_intake else order_queue(role)


def queue_of_message(role: Role, kind: type[Content]) -> str:
    """Return the queue a party's message of a kind goes to."""
    return receipt_queue(role) if kind.lane is Lane.PEOPLE else message_queue(role)


WEB_TASK_QUEUE = "bj.web"
"""The web zone's own background tasks."""


def consumed_queues(zone: Zone) -> tuple[str, ...]:
    """Return the queues a zone's worker takes tasks from."""
    if zone is Zone.WEB:
        from_parties = [each(role) for each in (message_queue, receipt_queue) for role in Role]
        return (WEB_TASK_QUEUE, *from_parties)
    role = Role(zone.value)
    return (order_queue(role), intake_queue(role))


def produced_queues(zone: Zone) -> tuple[str, ...]:
    """Return the queues a zone puts tasks into."""
    if zone is Zone.WEB:
        to_parties = [each(role) for each in (order_queue, intake_queue) for role in Role]
        return (WEB_TASK_QUEUE, *to_parties)
    role = Role(zone.value)
    return (message_queue(role), receipt_queue(role))


def make_celery(zone: str, broker_url: str) -> Celery:
    """Return the Celery application of a zone ("web", "modeler" or "regulator").

    The application knows its own queues only, takes and sends JSON only, and acknowledges a task
    when it starts, so that the broker never runs one twice.
    """
    own = Zone(zone)
    use_strict_transport()
    app = Celery(f"blindjustice.{own.value}", broker=broker_url, set_as_current=False)
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        event_serializer="json",
        result_backend=None,
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        task_send_sent_event=False,
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_prefetch_multiplier=1,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        task_acks_late=False,
        task_reject_on_worker_lost=False,
        task_create_missing_queues=False,
        task_default_queue=(consumed_queues(own)[0]),
        task_default_exchange="",
        task_queues=[
            Queue(name, DEFAULT_EXCHANGE, routing_key=name)
            for name in dict.fromkeys((*consumed_queues(own), *produced_queues(own)))
        ],
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # A broker that refuses (read-only after a fail-over, full, unable to save) ends no worker.
        broker_channel_error_retry=True,
        broker_transport_options={
            "socket_timeout": ANSWER_LIMIT_S,
            "socket_connect_timeout": ANSWER_LIMIT_S,
            # Who sends keeps what the broker does not take; workers connect anew by themselves.
            "max_retries": 0,
            "unacked_key": f"{_prefix(own)}.unacked",
            "unacked_index_key": f"{_prefix(own)}.unacked_index",
            "unacked_mutex_key": f"{_prefix(own)}.unacked_mutex",
            "priority_steps": [0],
            "visibility_timeout": 86_400,
        },
        timezone="UTC",
        enable_utc=True,
    )
    return app


def _prefix(zone: Zone) -> str:
    return f"bj.{zone.value}"
