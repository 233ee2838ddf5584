"""The whole table of the post, and what is found in it: kinds, and which order an answer ends."""

from __future__ import annotations

from mpc_engine.control.post.declarations import (
    MESSAGES,
    ORDERS,
    Content,
    Order,
    OrderRefused,
    Subject,
)
from mpc_engine.control.post.exchanges import (
    about_certificates,
    about_challenges,
    about_jobs,
    about_models,
    about_parties,
    about_people,
    about_studies,
)

__all__ = ["EXCHANGES", "MESSAGES", "ORDERS", "orders_ended_by", "subject_of", "subject_under_way"]

EXCHANGES = (
    about_studies,
    about_people,
    about_models,
    about_certificates,
    about_challenges,
    about_jobs,
    about_parties,
)
"""Every module that declares orders and messages."""


def orders_ended_by(message: type[Content]) -> tuple[type[Order], ...]:
    """Return the kinds of order that a kind of message ends, as an answer or as a refusal."""
    if message is OrderRefused:
        return ()
    return tuple(
        order
        for order in ORDERS.values()
        if message in order.answered_by or message is order.refused_by
    )


def subject_of(content: Content) -> str:
    """Return the subject of the orders that a message ends; empty if it ends none."""
    return _about(content, {order.subject for order in orders_ended_by(type(content))})


def subject_under_way(content: Content) -> str:
    """Return the subject of the orders that a message shows to be worked on; empty if of none."""
    shown = {order.subject for order in ORDERS.values() if type(content) in order.shown_by}
    return _about(content, shown)


def _about(content: Content, subjects: set[Subject | None]) -> str:
    for subject in subjects:
        if subject is not None:
            return subject.of(content)
    return ""
