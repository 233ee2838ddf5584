"""The cast: Uma and Umar (people), Mo and Mia (modelers), Rae (regulator), and a stranger."""

from __future__ import annotations

from django.test import Client

from blindjustice_web.accounts.models import Membership, Organisation, Role, User
from tests.web.broker import RecordingBroker
from tests.web.memory import Memory, recalled
from tests.web.parties import Pair
from tests.web.stories import World

CAST = {"mo": "bank", "mia": "insurer", "rae": "authority", "uma": None, "umar": None}


def make_world(
    broker: RecordingBroker,
    parties: Pair,
    memory: Memory | None = None,
) -> World:
    """Create the cast and a browser for each."""
    clients = {name: Client() for name in ("anonymous", *CAST)}
    world = World({}, clients, parties, broker, memory=memory)
    recalled(world, "make_world", (), lambda: _create(world))
    return world


def _create(world: World) -> None:
    world.organisations |= {
        "bank": Organisation.objects.create(name="Meridian Bank", role=Role.MODELER),
        "insurer": Organisation.objects.create(name="Mutual Insurer", role=Role.MODELER),
        "authority": Organisation.objects.create(name="Fairness Authority", role=Role.REGULATOR),
    }
    for name, place in CAST.items():
        user = User.objects.create_user(f"{name}@example.org", f"{name}'s password")
        world.users[name] = user
        if place:
            Membership.objects.create(user=user, organisation=world.organisations[place])
        world.clients[name].force_login(user)
