"""Challenges: open a case about a decision, and read its answer."""

from __future__ import annotations

from typing import Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status

from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.api.fields import IdText, PathId, SmallEnvelope
from blindjustice_web.challenges.access import challenge_for, challenges_for
from blindjustice_web.challenges.models import Challenge, Source
from blindjustice_web.challenges.services import open_challenge
from blindjustice_web.enrolment.services import decode_envelope
from blindjustice_web.lib.paging import api_page
from blindjustice_web.lib.throttle import spend_by_account
from blindjustice_web.presentation.cards.challenges import meaning_of, revocation_view, state_of

router = Router(tags=["challenges"])


class ChallengeIn(Schema):
    """A claim sealed to the regulator's party."""

    challenge_id: IdText
    certificate_id: IdText
    envelope: SmallEnvelope
    source: Literal["record", "typed"]


class Answer(Schema):
    """The signed message of the regulator's party that answers a case."""

    role: str
    body: str
    signature: str


class Reason(Schema):
    """Why a case could not be read."""

    code: str
    sentence: str


class CaseRevocation(Schema):
    """That the certificate of a case was taken back, when, and why."""

    revoked_at: str
    reason: str


class ChallengeOut(Schema):
    """A case as its owner and the regulator see it."""

    challenge_id: str
    certificate_id: str
    study_id: str
    source: str
    state: str
    outcome: str
    sentence: str
    refusal: Reason | None
    job_id: str
    deadline: str
    answer: Answer | None
    revocation: CaseRevocation | None


@router.post("challenges", response={202: ChallengeOut})
def challenge_create(request: HttpRequest, payload: ChallengeIn) -> Status[dict[str, Any]]:
    """Open a case about a decision made under a certificate."""
    spend_by_account(request, "CHALLENGES")
    challenge = open_challenge(
        user_of(request),
        payload.challenge_id,
        payload.certificate_id,
        decode_envelope(payload.envelope, "envelope"),
        Source(payload.source),
    )
    return Status(202, challenge_out(challenge))


@router.get("challenges", response=list[ChallengeOut])
def challenge_list(request: HttpRequest, response: HttpResponse) -> list[dict[str, Any]]:
    """Return the cases you may see, newest first, in pages."""
    found = api_page(request, response, challenges_for(request.user))
    return [challenge_out(challenge) for challenge in found]


@router.get("challenges/{challenge_id}", response=ChallengeOut)
def challenge_read(request: HttpRequest, challenge_id: PathId) -> dict[str, Any]:
    """Return a case, with the signed answer once there is one."""
    return challenge_out(challenge_for(request.user, challenge_id))


def challenge_out(challenge: Challenge) -> dict[str, Any]:
    """Return a case as the API shows it."""
    refusal = {"code": challenge.refusal_code, "sentence": challenge.refusal_sentence}
    answer = {
        "role": "regulator",
        "body": challenge.answer_body,
        "signature": challenge.answer_signature,
    }
    revoked = revocation_view(challenge)
    return {
        "challenge_id": challenge.id,
        "certificate_id": challenge.certificate_id,
        "study_id": challenge.certificate.study_id,
        "source": challenge.source,
        "state": state_of(challenge).value,
        "outcome": challenge.outcome,
        "sentence": meaning_of(challenge.outcome),
        "refusal": refusal if challenge.refusal_code else None,
        "job_id": challenge.job_id or "",
        "deadline": challenge.deadline.isoformat(),
        "answer": answer if challenge.answer_body else None,
        "revocation": {"revoked_at": revoked.day.isoformat(), "reason": revoked.reason}
        if revoked
        else None,
    }
