"""A small study for the client's tests, and both parties behind a site that keeps all in memory."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from mpc_engine.client.http import Session
from mpc_engine.client.study import PublicStudy
from mpc_engine.control.post.messages import message_body, read_content, sign_message
from mpc_engine.control.studies.configuration import Configuration, StudyParty, complete_draft
from mpc_engine.crypto.digests import sha256
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.crypto.signatures import Ed25519SigningKey
from mpc_engine.errors import IntakeError
from mpc_engine.roles import Role
from mpc_engine.sharing.credentials import credential
from mpc_engine.sharing.held_share import HeldShare
from mpc_engine.sharing.intake import open_submission
from mpc_engine.testing.randomness import seeded_randomness
from tests.builders.policies import each_pair
from tests.builders.study_drafts import by_age, feature, label, make_draft

DRAFT = make_draft(
    format="bj2 configuration",
    title="Credit and age",
    purpose="To see whether decisions are fair.",
    retention_days=30,
    features=[
        feature("months", "Months", "12", "0", "120"),
        feature("income", "Income", "0.5", "-10.5", "40"),
    ],
    label=label("credit", "Credit", "good", "bad"),
    attributes=[by_age("Age")],
    policy=each_pair(groups=[["age"]], minimum_answers=4),
    typed_challenge_limit=5,
)
STUDY_ID = bytes(range(16))


class PartyOnPaper:
    """One party's keys, and its signed words."""

    def __init__(self, role: Role, seed: int) -> None:
        rng = seeded_randomness(seed)
        self.role = role
        self.signing_key = Ed25519SigningKey.generate(rng)
        self.sealing_key = HpkePrivateKey.generate(rng)
        self.codes: dict[bytes, bytes] = {}
        self.shares: list[HeldShare] = []

    @property
    def entry(self) -> StudyParty:
        key = self.sealing_key
        return StudyParty(
            self.role.value, key.key_id, key.public_bytes, self.signing_key.public_bytes
        )

    def says(self, kind: str, **values: Any) -> dict[str, str]:
        """Return a signed message as the API hands it out."""
        body = message_body(
            self.role,
            read_content(kind, values),
            message_id=bytes(16),
            sent_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        signature = sign_message(body, self.signing_key).hex()
        return {"role": self.role.value, "body": body, "signature": signature}

    def announces(self, study: PublicStudy, key: HpkePrivateKey) -> dict[str, str]:
        """Return the signed message about a sealing key."""
        return self.says(
            "study_key",
            study_id=study.configuration.study_id.hex(),
            number=2,
            key_id=key.key_id.hex(),
            hpke_key=key.public_bytes.hex(),
        )

    def receive(self, study: PublicStudy, posted: Mapping[str, Any]) -> dict[str, str]:
        """Open a posted submission and return the receipt, as a party does."""
        envelopes = {r: base64.b64decode(posted[f"envelope_{r.value}"]) for r in Role}
        record_id = bytes.fromhex(posted["record_id"])
        share = open_submission(
            study.layout,
            self.role,
            envelopes[self.role],
            sha256(envelopes[self.role.peer]),
            bytes.fromhex(posted["owner_key"]),
            base64.b64decode(posted["signature"]),
            record_id,
            bytes.fromhex(posted["submission_id"]),
            posted["sequence"],
            self.sealing_key,
            self.sealing_key.key_id,
            credential(self.codes[record_id], self.role),
        )
        self.shares.append(share)
        return self.says(
            "receipt",
            study_id=study.configuration.study_id.hex(),
            record_id=posted["record_id"],
            submission_id=posted["submission_id"],
            sequence=posted["sequence"],
            common_digest=share.common_digest.hex(),
        )


class SiteInMemory(Session):
    """A session whose site answers from memory: ``pages`` by path, submissions by the parties."""

    def __init__(self, study: PublicStudy, parties: Mapping[Role, PartyOnPaper]) -> None:
        super().__init__("http://127.0.0.1:1")
        self.study, self.parties = study, parties
        self.pages: dict[str, Any] = {
            f"{study.path}/configuration": {
                "text": study.configuration.text,
                "digest": study.configuration.digest.hex(),
                "keys": [party.announces(study, party.sealing_key) for party in parties.values()],
            }
        }
        self.posted: list[tuple[str, Mapping[str, Any]]] = []
        self.answers: dict[str, Any] = {}

    def get_json(self, path: str) -> Any:
        return self.pages[path]

    def post_json(self, path: str, value: Mapping[str, Any]) -> Any:
        self.posted.append((path, value))
        if path.endswith("/submissions"):
            self._hand_over(value)
        return self.answers.get(path)

    def _hand_over(self, posted: Mapping[str, Any]) -> None:
        row: dict[str, Any] = {
            "submission_id": posted["submission_id"],
            "sequence": posted["sequence"],
            "receipts": [],
            "refusals": [],
        }
        for role, party in self.parties.items():
            try:
                row["receipts"].append(party.receive(self.study, posted))
            except IntakeError as error:
                refusal = {"role": role.value, "code": error.code, "sentence": error.sentence}
                row["refusals"].append(refusal)
        path = f"{self.study.path}/records/{posted['record_id']}"
        self.pages.setdefault(path, {"submissions": []})["submissions"].append(row)


@pytest.fixture(scope="session")
def parties() -> dict[Role, PartyOnPaper]:
    return {role: PartyOnPaper(role, seed) for seed, role in enumerate(Role)}


@pytest.fixture(scope="session")
def configuration(parties: dict[Role, PartyOnPaper]) -> Configuration:
    return complete_draft(
        DRAFT,
        study_id=STUDY_ID,
        modeler=parties[Role.MODELER].entry,
        regulator=parties[Role.REGULATOR].entry,
    )


@pytest.fixture
def draft() -> dict[str, Any]:
    return dict(DRAFT)


@pytest.fixture
def site(configuration: Configuration, parties: dict[Role, PartyOnPaper]) -> SiteInMemory:
    for party in parties.values():
        party.codes.clear()
        party.shares.clear()
    return SiteInMemory(PublicStudy(configuration), parties)
