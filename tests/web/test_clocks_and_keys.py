"""Clocks an hour off and keys replaced in the middle of an open study, with both real parties."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
from django.utils import timezone

from blindjustice_web.accounts.models import Role
from blindjustice_web.certificates.models import CandidateModel, Certificate
from blindjustice_web.engine.engine_client import read_configuration
from blindjustice_web.jobs.models import Job
from blindjustice_web.studies.models import Proposal, Study
from mpc_engine.client.person import submission_body
from mpc_engine.client.study import PublicStudy
from mpc_engine.control.studies.study_texts import approved_body_text, invitations_text
from mpc_engine.control.texts.approvals import sign_approval
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.crypto.signatures import Ed25519SigningKey, P256SigningKey
from mpc_engine.roles import Role as EngineRole
from mpc_engine.sharing.credentials import credential
from mpc_engine.sharing.sealed import Purpose, pad_message, seal
from mpc_engine.sharing.submission import prepare_submission
from tests.web.broker import RecordingBroker
from tests.web.cast import make_world
from tests.web.drafts import draft
from tests.web.parties import Pair
from tests.web.real_parties import RealPair
from tests.web.stories import World

HOUR = timedelta(hours=1)
N_PEOPLE = 4
RNG = system_randomness()


@dataclass
class Played:
    """A study that people, both sides and both real parties play on the site."""

    world: World
    pair: RealPair

    def drafted(self) -> Study:
        """Return a submitted study that both parties made their keys for."""
        policy = {**draft()["policy"], "minimum_group": 2, "minimum_answers": N_PEOPLE}
        study = self.world.drafted(policy=policy)
        assert self.world.post("mo", f"/studies/{study.id}/submit", {}).status_code == 202
        self.pair.work()
        study.refresh_from_db()
        return study

    def approve(self, proposal: Proposal, *whose: str) -> None:
        """Sign a proposal as Mo or Rae, or both; the parties act on it."""
        for who in whose or ("mo", "rae"):
            answer = self.world.approve(who, proposal)
            assert answer.status_code == 200, answer.content
        self.pair.work()

    def opened(self) -> Study:
        """Return a study that takes answers."""
        study = self.drafted()
        self.approve(study.proposals.get(kind="configuration"))
        study.refresh_from_db()
        assert study.state == "OPEN"
        return study

    def answered(self, study: Study) -> None:
        """Invite people and let each answer; both parties sign receipts."""
        codes = new_codes()
        self.invite(study, codes)
        for number, (record, code) in enumerate(codes.items()):
            self.answer(study, record, code, number % 2)

    def invite(self, study: Study, codes: dict[bytes, bytes]) -> None:
        """Let Mo invite people, by record id and code."""
        known = read_configuration(study.configuration.text)
        body = {"key_id": self.pair.modeler.approver.key_id.hex()}
        for role in EngineRole:
            credentials = {record: credential(code, role) for record, code in codes.items()}
            text = invitations_text(known.study_id, known.digest, role, credentials)
            signed = self.pair.modeler.approves("invitations", text)
            body |= {f"{role.value}_text": text, f"{role.value}_signature": signed["signature"]}
        answer = self.world.post("mo", f"/studies/{study.id}/invitations", body)
        assert answer.status_code == 202, answer.content
        self.pair.work()

    def answer(
        self, study: Study, record: bytes, code: bytes, choice: int, sequence: int = 1
    ) -> None:
        """Let one person seal and send her answer; her key is the same for each version."""
        public = PublicStudy(read_configuration(study.configuration.text))
        sent = prepare_submission(
            public.layout,
            [choice],
            features=[256],
            label=None,
            record_id=record,
            invitation_code=code,
            sequence=sequence,
            owner_key=P256SigningKey(1 + int.from_bytes(record[:8], "big")),
            party_keys=public.answer_keys,
            rng=RNG,
        )
        path = f"/studies/{study.id}/submissions"
        assert self.world.post("anonymous", path, submission_body(sent)).status_code == 202
        self.pair.work()

    def closed(self, study: Study) -> None:
        """End the collection of answers."""
        proposed = self.world.post("mo", f"/studies/{study.id}/closing", {})
        assert proposed.status_code == 201, proposed.content
        self.approve(Proposal.objects.get(pk=proposed.json()["id"]))
        study.refresh_from_db()
        assert (study.state, study.n_records) == ("CLOSED", N_PEOPLE), refused(study)

    def certified(self, study: Study) -> Certificate:
        """Hand in a model that accepts everybody and have it certified."""
        model_id = self._hand_in(study)
        asked = self.world.post("mo", f"/studies/{study.id}/certifications", {"model_id": model_id})
        assert asked.status_code == 201, asked.content
        self.approve(Proposal.objects.get(pk=asked.json()["id"]))
        return Certificate.objects.get(study=study)

    def _hand_in(self, study: Study) -> str:
        known = read_configuration(study.configuration.text)
        key = study.keys.get(role=Role.MODELER)
        model = {
            "format": "bj1 model",
            "configuration": known.digest.hex(),
            "intercept": "1",
            "coefficients": {"duration": "0"},
        }
        text = json.dumps(model)
        approval = sign_approval("model", text, EngineRole.MODELER, self.pair.modeler.approver)
        model_id = RNG.bytes(16)
        sealed = seal(
            Purpose.MODEL,
            EngineRole.MODELER,
            known.study_id,
            known.digest,
            bytes.fromhex(key.key_id),
            bytes.fromhex(key.hpke_key),
            model_id,
            pad_message(approved_body_text(text, approval).encode()),
        )
        body = {
            "model_id": model_id.hex(),
            "name": "All",
            "envelope": base64.b64encode(sealed).decode(),
        }
        handed = self.world.post("mo", f"/studies/{study.id}/models", body)
        assert handed.status_code == 202, handed.content
        self.pair.work()
        found = CandidateModel.objects.get(pk=model_id.hex())
        assert found.state == "ACCEPTED", refused(study)
        return model_id.hex()


def new_codes() -> dict[bytes, bytes]:
    """Draw invitations: codes by record id."""
    return {RNG.bytes(16): RNG.bytes(16) for _ in range(N_PEOPLE)}


def refused(study: Study) -> list[str]:
    """Return what parties refused or failed in a study, for a failing test to tell."""
    codes = study.refusals.values_list("role", "code")
    failed = Job.objects.filter(study=study).values_list("kind", "state", "failure_code")
    return [" ".join(row) for row in (*codes, *failed)]


class SiteClock:
    """The site's clock, which a test can set ahead or back."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.ahead = timedelta(0)
        true_now = timezone.now
        patch.setattr(timezone, "now", lambda: true_now() + self.ahead)


@pytest.fixture
def played(
    db: None,
    at_once: None,
    broker: RecordingBroker,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Played:
    pair = RealPair(tmp_path_factory.mktemp("parties"), tmp_path, broker)
    # The parts of a world that are played here ask the parties for their approvals alone.
    return Played(make_world(broker, cast(Pair, pair)), pair)


@pytest.fixture
def site_clock(monkeypatch: pytest.MonkeyPatch) -> SiteClock:
    return SiteClock(monkeypatch)


def is_current(certificate: Certificate) -> bool:
    """Return whether a certificate holds at this moment, by a clock that is right."""
    now = datetime.now(tz=certificate.valid_from.tzinfo)
    return certificate.valid_from <= now < certificate.valid_until


@pytest.mark.parametrize(("role", "off"), [(Role.MODELER, HOUR), (Role.REGULATOR, -HOUR)])
def test_a_party_whose_clock_is_set_right_in_an_open_study_ends_it_well(
    played: Played, role: Role, off: timedelta
) -> None:
    party = played.pair.of(role)
    party.clock_ahead = off
    study = played.opened()
    party.clock_ahead = timedelta(0)
    played.answered(study)
    played.closed(study)
    assert is_current(played.certified(study))


def test_a_party_whose_clock_goes_wrong_after_opening_is_named_and_nothing_is_charged(
    played: Played,
) -> None:
    study = played.opened()
    played.answered(study)
    played.pair.regulator.clock_ahead = HOUR
    played.closed(study)
    with pytest.raises(Certificate.DoesNotExist):
        played.certified(study)
    job = Job.objects.get(study=study, kind="certification")
    assert (job.state, job.failure_code) == ("FAILED", "CLOCKS_DIFFER")
    assert not study.question_statements.exists()
    played.pair.regulator.clock_ahead = timedelta(0)
    assert is_current(played.certified(study))


@pytest.mark.parametrize("off", [HOUR, -HOUR], ids=["ahead", "behind"])
def test_the_sites_clock_set_right_in_an_open_study_does_not_hold_it_up(
    played: Played, site_clock: SiteClock, off: timedelta
) -> None:
    site_clock.ahead = off
    study = played.opened()
    played.answered(study)
    site_clock.ahead = timedelta(0)
    played.closed(study)
    assert is_current(played.certified(study))


def test_an_approvers_key_replaced_between_two_signatures_is_asked_for_again(
    played: Played,
) -> None:
    study = played.drafted()
    proposal = study.proposals.get(kind="configuration")
    played.approve(proposal, "mo")
    played.pair.modeler.take_approver()
    played.approve(proposal, "rae")
    study.refresh_from_db()
    assert study.state == "AWAITING_APPROVAL"
    played.approve(proposal, "mo")
    study.refresh_from_db()
    assert study.state == "OPEN", refused(study)
    played.answered(study)
    played.closed(study)
    assert is_current(played.certified(study))


@pytest.mark.parametrize("role", list(Role))
def test_a_signing_key_replaced_for_a_while_blocks_no_closing(played: Played, role: Role) -> None:
    study = played.opened()
    codes = new_codes()
    played.invite(study, codes)
    (first, code), *others = codes.items()
    party = played.pair.of(role)
    own = party.sign_with(Ed25519SigningKey.generate(RNG))
    played.answer(study, first, code, 0)
    assert study.submissions.get().answers.count() == 1
    party.sign_with(own)
    played.answer(study, first, code, 0, sequence=2)
    for number, (record, other_code) in enumerate(others, start=1):
        played.answer(study, record, other_code, number % 2)
    played.closed(study)
    assert is_current(played.certified(study))
