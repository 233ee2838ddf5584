"""How a party is told to stop a job."""

from __future__ import annotations

from mpc_engine.roles import Role
from tests.engine.party.heard import Heard
from tests.engine.party.world import R, World

TRAINING_ID = b"t" * 16


def cancel(world: World, role: Role, by: Role = R, job_id: bytes = TRAINING_ID) -> Heard:
    """Tell a party to stop a job; return what it answers."""
    payload = {"job_id": job_id.hex(), "by": by.value}
    before = len(world.sent[role])
    world.order(role, "cancel_job", payload)
    kinds = ("job_cancelled", "cancel_refused")
    (answer,) = [message for message in world.messages(role)[before:] if message.kind in kinds]
    return answer
