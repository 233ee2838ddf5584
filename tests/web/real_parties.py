"""Both real parties behind the site: every order reaches them, every word comes back.

They are the parties' own code, keys and stores, each with a clock of its own; only what they
compute with each other runs in the clear, since the protocols are not what is tested with them.
"""

from __future__ import annotations

import base64
import socket
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from blindjustice_web.accounts.models import Role
from blindjustice_web.conduct.inbox import receive_message
from mpc_engine.control.texts.approvals import sign_approval
from mpc_engine.control.texts.canonical import canonical_text
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.crypto.signatures import Ed25519SigningKey, P256SigningKey
from mpc_engine.party.worker.receive import receive
from mpc_engine.party.zone.config import PartyConfig, load_config
from mpc_engine.party.zone.party import Party, create_party, open_party
from mpc_engine.party.zone.private_files import write_private
from tests.engine.party.plain_protocols import PLAIN
from tests.web.broker import RecordingBroker

RUN_LIMIT_S = 180


class RealParty:
    """One party: its code, keys and store in a folder of its own, and an approver."""

    def __init__(self, role: Role, folder: Path, public: Path, address: str) -> None:
        self.role = role
        self.clock_ahead = timedelta(0)
        self.said: list[tuple[str, str]] = []
        self.config = _configured(role, folder, public, address)
        create_party(self.config)
        self.party = self.open()
        self.take_approver()

    @property
    def keys(self) -> Path:
        """Where the party's own keys lie."""
        return self.config.data_dir / "keys"

    def open(self) -> Party:
        """Load the party anew, as a restart does."""
        return open_party(
            self.config,
            lambda body, signature: self.said.append((body, signature)),
            now=lambda: datetime.now(UTC) + self.clock_ahead,
        )

    def sign_with(self, key: Ed25519SigningKey) -> Ed25519SigningKey:
        """Put another signing key in place, as an operator might, and restart; return the old."""
        old = self.party.keys.signing
        write_private(self.keys / "signing.key", key.private_bytes(), replace=True)
        self.party = self.open()
        self.publish()
        return old

    def take_approver(self) -> None:
        """Let a fresh key approve for this party, in place of all before it."""
        self.approver = P256SigningKey.generate(system_randomness())
        nobody = canonical_text({"approvers": []}).encode("ascii")
        write_private(self.keys / "approvers.json", nobody, replace=True)
        self.party.keys.add_approver(self.approver.public_bytes)
        self.publish()

    def publish(self) -> None:
        """Write the descriptor where the site and the other party read it."""
        self.config.own_public.write_text(self.party.descriptor().to_text() + "\n", "utf-8")

    def approves(self, kind: str, text: str) -> dict[str, str]:
        """Return the approver's signature as the API takes it."""
        approval = sign_approval(kind, text, self.party.role, self.approver)
        signature = base64.b64encode(approval.signature).decode()
        return {"key_id": approval.key_id.hex(), "signature": signature}


class RealPair:
    """Both parties, and the broker that carries between them and the site."""

    def __init__(self, folder: Path, public: Path, broker: RecordingBroker) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = f"127.0.0.1:{server.getsockname()[1]}"
        self.broker = broker
        self.modeler, self.regulator = (
            RealParty(role, folder / role.value, public, address) for role in Role
        )

    def of(self, role: Role) -> RealParty:
        """Return the party of a role."""
        return self.modeler if role == Role.MODELER else self.regulator

    def work(self) -> None:
        """Let the parties do what they were told, and the site hear it, until all is quiet."""
        while self.broker.tasks or self.modeler.said or self.regulator.said:
            tasks = self.broker.tasks[:]
            self.broker.tasks.clear()
            runs = [task for task in tasks if task.kind == "run_job"]
            for task in tasks:
                if task.kind != "run_job":
                    receive(self.of(task.role).party, task.kind, task.payload, PLAIN)
            self._run([(self.of(task.role).party, task.payload) for task in runs])
            for party in (self.modeler, self.regulator):
                said = party.said[:]
                party.said.clear()
                for body, signature in said:
                    receive_message(body, signature)

    @staticmethod
    def _run(runs: list[tuple[Party, dict[str, Any]]]) -> None:
        """Let both sides of a job run at once, as workers do."""
        threads = [
            threading.Thread(target=receive, args=(party, "run_job", payload, PLAIN), daemon=True)
            for party, payload in runs
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(RUN_LIMIT_S)
            assert not thread.is_alive(), "a party hangs"


def _configured(role: Role, folder: Path, public: Path, address: str) -> PartyConfig:
    folder.mkdir(parents=True)
    other = Role.REGULATOR if role == Role.MODELER else Role.MODELER
    (folder / "broker-url").write_text("redis://nowhere.invalid:1/0\n", "utf-8")
    (folder / "broker-url").chmod(0o600)
    path = folder / "party.toml"
    path.write_text(
        f'role = "{role.value}"\nname = "Party of the {role.value}"\ndata_dir = "data"\n'
        f'broker_url_file = "broker-url"\naddress = "{address}"\n'
        f'own_public = "{public / role.value}.json"\npeer_public = "{public / other.value}.json"\n'
        "connect_limit_s = 20\nreceive_limit_s = 60\n",
        "utf-8",
    )
    return load_config(path)
