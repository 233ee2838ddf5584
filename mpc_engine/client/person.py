"""A person's part: share her answers, replace them, check both receipts, challenge a decision."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from mpc_engine.client.http import Session
from mpc_engine.client.study import PublicStudy, fetch_study, wait_until
from mpc_engine.control.post.declarations import Content
from mpc_engine.control.post.exchanges.about_jobs import JobResult
from mpc_engine.control.post.exchanges.about_people import Receipt
from mpc_engine.control.post.messages import Message, message_of
from mpc_engine.control.studies.study_texts import Challenge, challenge_text
from mpc_engine.crypto.rng import Randomness, system_randomness
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.errors import InvalidSignatureError, SiteRefusalError, UsageError
from mpc_engine.roles import Role
from mpc_engine.sharing.credentials import parse_invitation
from mpc_engine.sharing.layout import ID_BYTES
from mpc_engine.sharing.sealed import Purpose, pad_message, seal
from mpc_engine.sharing.submission import (
    PreparedSubmission,
    next_sequence,
    prepare_submission,
)

CASE_LABEL = b"blindjustice/v1/case"


@dataclass
class Participation:
    """One person's place in a study: her invitation, her owner key, her latest number.

    Holds secrets (code and key); keep it where only she can read it.
    """

    study: PublicStudy
    record_id: bytes
    invitation_code: bytes
    owner_key: P256SigningKey
    sequence: int | None = None

    def __repr__(self) -> str:
        return f"<Participation of record {self.record_id.hex()}>"

    def share(
        self,
        session: Session,
        answers: Sequence[int],
        *,
        features: Sequence[int] | None = None,
        label: int | None = None,
        rng: Randomness | None = None,
    ) -> PreparedSubmission:
        """Seal her answers to both parties and post them; called again, replaces them.

        ``answers``: the chosen category per attribute, the last one being "prefer not to say".
        ``features``, ``label``: encoded x and y where the study asks the person for them.

        Raises:
            UsageError: an answer or value the study doesn't know, or no number is left for another
                version; nothing was sent.
            SiteRefusalError: the study is closed, or the site refuses the submission.
        """
        draw = rng or system_randomness()
        submission = prepare_submission(
            self.study.layout,
            answers,
            features=features,
            label=label,
            record_id=self.record_id,
            invitation_code=self.invitation_code,
            sequence=next_sequence(self.sequence, draw),
            owner_key=self.owner_key,
            party_keys=self.study.answer_keys,
            rng=draw,
        )
        self.sequence = submission.sequence
        session.post_json(f"{self.study.path}/submissions", submission_body(submission))
        return submission

    def receipts(
        self, session: Session, submission: PreparedSubmission
    ) -> dict[Role, Message[Receipt]] | None:
        """Return both parties' receipts if both are there and verify, None while one is missing.

        Raises:
            SiteRefusalError: a party refused the submission (its code and sentence).
            InvalidSignatureError: a receipt isn't signed by its party, or is for another
                submission: the site or the party misbehaves.
        """
        record = session.get_json(f"{self.study.path}/records/{self.record_id.hex()}")
        mine = submission.submission_id.hex()
        listed = [row for row in record["submissions"] if row["submission_id"] == mine]
        for refused in [row for entry in listed for row in entry["refusals"]]:
            raise SiteRefusalError(str(refused["sentence"]), code=str(refused["code"]))
        statements = [row for entry in listed for row in entry["receipts"]]
        found = [self._checked_receipt(row, submission) for row in statements]
        receipts = {message.role: message for message in found}
        return receipts if len(receipts) == len(Role) else None

    def wait_for_receipts(
        self, session: Session, submission: PreparedSubmission, *, timeout_s: float = 60.0
    ) -> dict[Role, Message[Receipt]]:
        """Return both parties' receipts when they have come; errors as in :meth:`receipts`."""
        return wait_until(
            lambda: self.receipts(session, submission),
            timeout_s=timeout_s,
            what="both parties' receipts",
        )

    def _checked_receipt(
        self, statement: Mapping[str, Any], submission: PreparedSubmission
    ) -> Message[Receipt]:
        told = self.study.verified(statement)
        message = message_of(told, Receipt)
        expected = Receipt(
            study_id=self.study.configuration.study_id,
            record_id=self.record_id,
            submission_id=submission.submission_id,
            sequence=submission.sequence,
            common_digest=submission.common_digest,
        )
        if message is None or message.content != expected:
            raise InvalidSignatureError(
                f"The receipt of the {told.role.value} is for something else than was sent.",
                code="RECEIPT_DIFFERENT",
            )
        return message


@dataclass(frozen=True)
class Answer:
    """The answer to a challenge; ``message`` is what the regulator's party signed."""

    outcome: str
    job_id: str
    message: Message[Content]


def accept_invitation(session: Session, link: str, rng: Randomness | None = None) -> Participation:
    """Open an invitation link and make the person's owner key.

    Raises:
        UsageError: the link isn't whole, or is one of another site.
    """
    parts = urlsplit(link)
    steps = parts.path.strip("/").split("/")
    if parts.netloc and f"{parts.scheme}://{parts.netloc}" != session.origin:
        raise UsageError("The invitation is for another site.", code="INVITATION_OTHER_SITE")
    if len(steps) != 2 or steps[0] != "take-part":
        raise UsageError("The invitation link is not complete.", code="INVITATION_INCOMPLETE")
    record_id, code = parse_invitation(parts.fragment)
    study = fetch_study(session, _id(steps[1]))
    return Participation(
        study, record_id, code, P256SigningKey.generate(rng or system_randomness())
    )


def submission_body(submission: PreparedSubmission) -> dict[str, Any]:
    """Return the JSON that a page posts for a submission."""
    return {
        "record_id": submission.record_id.hex(),
        "submission_id": submission.submission_id.hex(),
        "sequence": submission.sequence,
        "owner_key": submission.owner_public_key.hex(),
        "signature": base64.b64encode(submission.signature).decode(),
        **{
            f"envelope_{role.value}": base64.b64encode(envelope).decode()
            for role, envelope in submission.envelopes.items()
        },
    }


def challenge_decision(
    session: Session,
    study: PublicStudy,
    certificate_id: bytes,
    *,
    x: Sequence[int],
    decision: int,
    record: Mapping[str, str] | None = None,
    rng: Randomness | None = None,
) -> bytes:
    """Ask whether the certified model decides ``decision`` on ``x``; return the challenge's id.

    ``x``: encoded features; ``record``: the signed decision record (``body``, ``signature``) she
    was given, if any. Both go sealed to the regulator's party only. The session must be signed in.
    The same record always makes the same case: challenged again, its first case is returned,
    unless that could not be read.

    Raises:
        SiteRefusalError: the site takes no challenge on this certificate.
    """
    draw = rng or system_randomness()
    claim = Challenge(
        challenge_id=case_id(record) if record else draw.bytes(ID_BYTES),
        certificate_id=certificate_id,
        x=tuple(x),
        decision=decision,
        record=dict(record) if record else {},
    )
    if record and _hand_in(session, study, claim)["state"] != "REFUSED":
        return claim.challenge_id
    claim = replace(claim, challenge_id=draw.bytes(ID_BYTES))
    _hand_in(session, study, claim)
    return claim.challenge_id


def _hand_in(session: Session, study: PublicStudy, claim: Challenge) -> dict[str, Any]:
    key_id, public_key = study.sealing_keys[Role.REGULATOR]
    envelope = seal(
        Purpose.CHALLENGE,
        Role.REGULATOR,
        study.configuration.study_id,
        study.configuration.digest,
        key_id,
        public_key,
        claim.challenge_id,
        pad_message(challenge_text(claim).encode("utf-8")),
    )
    body = {
        "challenge_id": claim.challenge_id.hex(),
        "certificate_id": claim.certificate_id.hex(),
        "source": "record" if claim.record else "typed",
        "envelope": base64.b64encode(envelope).decode(),
    }
    return dict(session.post_json("/api/v1/challenges", body))


def case_id(record: Mapping[str, str]) -> bytes:
    """Return the id of the case that a signed record makes: 16 bytes that tell nothing about it.

    They come from the signature, which nobody can guess from what the record says.
    """
    digest = hashlib.sha256(CASE_LABEL + b"\0" + bytes.fromhex(record["signature"])).digest()
    return digest[:ID_BYTES]


def wait_for_answer(
    session: Session, study: PublicStudy, challenge_id: bytes, *, timeout_s: float = 300.0
) -> Answer:
    """Return the regulator's signed answer to a challenge when it is there.

    Raises:
        SiteRefusalError: the regulator's party can't take the challenge (its code and sentence),
            or the challenge was closed without an answer (NOT_ANSWERED).
        InvalidSignatureError: the answer isn't the regulator's, or doesn't speak of this challenge.
    """

    def answered() -> Answer | None:
        challenge = session.get_json(f"/api/v1/challenges/{challenge_id.hex()}")
        if challenge["state"] == "REFUSED":
            refusal = challenge["refusal"]
            raise SiteRefusalError(str(refusal["sentence"]), code=str(refusal["code"]))
        if challenge["state"] != "ANSWERED":
            return None
        if challenge["answer"] is None:
            raise SiteRefusalError("Nobody answered in time.", code="NOT_ANSWERED")
        message = study.verified(challenge["answer"])
        return Answer(_outcome_of(message, challenge_id), str(challenge["job_id"]), message)

    return wait_until(answered, timeout_s=timeout_s, what="the answer to the challenge")


def _outcome_of(message: Message[Content], challenge_id: bytes) -> str:
    """Return what a regulator's report on a batch of challenges says about one of them."""
    if isinstance(message.content, JobResult) and message.role is Role.REGULATOR:
        rows = message.content.outcome.get("challenges", [])
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict) and row.get("challenge_id") == challenge_id.hex():
                return str(row["outcome"])
    raise InvalidSignatureError(
        "The answer does not speak of this challenge.", code="ANSWER_DIFFERENT"
    )


def _id(text: str) -> bytes:
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) != ID_BYTES or found.hex() != text:
        raise UsageError("The invitation link is not complete.", code="INVITATION_INCOMPLETE")
    return found
