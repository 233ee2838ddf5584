"""What pages and the API show of a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.certificates.models import Certificate
from blindjustice_web.certificates.validity import revocation_of
from blindjustice_web.challenges.models import Challenge, ChallengeState, Source
from blindjustice_web.challenges.selectors import ALARMING, alarms_by_certificate
from blindjustice_web.lib.labels import JobState, VerificationResult, sentence_of
from blindjustice_web.lib.named import Named, PartyRefusal
from blindjustice_web.presentation.cards.certificates import CertificateCard, certificate_card


@dataclass(frozen=True)
class OutcomeView:
    """What a challenge can find, what that means, and what to do then."""

    outcome: Named
    sentence: str
    next: str


@dataclass(frozen=True)
class RevocationView:
    """That the certificate of a case was taken back, when, and why."""

    day: datetime
    reason: str


@dataclass(frozen=True)
class ChallengeCard:
    """A case as its owner or the regulator sees it."""

    id: str
    url: str
    certificate: CertificateCard
    source: Named
    state: Named
    outcome: Named | None
    outcome_sentence: str
    outcome_next: str
    is_alarm: bool
    refusal: PartyRefusal | None
    created_at: datetime
    deadline: datetime
    answered_at: datetime | None
    contact: str
    revocation: RevocationView | None


def certificate_cards(certificates: Sequence[Certificate]) -> list[CertificateCard]:
    """Return certificates for a list, each with the number of its alarms."""
    alarms = alarms_by_certificate(certificate.id for certificate in certificates)
    return [certificate_card(found, alarms.get(found.id, 0)) for found in certificates]


def challenge_cards(challenges: Sequence[Challenge], *, own: bool) -> list[ChallengeCard]:
    """Return cases for a list; only their owner gets addresses of case pages."""
    alarms = alarms_by_certificate(challenge.certificate_id for challenge in challenges)
    return [
        challenge_card(challenge, alarms.get(challenge.certificate_id, 0), own=own)
        for challenge in challenges
    ]


def challenge_card(challenge: Challenge, n_alarms: int, *, own: bool) -> ChallengeCard:
    """Return one case."""
    return ChallengeCard(
        id=challenge.id,
        url=reverse("challenge_detail", args=(challenge.id,)) if own else "",
        certificate=certificate_card(challenge.certificate, n_alarms),
        source=Named.of(Source(challenge.source)),
        state=Named.of(state_of(challenge)),
        outcome=Named.of(VerificationResult(challenge.outcome)) if challenge.outcome else None,
        outcome_sentence=meaning_of(challenge.outcome),
        outcome_next=_next_step(challenge.outcome),
        is_alarm=challenge.outcome in ALARMING and challenge.source == Source.RECORD,
        refusal=_refusal(challenge),
        created_at=challenge.created_at,
        deadline=challenge.deadline,
        answered_at=challenge.answered_at,
        contact=settings.CONTACT,
        revocation=revocation_view(challenge),
    )


def revocation_view(challenge: Challenge) -> RevocationView | None:
    """Return how the certificate of a case was taken back, None where it was not."""
    row = revocation_of(challenge.certificate)
    return None if row is None else RevocationView(row.revoked_at, row.reason)


def state_of(challenge: Challenge) -> ChallengeState:
    """Return where a case stands; it is being checked while its job runs."""
    state = ChallengeState(challenge.state)
    job = challenge.job
    if state is ChallengeState.QUEUED and job is not None and job.state == JobState.RUNNING:
        return ChallengeState.RUNNING
    return state


def outcomes_explained() -> list[OutcomeView]:
    """Return everything a challenge can find, before one is made."""
    return [
        OutcomeView(Named.of(one), meaning_of(one), _next_step(one)) for one in VerificationResult
    ]


def meaning_of(outcome: str) -> str:
    """Return what an outcome means for the person."""
    return sentence_of(VerificationResult(outcome)) if outcome else ""


def _next_step(outcome: str) -> str:
    """Return what the person can do once she has an outcome."""
    sentences = {
        VerificationResult.CONFIRMED: _(
            "Keep the signed answer. If a value in your details is wrong, ask the company to "
            "correct it and to decide again: the check used the details as they were given."
        ),
        VerificationResult.DIFFERENT_DECISION: _(
            "Show the signed answer to the company and ask for the decision again. If it "
            "refuses, hand the answer to the regulator."
        ),
        VerificationResult.DIFFERENT_MODEL: _(
            "Ask the company to decide again with the certified model, and hand the signed "
            "answer to the regulator, who can withdraw the certificate."
        ),
        VerificationResult.NOT_ANSWERED: _(
            "You need do nothing: the regulator sees it. You may challenge the decision again "
            "in some days, and show the signed answer meanwhile."
        ),
    }
    return sentences[VerificationResult(outcome)] if outcome else ""


def _refusal(challenge: Challenge) -> PartyRefusal | None:
    if challenge.state != ChallengeState.REFUSED:
        return None
    return PartyRefusal(
        challenge.refusal_code,
        challenge.refusal_sentence,
        Named.of(Role.REGULATOR),
        challenge.answered_at,
    )
