"""A small world for tests: both parties, their approvers, and a web that only carries."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mpc_engine.control.post.messages import read_message
from mpc_engine.control.studies.configuration import Configuration, StudyParty, complete_draft
from mpc_engine.control.studies.study_texts import approved_body_text, invitations_text
from mpc_engine.control.texts.approvals import sign_approval
from mpc_engine.crypto.digests import sha256
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.party.jobs.protocol_table import PRODUCTION, ProtocolTable
from mpc_engine.party.studies.known_study import envelope_layout
from mpc_engine.party.worker.receive import receive
from mpc_engine.party.zone.config import load_config
from mpc_engine.party.zone.party import Party, create_party, open_party
from mpc_engine.roles import Role
from mpc_engine.sharing.credentials import credential
from mpc_engine.sharing.sealed import Purpose, pad_message, seal
from mpc_engine.sharing.submission import PreparedSubmission, prepare_submission
from mpc_engine.testing.randomness import seeded_randomness
from tests.builders.study_drafts import STUDY_ID, make_draft
from tests.engine.party.heard import Heard

M, R = Role.MODELER, Role.REGULATOR
START = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)


class World:
    """Two parties with their keys, and every message they sent, verified."""

    def __init__(self, folder: Path) -> None:
        self.rng = seeded_randomness(7)
        self.now = START
        self.folder = folder
        self.sent: dict[Role, list[tuple[str, str]]] = {role: [] for role in Role}
        self.broker_is_away = False
        self.codes: dict[bytes, bytes] = {}
        address = f"127.0.0.1:{_free_port()}"
        self.parties = {role: self._make_party(role, address) for role in Role}
        self.approvers = {role: P256SigningKey.generate(self.rng) for role in Role}
        for role, party in self.parties.items():
            party.keys.add_approver(self.approvers[role].public_bytes)
            party.config.own_public.write_text(party.descriptor().to_text() + "\n", "utf-8")
        self.signing_keys = {
            role: party.keys.signing.public_bytes for role, party in self.parties.items()
        }

    def _make_party(self, role: Role, address: str) -> Party:
        folder = self.folder / role.value
        folder.mkdir()
        path = folder / "party.toml"
        path.write_text(
            f'role = "{role.value}"\nname = "{role.value.title()}"\ndata_dir = "data"\n'
            f'broker_url_file = "broker-url"\naddress = "{address}"\n'
            f'own_public = "public.json"\npeer_public = "../{role.peer.value}/public.json"\n'
            "connect_limit_s = 10\nreceive_limit_s = 20\n",
            "utf-8",
        )
        (folder / "broker-url").write_text("redis://nowhere.invalid:1/0\n", "utf-8")
        (folder / "broker-url").chmod(0o600)
        config = load_config(path)
        create_party(config, self.rng)

        def send(body: str, signature: str) -> None:
            if self.broker_is_away:
                raise ConnectionError("away")
            self.sent[role].append((body, signature))

        return open_party(config, send, now=lambda: self.now)

    def allow(self, role: Role, **limits: Any) -> None:
        """Let a party's operator set limits of its own, and publish them."""
        party = self.parties[role]
        party.config = replace(party.config, **limits)
        party.config.own_public.write_text(party.descriptor().to_text() + "\n", "utf-8")

    def n_rows(self, role: Role, table: str) -> int:
        """Return how many rows a party keeps in a table of its store."""
        with self.parties[role].database.reading() as connection:
            return int(connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])

    def rows(self, role: Role, query: str) -> list[sqlite3.Row]:
        """Return what a party's store answers."""
        with self.parties[role].database.reading() as connection:
            return connection.execute(query).fetchall()

    # Messages

    def messages(self, role: Role, kind: str | None = None) -> list[Heard]:
        """Return a party's messages, of one kind where given."""
        verified = [
            Heard(read_message(body, bytes.fromhex(signature), self.signing_keys))
            for body, signature in self.sent[role]
        ]
        return [message for message in verified if kind in (None, message.kind)]

    def order(
        self, role: Role, kind: object, payload: object, table: ProtocolTable = PRODUCTION
    ) -> Heard:
        """Give a party an order and return the last message it sent."""
        before = len(self.sent[role])
        receive(self.parties[role], kind, payload, table)
        assert len(self.sent[role]) > before, "the party said nothing"
        return self.messages(role)[-1]

    # A study

    def configure(self, study_id: bytes = STUDY_ID, **changes: Any) -> Configuration:
        """Let both parties make keys and return the configuration nobody approved yet."""
        keys = {}
        for role, party in self.parties.items():
            message = self.order(role, "make_study_key", {"study_id": study_id.hex()})
            keys[role] = StudyParty(
                party.config.name,
                bytes.fromhex(message.text("key_id")),
                bytes.fromhex(message.text("hpke_key")),
                self.signing_keys[role],
            )
        return complete_draft(
            make_draft(**changes),
            study_id=study_id,
            modeler=keys[Role.MODELER],
            regulator=keys[Role.REGULATOR],
        )

    def approvals(
        self, kind: str, text: str, roles: Sequence[Role] = tuple(Role)
    ) -> list[dict[str, Any]]:
        """Return approvals as task payloads carry them."""
        return [
            dict(sign_approval(kind, text, role, self.approvers[role]).to_json()) for role in roles
        ]

    def accept(self, configuration: Configuration) -> None:
        """Let both parties accept a configuration."""
        payload = {
            "study_id": configuration.study_id.hex(),
            "attempt_id": "a7" * 16,
            "text": configuration.text,
            "approvals": self.approvals("configuration", configuration.text),
        }
        for role in Role:
            assert (
                self.order(role, "accept_configuration", payload).kind == "configuration_accepted"
            )

    def open_study(self, n_invited: int = 3, **changes: Any) -> Configuration:
        """Return an open study with invited records ``record(0)``, ``record(1)``, ..."""
        configuration = self.configure(**changes)
        self.accept(configuration)
        self.codes = {record(n): self.rng.bytes(16) for n in range(n_invited)}
        for role in Role:
            payload = self.invitations(configuration, role)
            assert self.order(role, "invitations", payload).kind == "invitations_accepted"
        return configuration

    def invitations(self, configuration: Configuration, role: Role) -> dict[str, Any]:
        """Return the order that hands a party its list of credentials."""
        text = invitations_text(
            configuration.study_id,
            configuration.digest,
            role,
            {known: credential(code, role) for known, code in self.codes.items()},
        )
        inviter = configuration.inviter
        (approval,) = self.approvals("invitations", text, [inviter])
        return {"study_id": configuration.study_id.hex(), "text": text, "approval": approval}

    # People

    def answer(
        self,
        configuration: Configuration,
        number: int,
        *,
        answers: Sequence[int] = (0, 0),
        features: Sequence[int] | None = (256, 512),
        label: int | None = None,
        sequence: int = 0,
        owner_key: P256SigningKey | None = None,
        record_id: bytes | None = None,
    ) -> PreparedSubmission:
        """Return what the browser of person ``number`` sends."""
        return prepare_submission(
            envelope_layout(configuration),
            answers,
            features=features if configuration.data_source == "person" else None,
            label=label,
            record_id=record_id or record(number),
            invitation_code=self.codes.get(record_id or record(number), bytes(16)),
            sequence=sequence,
            owner_key=owner_key or owner(number),
            party_keys={
                role: (configuration.party(role).key_id, configuration.party(role).hpke_key)
                for role in Role
            },
            rng=self.rng,
        )

    def submit(self, configuration: Configuration, sent: PreparedSubmission) -> list[Heard]:
        """Hand a submission to both parties and return what each says."""
        return [
            self.order(role, "submission", submission(configuration, sent, role)) for role in Role
        ]

    def receipts(self, role: Role, study_id: str) -> list[dict[str, str]]:
        """Return the receipts of a party in a study as the closing order carries them."""
        return [
            {"body": body, "signature": signature}
            for body, signature in self.sent[role]
            if (said := json.loads(body))["kind"] == "receipt" and said["study_id"] == study_id
        ]

    # Sealed objects

    def sealed(
        self,
        configuration: Configuration,
        role: Role,
        purpose: Purpose,
        object_id: bytes,
        text: str,
    ) -> str:
        """Return an envelope, base64, sealed to the party's current key."""
        key = self.messages(role, "study_key")[-1]
        envelope = seal(
            purpose,
            role,
            configuration.study_id,
            configuration.digest,
            bytes.fromhex(key.text("key_id")),
            bytes.fromhex(key.text("hpke_key")),
            object_id,
            pad_message(text.encode("utf-8")),
        )
        return base64.b64encode(envelope).decode("ascii")

    def model_order(
        self, configuration: Configuration, model_id: bytes, body: str
    ) -> dict[str, Any]:
        """Return the order that hands in a model file."""
        approval = sign_approval("model", body, Role.MODELER, self.approvers[Role.MODELER])
        text = approved_body_text(body, approval)
        return {
            "study_id": configuration.study_id.hex(),
            "model_id": model_id.hex(),
            "envelope": self.sealed(configuration, Role.MODELER, Purpose.MODEL, model_id, text),
        }

    # Jobs

    def run_job(
        self,
        spec: str,
        *,
        kind: str,
        attempt: int = 0,
        table: ProtocolTable = PRODUCTION,
        roles: Sequence[Role] = tuple(Role),
        approvals: list[dict[str, Any]] | None = None,
        with_receipts: bool = False,
    ) -> dict[Role, Heard]:
        """Let parties run one attempt at once and return what each that reports reports last."""
        if approvals is None:
            approvals = [] if kind == "verification" else self.approvals(kind, spec)
        study_id = json.loads(spec)["study_id"]
        threads = []
        for role in roles:
            payload = {
                "spec": spec,
                "attempt": attempt,
                "approvals": approvals,
                "receipts": self.receipts(role.peer, study_id) if with_receipts else [],
            }
            thread = threading.Thread(
                target=receive,
                args=(self.parties[role], "run_job", payload, table),
                daemon=True,
            )
            threads.append(thread)
            thread.start()
        for thread in threads:
            thread.join(180)
            assert not thread.is_alive(), "a party hangs"
        kinds = ("job_result", "job_failed", "order_refused")
        told = {
            role: [message for message in self.messages(role) if message.kind in kinds]
            for role in roles
        }
        return {role: messages[-1] for role, messages in told.items() if messages}

    def later(self, **time: float) -> None:
        """Let time pass."""
        self.now += timedelta(**time)


def record(number: int) -> bytes:
    """Return the record id of person ``number``."""
    return hashlib.sha256(b"record" + bytes([number])).digest()[:16]


def owner(number: int) -> P256SigningKey:
    """Return the key of person ``number``."""
    return P256SigningKey(1000 + number)


def submission(
    configuration: Configuration, sent: PreparedSubmission, role: Role
) -> dict[str, Any]:
    """Return the order that hands a party its share of a submission."""
    return {
        "study_id": configuration.study_id.hex(),
        "record_id": sent.record_id.hex(),
        "submission_id": sent.submission_id.hex(),
        "sequence": sent.sequence,
        "envelope": base64.b64encode(sent.envelopes[role]).decode("ascii"),
        "other_envelope_digest": sha256(sent.envelopes[role.peer]).hex(),
        "owner_key": sent.owner_public_key.hex(),
        "signature": base64.b64encode(sent.signature).decode("ascii"),
    }


def model_body(configuration: Configuration, *coefficients: str, intercept: str = "0") -> str:
    """Return a model file with one coefficient for each feature."""
    names = [feature.name for feature in configuration.features]
    return json.dumps(
        {
            "format": "bj1 model",
            "configuration": configuration.digest.hex(),
            "intercept": intercept,
            "coefficients": dict(zip(names, coefficients, strict=True)),
        }
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
