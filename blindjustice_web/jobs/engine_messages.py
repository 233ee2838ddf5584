"""The parties' signed messages, as the engine reads and checks them."""

from __future__ import annotations

from blindjustice_web.jobs.engine_client import SIGNATURE_BYTES, read_hex, unusable_input
from mpc_engine.control import messages
from mpc_engine.control.messages import Message


def claimed_message(body: object) -> Message:
    """Return what a message says, whoever signed it; Unusable if it is none."""
    with unusable_input():
        return messages.claimed_message(str(body))


def check_message(body: str, signature: str, key: bytes) -> Message:
    """Return a message if the Ed25519 key of the party it names signed it; Unusable otherwise."""
    raw = read_hex(signature, SIGNATURE_BYTES, "signature")
    with unusable_input():
        role = messages.claimed_message(body).role
        return messages.read_message(body, raw, {role: key})
