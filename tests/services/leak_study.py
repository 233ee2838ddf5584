"""A small study played from draft to answered challenges, with every secret of it noted."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from demo.decisions import decide_by_command
from demo.stack import PERSON, read_stack
from mpc_engine.client.checks import drafted_configuration, job_of
from mpc_engine.client.http import Session
from mpc_engine.client.jobs import JobReport, checked_certificate, wait_for_job
from mpc_engine.client.member import Invitation, Member
from mpc_engine.client.person import accept_invitation, challenge_decision, wait_for_answer
from mpc_engine.client.study import PublicStudy, fetch_parties, fetch_study, wait_for_renewed_keys
from mpc_engine.control.files.certificate import Certificate
from mpc_engine.control.files.model_file import parse_model
from mpc_engine.control.policies.policy import MIN_DECIDED
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.errors import SiteRefusalError
from mpc_engine.party.services.certificates import certificate_nonce
from mpc_engine.party.zone.keystore import load_keystore
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind
from tests.builders.policies import criterion, each_pair
from tests.builders.study_drafts import by_age, feature, label, make_draft
from tests.leak_search import (
    Canary,
    RecordingRandomness,
    copy_of_sqlite,
    secret_bytes,
    secret_integers,
    secret_text,
    secrets_of_submission,
)
from tests.running_stack import RunningStack

ANSWERS = (0, 0, 1, 1) * MIN_DECIDED + (2, 2)
"""Two people do not say; the model decides for one of each two: for as many as a verdict needs."""
N_FEATURES, HIGHEST, X_FRAC_BITS = 4, 30_000, 8
_SIGNS = ("", "", "-", "-")
"""Of the model's coefficients, whose sizes are 11 to 15."""
DRAFT = make_draft(
    format="bj2 configuration",
    title="Loans and age",
    purpose="To find out whether young and old are treated alike.",
    retention_days=30,
    features=[
        feature(name, name, "1", "0", str(HIGHEST))
        for name in ("income", "savings", "rent", "debt")
    ],
    x_frac_bits=X_FRAC_BITS,
    label=label("loan", "The loan", "repaid", "lost"),
    attributes=[by_age("age group")],
    policy=each_pair(criterion("p_rule", "80"), groups=[["age"]]),
    typed_challenge_limit=10,
)
RECORDED_CASE = "case with a record"


def _features(*, favourable: bool) -> list[int]:
    """Return secret features of a person whom the model decides for, or against."""
    third = (HIGHEST << X_FRAC_BITS) // 3
    high, low = 2 * third, 0
    starts = [high if (sign == "") == favourable else low for sign in _SIGNS]
    return [start + secrets.randbelow(third) for start in starts]


@dataclass
class Play:
    """A study played on an installation, and the secrets it brought about."""

    stack: RunningStack
    secrets: list[Canary] = field(default_factory=list)
    own_files: set[Path] = field(default_factory=set)
    """Where keys are meant to lie in clear, each readable by its owner only."""

    def play(self) -> None:
        """Draft, approve, share, close, certify, deploy, decide, challenge."""
        self.told = read_stack(self.stack.description_path)
        with ExitStack() as kept:
            mo, rae, self.uma = (kept.enter_context(Session(self.told.base_url)) for _ in range(3))
            for session, role in ((mo, "modeler"), (rae, "regulator"), (self.uma, PERSON)):
                log_in = self.told.log_ins[role]
                session.log_in(log_in.email, log_in.password)
            self.members = {
                role: Member.with_key_file(session, self.told.approver_keys[role])
                for session, role in ((mo, Role.MODELER), (rae, Role.REGULATOR))
            }
            self._note_keys()
            study = self._open()
            self._share(study)
            self._note_study_keys(study)
            job = self._job(study, self._mo.propose_closing(study), JobKind.CLOSING)
            record_set = str(job.outcome(Role.MODELER)["record_set"])
            study = wait_for_renewed_keys(self.uma, study)
            self._note_study_keys(study)
            certificate = self._certify(study, record_set)
            self._challenge(study, certificate)

    @property
    def _mo(self) -> Member:
        return self.members[Role.MODELER]

    def _note(self, *canaries: Canary) -> None:
        self.secrets += canaries

    def _note_keys(self) -> None:
        for role, member in self.members.items():
            scalar = member.key.secret_scalar().to_bytes(32, "big")
            self._note(secret_bytes(f"approver's key of the {role.value}", scalar))
            self.own_files.add(self.told.approver_keys[role])
            for path in (self._data_of(role) / "keys").glob("*.key"):
                name, content = f"{path.name} of the {role.value}", path.read_bytes()
                self.own_files.add(path)
                if path.name == "tls.key":
                    key = load_pem_private_key(content, None)
                    assert isinstance(key, ec.EllipticCurvePrivateKey)
                    content = key.private_numbers().private_value.to_bytes(32, "big")
                self._note(secret_bytes(name, content))

    def _note_study_keys(self, study: PublicStudy) -> None:
        for role, (key_id, _) in study.sealing_keys.items():
            key = load_keystore(self._data_of(role) / "keys", system_randomness()).study_key(
                study.configuration.study_id, key_id
            )
            name = f"study key {key_id.hex()[:4]} of the {role.value}"
            self._note(secret_bytes(name, key.private_bytes()))

    def _data_of(self, role: Role) -> Path:
        return self.told.party_folder(role) / "data"

    def _open(self) -> PublicStudy:
        study_id = self._mo.draft_study(DRAFT)
        self._mo.submit_study(study_id)
        proposal = self._mo.wait_for_proposal(study_id, "configuration")
        check = drafted_configuration(DRAFT, study_id, fetch_parties(self.uma))
        for member in self.members.values():
            member.approve(proposal, "configuration", check)
        self._mo.wait_for_state(study_id, "OPEN")
        return fetch_study(self.uma, study_id)

    def _share(self, study: PublicStudy) -> None:
        invitations = self._mo.invite(study, len(ANSWERS))
        for number, (answer, invitation) in enumerate(zip(ANSWERS, invitations, strict=True)):
            features = _features(favourable=number % 2 == 1)
            self._share_one(study, f"person {number}", answer, features, invitation)

    def _share_one(
        self,
        study: PublicStudy,
        name: str,
        answer: int,
        features: list[int],
        invitation: Invitation,
    ) -> None:
        self._note(secret_integers(f"{name}: features", features))
        with Session(self.told.base_url) as session:
            owner = RecordingRandomness(system_randomness())
            link = invitation.link(session, study.configuration.study_id)
            person = accept_invitation(session, link, owner)
            self._note(secret_bytes(f"{name}: owner key", owner.drawn[-1]))
            for attempts_left in reversed(range(10)):
                rng = RecordingRandomness(system_randomness())
                sent = person.share(session, [answer], features=features, label=1, rng=rng)
                one_hot = study.layout.one_hot([answer])
                # The first draw is the public number of the answer's version.
                drawn = rng.drawn[1:]
                self._note(*secrets_of_submission(name, drawn, one_hot, invitation.code))
                try:
                    person.wait_for_receipts(session, sent)
                except SiteRefusalError as refusal:
                    if refusal.code != "RECORD_NOT_INVITED" or not attempts_left:
                        raise
                    time.sleep(0.5)
                else:
                    break

    def _job(self, study: PublicStudy, proposal: str, kind: JobKind, **of: str) -> JobReport:
        check = job_of(study, kind, **of)
        texts = [m.approve(proposal, kind.value, check) for m in self.members.values()]
        return wait_for_job(self._mo.session, study, parse_job(texts[0]).job_id.hex())

    def _certify(self, study: PublicStudy, record_set: str) -> Certificate:
        digits = [f"{secrets.randbelow(10**13 - 10**12) + 10**12}" for _ in range(N_FEATURES + 1)]
        numbers = [
            f"{sign}{10 + n}.{text}"
            for n, (sign, text) in enumerate(zip(("", *_SIGNS), digits, strict=True))
        ]
        names = [feature["name"] for feature in DRAFT["features"]]
        model = json.dumps(
            {
                "format": "bj1 model",
                "configuration": study.configuration.digest.hex(),
                "intercept": numbers[0],
                "coefficients": dict(zip(names, numbers[1:], strict=True)),
            }
        )
        theta = parse_model(model, study.configuration)
        self._note(*(secret_text(f"coefficient {n}", text) for n, text in enumerate(digits)))
        self._note(secret_integers("theta", theta, (3, 4, 8)))
        self._note(secret_integers("theta without intercept", theta[1:], (3, 4, 8)))
        self.model_id = self._mo.hand_in_model(study, "The model", model)
        self._mo.wait_for_model(self.model_id)
        proposal = self._mo.propose_certification(study, self.model_id)
        job = self._job(
            study,
            proposal,
            JobKind.CERTIFICATION,
            model_id=self.model_id,
            record_set=record_set,
        )
        certificate = checked_certificate(study, job.outcome(Role.REGULATOR))
        self._note(secret_bytes("the model's nonce", self._nonce(certificate)))
        return certificate

    def _nonce(self, certificate: Certificate) -> bytes:
        data = self._data_of(Role.MODELER)
        keys = load_keystore(data / "keys", system_randomness())
        with copy_of_sqlite(data / "party.sqlite3") as copy, closing(sqlite3.connect(copy)) as rows:
            rows.row_factory = sqlite3.Row
            party = cast(Party, SimpleNamespace(cipher=keys.cipher))
            return certificate_nonce(party, rows, certificate)

    def _challenge(self, study: PublicStudy, certificate: Certificate) -> None:
        self._mo.deploy(study, self.model_id)
        self._mo.wait_for_deployment(self.model_id)
        row = [10_000 + secrets.randbelow(HIGHEST - 10_000) for _ in range(N_FEATURES)]
        typed = _features(favourable=True)
        self._note(secret_integers("case without a record", typed))
        self._note(secret_integers(RECORDED_CASE, [x << X_FRAC_BITS for x in row]))
        self._note(secret_integers(f"{RECORDED_CASE}, as it was typed", row))
        certificate_id = certificate.certificate_id
        record = decide_by_command(self.told, study, certificate_id, {"case": row})["case"]
        asked = {
            "CONFIRMED": challenge_decision(
                self.uma,
                study,
                certificate_id,
                x=record.x,
                decision=record.decision,
                record={"body": record.body, "signature": record.signature.hex()},
            ),
            "DIFFERENT_DECISION": challenge_decision(
                self.uma, study, certificate_id, x=typed, decision=0
            ),
        }
        for outcome, challenge_id in asked.items():
            assert wait_for_answer(self.uma, study, challenge_id).outcome == outcome
