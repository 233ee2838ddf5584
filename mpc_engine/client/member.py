"""A member's part: draft and approve a study, invite, hand in models, certify, deploy, revoke.

A member signs in with her own session and signs approvals with her organisation's approver key.
She signs a text only after she has checked what it says.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mpc_engine.client.http import Session
from mpc_engine.client.study import PublicStudy, wait_until
from mpc_engine.control.files.descriptor import parse_approver_file
from mpc_engine.control.files.model_file import parse_model
from mpc_engine.control.studies.study_texts import (
    Revocation,
    approved_body_text,
    deployment_text,
    invitations_text,
    revocation_text,
)
from mpc_engine.control.studies.takeover import Takeover, takeover_text
from mpc_engine.control.texts.approvals import sign_approval
from mpc_engine.crypto.rng import Randomness, system_randomness
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.errors import SiteRefusalError, UsageError
from mpc_engine.roles import Role
from mpc_engine.sharing.credentials import CODE_BYTES, credential, invitation_path
from mpc_engine.sharing.layout import ID_BYTES
from mpc_engine.sharing.sealed import Purpose, pad_message, seal

WAIT_S = 120.0


@dataclass(frozen=True)
class Invitation:
    """One person's invitation; the code is secret, only its credentials go to the parties."""

    record_id: bytes
    code: bytes

    def __repr__(self) -> str:
        return f"<Invitation of record {self.record_id.hex()}>"

    def link(self, session: Session, study_id: bytes) -> str:
        """Return the link to hand to the person."""
        return session.origin + invitation_path(study_id, self.record_id, self.code)


@dataclass(frozen=True)
class Member:
    """A signed-in member of an organisation with its approver key."""

    session: Session
    role: Role
    key: P256SigningKey

    def __repr__(self) -> str:
        return f"<Member of the {self.role.value}>"

    @classmethod
    def with_key_file(cls, session: Session, path: str | Path) -> Member:
        """Return the member whose approver key lies in ``path``; UsageError if it holds none."""
        role, key = parse_approver_file(Path(path).read_bytes())
        return cls(session, role, key)

    def draft_study(self, draft: Mapping[str, Any]) -> bytes:
        """Store a draft (a configuration without the parties' entries); return the study's id."""
        return bytes.fromhex(self.session.post_json("/api/v1/studies", draft)["study_id"])

    def submit_study(self, study_id: bytes) -> None:
        """Ask both parties for their keys; the configuration is then frozen and proposed."""
        self.session.post_json(f"/api/v1/studies/{study_id.hex()}/submit", {})

    def wait_for_state(self, study_id: bytes, state: str, *, timeout_s: float = WAIT_S) -> None:
        """Return when the study has come to ``state``."""

        def arrived() -> bool | None:
            return True if self._study(study_id)["state"] == state else None

        wait_until(arrived, timeout_s=timeout_s, what=f"the study to be {state}")

    def wait_for_proposal(self, study_id: bytes, kind: str, *, timeout_s: float = WAIT_S) -> str:
        """Return the id of the study's open proposal of ``kind`` when it is there."""

        def found() -> str | None:
            listed = self.session.get_json(f"/api/v1/proposals?study={study_id.hex()}")
            ids = [str(row["id"]) for row in listed if _is_open(row, kind)]
            return ids[0] if ids else None

        return wait_until(found, timeout_s=timeout_s, what=f"a proposal ({kind})")

    def approve(self, proposal_id: str, kind: str, check: Callable[[str], None]) -> str:
        """Fetch a proposal, check its text, sign it; return the text.

        ``check`` raises if the text isn't what this member means to approve.

        Raises:
            UsageError: the proposal is of another kind, or ``check`` objects; nothing was signed.
        """
        proposal = self.session.get_json(f"/api/v1/proposals/{proposal_id}")
        text = str(proposal["text"])
        if proposal["kind"] != kind:
            raise UsageError(f"The proposal is not one of {kind}.", code="PROPOSAL_DIFFERENT")
        check(text)
        self.session.post_json(
            f"/api/v1/proposals/{proposal_id}/approvals", self._signed(kind, text)
        )
        return text

    def invite(
        self, study: PublicStudy, count: int, rng: Randomness | None = None
    ) -> list[Invitation]:
        """Make invitations and hand each party its list of credentials.

        In a study with committed data they are for the next rows, in the order of the table.
        """
        draw = rng or system_randomness()
        commitment = study.configuration.data_commitment
        if commitment is None:
            records = [draw.bytes(ID_BYTES) for _ in range(count)]
        else:
            first = int(self._study(study.configuration.study_id)["counts"]["invited"])
            records = [commitment.record_id(row) for row in range(first, first + count)]
        made = [Invitation(record_id, draw.bytes(CODE_BYTES)) for record_id in records]
        body: dict[str, str] = {"key_id": self.key.key_id.hex()}
        for role in Role:
            text = invitations_text(
                study.configuration.study_id,
                study.configuration.digest,
                role,
                {invitation.record_id: credential(invitation.code, role) for invitation in made},
            )
            body[f"{role.value}_text"] = text
            body[f"{role.value}_signature"] = self._signed("invitations", text)["signature"]
        self.session.post_json(f"{study.path}/invitations", body)
        return made

    def hand_in_model(
        self, study: PublicStudy, name: str, model: str, rng: Randomness | None = None
    ) -> str:
        """Seal a model JSON to the modeler's party and hand it in; return the model's id.

        Raises:
            UsageError: the model isn't one of this study; nothing was sent.
        """
        parse_model(model, study.configuration)
        model_id = (rng or system_randomness()).bytes(ID_BYTES)
        approval = sign_approval("model", model, self.role, self.key)
        key_id, public_key = study.sealing_keys[Role.MODELER]
        envelope = seal(
            Purpose.MODEL,
            Role.MODELER,
            study.configuration.study_id,
            study.configuration.digest,
            key_id,
            public_key,
            model_id,
            pad_message(approved_body_text(model, approval).encode("utf-8")),
        )
        body = {
            "model_id": model_id.hex(),
            "name": name,
            "envelope": base64.b64encode(envelope).decode(),
        }
        self.session.post_json(f"{study.path}/models", body)
        return model_id.hex()

    def wait_for_model(self, model_id: str, *, timeout_s: float = WAIT_S) -> None:
        """Return when the modeler's party has accepted a model.

        Raises:
            SiteRefusalError: the party refused it, with its code and sentence.
        """

        def accepted() -> bool | None:
            model = self.session.get_json(f"/api/v1/models/{model_id}")
            if model["state"] == "REFUSED":
                refusal = model["refusal"]
                raise SiteRefusalError(str(refusal["sentence"]), code=str(refusal["code"]))
            return True if model["state"] == "ACCEPTED" else None

        wait_until(accepted, timeout_s=timeout_s, what="the party to accept the model")

    def propose_closing(self, study: PublicStudy) -> str:
        """Propose to close the study; return the proposal's id."""
        return str(self.session.post_json(f"{study.path}/closing", {})["id"])

    def propose_certification(self, study: PublicStudy, model_id: str) -> str:
        """Propose to certify a model; return the proposal's id."""
        body = {"model_id": model_id}
        return str(self.session.post_json(f"{study.path}/certifications", body)["id"])

    def propose_training(
        self, study: PublicStudy, settings: Mapping[str, Any], recipient: bytes
    ) -> str:
        """Propose to train a model; return the proposal's id.

        ``settings``: ``steps``, ``points`` (of each, c for every constraint as decimal texts) and,
        where wanted, ``preset``, ``constraint`` (the acceptance rate unless said), ``batch_size``,
        ``output_frac_bits``. The site draws the order of rows. ``recipient``: the public half of
        the key that opens the models (`mpc_engine.client.trained_models`); the modeler signs no
        other.
        """
        body = {**settings, "recipient": recipient.hex()}
        return str(self.session.post_json(f"{study.path}/trainings", body)["id"])

    def take_over(
        self, study: PublicStudy, trained: Sequence[str], rng: Randomness | None = None
    ) -> list[str]:
        """Hand models trained in another study to this one; return the ids they get here.

        They are copied inside the modeler's party, which then accepts or refuses each.
        """
        draw = rng or system_randomness()
        ids = [draw.bytes(ID_BYTES) for _ in trained]
        configuration = study.configuration
        text = takeover_text(
            Takeover(
                configuration.study_id,
                configuration.digest,
                dict(zip(ids, map(bytes.fromhex, trained), strict=True)),
            )
        )
        body = {"text": text, **self._signed("takeover", text)}
        self.session.post_json(f"{study.path}/takeovers", body)
        return [model_id.hex() for model_id in ids]

    def deploy(self, study: PublicStudy, model_id: str, at: datetime | None = None) -> None:
        """Put a model into use: from now on challenges are answered with it.

        The party takes only what is newer than the model in use, and the text knows whole seconds:
        without ``at`` the call waits for the next one.
        """
        text = deployment_text(
            study.configuration.study_id, bytes.fromhex(model_id), at or self._next_second()
        )
        signed = self._signed("deployment", text)
        self.session.post_json(f"/api/v1/models/{model_id}/deployment", {"text": text, **signed})

    def wait_for_deployment(self, model_id: str, *, timeout_s: float = WAIT_S) -> None:
        """Return when the modeler's party decides with this model."""

        def deployed() -> bool | None:
            return True if self.session.get_json(f"/api/v1/models/{model_id}")["deployed"] else None

        wait_until(deployed, timeout_s=timeout_s, what="the party to put the model into use")

    def revoke(self, certificate_id: str, reason: str, at: datetime | None = None) -> None:
        """Take a certificate back as the regulator's approver; everybody reads the reason."""
        moment = at or self._site_time()
        text = revocation_text(Revocation(bytes.fromhex(certificate_id), reason, moment))
        signed = self._signed("revocation", text)
        path = f"/api/v1/certificates/{certificate_id}/revocation"
        self.session.post_json(path, {"text": text, **signed})

    def _site_time(self) -> datetime:
        """Return the site's present moment, in whole seconds: this machine's clock may be wrong."""
        return datetime.fromisoformat(self.session.get_json("/api/v1/clock")["now"])

    def _next_second(self) -> datetime:
        moment = self._site_time() + timedelta(seconds=1)
        time.sleep(1)
        return moment

    def _study(self, study_id: bytes) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.session.get_json(f"/api/v1/studies/{study_id.hex()}")
        return found

    def _signed(self, kind: str, text: str) -> dict[str, str]:
        approval = sign_approval(kind, text, self.role, self.key)
        return {
            "key_id": approval.key_id.hex(),
            "signature": base64.b64encode(approval.signature).decode(),
        }


def _is_open(row: Mapping[str, Any], kind: str) -> bool:
    return bool(row["kind"] == kind and row["state"] == "OPEN")
