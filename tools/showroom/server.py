"""Seed a site in a directory of its own and serve it: ``python -m tools.showroom.server``.

The address and the pages go to the standard output as one line of JSON. Lines on the standard
input let both parties speak: each is the JSON of ``{"kind": …, "values": {…}}``. At its end the
server ends. Tasks for the parties go nowhere; live updates and limits stay in this process.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from pathlib import Path
from typing import IO

HOST = "127.0.0.1"


def listen() -> socket.socket:
    """Return a socket on a free port of this machine."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind((HOST, 0))
    listener.listen()
    return listener


def prepare(folder: Path, base_url: str) -> None:
    """Set Django up on a fresh database, with collected static files."""
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "blindjustice_web.config.settings",
        "BLINDJUSTICE_STATE_DIR": str(folder),
        "BLINDJUSTICE_PUBLIC_DIR": str(folder),
        "BLINDJUSTICE_ORIGIN": base_url,
        "BLINDJUSTICE_DEMO": "1",
    }
    import django
    from django.core.management import call_command
    from django.test import override_settings

    django.setup()
    override_settings(
        CHANNEL_LAYERS={"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}},
        CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        ALLOWED_HOSTS=[HOST, "testserver"],
    ).enable()
    call_command("migrate", "--no-input", verbosity=0)
    call_command("collectstatic", "--no-input", verbosity=0)


def serve(folder: Path, orders: IO[str]) -> None:
    """Seed the site, say where it is, and serve it until the orders end."""
    listener = listen()
    base_url = f"http://{HOST}:{listener.getsockname()[1]}"
    prepare(folder, base_url)
    import uvicorn
    from django.conf import settings

    from blindjustice_web.config.asgi import application
    from blindjustice_web.engine import engine_client
    from mpc_engine.control.files.descriptor import approver_file
    from mpc_engine.control.texts.canonical import canonical_text
    from tests.web.broker import RecordingBroker
    from tests.web.cast import make_world
    from tests.web.parties import Pair, make_pair
    from tools.showroom.page import Exhibition
    from tools.showroom.seed import decision_of, seed

    broker = RecordingBroker()
    engine_client.hand_to_broker = broker  # type: ignore[assignment]
    engine_client.n_orders_waiting = broker.n_waiting
    parties = make_pair(folder)
    world = make_world(broker, parties)
    pages = seed(world)
    sessions = {
        name: client.cookies[settings.SESSION_COOKIE_NAME].value
        for name, client in world.clients.items()
        if settings.SESSION_COOKIE_NAME in client.cookies
    }
    keys = {party.role.value: approver_file(party.role, party.approver) for party in parties}
    config = uvicorn.Config(
        application, lifespan="off", access_log=False, server_header=False, log_level="warning"
    )
    server = uvicorn.Server(config)

    def obey(pair: Pair) -> None:
        for line in orders:
            order = json.loads(line)
            pair.both_say(order["kind"], **order["values"])
        server.should_exit = True

    threading.Thread(target=obey, args=(parties,), daemon=True).start()
    record = canonical_text(decision_of(world).to_json())
    json.dump(Exhibition(base_url, pages, sessions, keys, record).as_json(), sys.stdout)
    sys.stdout.write("\n")
    sys.stdout.flush()
    server.run(sockets=[listener])


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.stdin)
