"""The cast: Uma and Umar (people), Mo and Mia (modelers), Rae (regulator), and a stranger."""

from __future__ import annotations

from django.test import Client

from blindjustice_web.accounts.models import Membership, Organisation, Role, User
from tests.web.broker import RecordingBroker
from tests.web.parties import Pair
from tests.web.stories import World

CAST = {"mo": "bank", "mia": "insurer", "rae": "authority", "uma": None, "umar": None}


def make_world(broker: RecordingBroker, parties: Pair) -> World:
    """Create the cast and a browser for each."""
    organisations = {
        "bank": Organisation.objects.create(name="Meridian Bank", role=Role.MODELER),
        "insurer": Organisation.objects.create(name="Mutual Insurer", role=Role.MODELER),
        "authority": Organisation.objects.create(name="Fairness Authority", role=Role.REGULATOR),
    }
    users, clients = {}, {"anonymous": Client()}
    for name, place in CAST.items():
        users[name] = User.objects.create_user(f"{name}@example.org", f"{name}'s password")
        if place:
            Membership.objects.create(user=users[name], organisation=organisations[place])
        clients[name] = Client()
        clients[name].force_login(users[name])
    return World(users, clients, parties, broker, organisations)
