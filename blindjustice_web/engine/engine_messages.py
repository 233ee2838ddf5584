"""The parties' signed messages, as the engine reads and checks them."""

from __future__ import annotations

from blindjustice_web.engine.engine_client import SIGNATURE_BYTES, read_hex, unusable_input
from mpc_engine.control.post import messages
from mpc_engine.control.post.messages import Message


def claimed_message(body: object) -> Message:
    """Return what a message says, whoever signed it; Unusable if it is none."""
    with unusable_input():
        return messages.claimed_message(str(body))


def check_message(claimed: Message, signature: str, key: bytes) -> Message:
    """Return a claimed message if an Ed25519 key signed it; Unusable otherwise."""
    raw = read_hex(signature, SIGNATURE_BYTES, "signature")
    with unusable_input():
        return messages.signed_message(claimed, raw, key)
