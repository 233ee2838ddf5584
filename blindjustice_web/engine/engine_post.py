"""The post between the site and the parties: the engine's table of it, and messages checked.

The kinds of orders and messages are in the modules ``about_...``, each beside its terms.
"""

from __future__ import annotations

from typing import TypeVar

from blindjustice_web.engine.engine_client import (
    SIGNATURE_BYTES,
    read_hex,
    unusable_input,
)
from mpc_engine.control.post import messages
from mpc_engine.control.post.declarations import Content, Order, OrderRefused, Refusal
from mpc_engine.control.post.exchanges import (
    about_certificates,
    about_challenges,
    about_jobs,
    about_models,
    about_parties,
    about_people,
    about_studies,
)
from mpc_engine.control.post.messages import Message
from mpc_engine.control.post.table import orders_ended_by, subject_of, subject_under_way
from mpc_engine.errors import EngineError

__all__ = [
    "Content",
    "Message",
    "Order",
    "OrderRefused",
    "Refusal",
    "about_certificates",
    "about_challenges",
    "about_jobs",
    "about_models",
    "about_parties",
    "about_people",
    "about_studies",
    "orders_ended_by",
    "readable_message",
    "subject_of",
    "subject_under_way",
]

Told = TypeVar("Told", bound=Content)


def claimed_message(body: object) -> Message[Content]:
    """Return what a message says, whoever signed it; Unusable if it is none."""
    with unusable_input():
        return messages.claimed_message(str(body))


def check_message(claimed: Message[Content], signature: str, key: bytes) -> Message[Content]:
    """Return a claimed message if an Ed25519 key signed it; Unusable otherwise."""
    raw = read_hex(signature, SIGNATURE_BYTES, "signature")
    with unusable_input():
        return messages.signed_message(claimed, raw, key)


def readable_message(body: str, kind: type[Told]) -> Message[Told] | None:
    """Return a message as `stored_message` does, None for one that this version can't read."""
    try:
        return stored_message(body, kind)
    except EngineError:
        return None


def stored_message(body: str, kind: type[Told]) -> Message[Told]:
    """Return a message of a kind that was verified before it was stored, without its signature.

    Raises the engine's errors for one that this version can't read.
    """
    found = messages.message_of(messages.claimed_message(body), kind)
    if found is None:
        raise TypeError(f"a stored message is no {kind.kind}")
    return found
