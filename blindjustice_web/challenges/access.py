"""Who may see a case: its owner, and the regulator of its certificate."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import Viewer, membership_of
from blindjustice_web.challenges.models import Challenge
from blindjustice_web.lib.problems import NotThere

RELATED = (
    "job",
    "certificate__model",
    "certificate__study__modeler",
    "certificate__study__regulator",
    "certificate__result",
    "certificate__revocation",
)


def challenges_for(user: Viewer) -> QuerySet[Challenge]:
    """Return the cases a user may see, newest first: her own, a regulator its studies'."""
    challenges = Challenge.objects.select_related(*RELATED)
    if not user.is_authenticated:
        return challenges.none()
    may_see = Q(owner=user)
    membership = membership_of(user)
    if membership is not None and membership.role == Role.REGULATOR:
        may_see |= Q(certificate__study__regulator=membership.organisation)
    return challenges.filter(may_see).order_by("-created_at", "pk")


def cases_in(studies: Q) -> QuerySet[Challenge]:
    """Return the cases under certificates of some studies, newest first, whoever opened them."""
    found = Challenge.objects.select_related(*RELATED).filter(studies)
    return found.order_by("-created_at", "pk")


def challenge_for(user: Viewer, challenge_id: str) -> Challenge:
    """Return a case its viewer may see, else NotThere."""
    challenge = challenges_for(user).filter(pk=challenge_id).first()
    if challenge is None:
        raise NotThere
    return challenge


def own_challenge(user: Viewer, challenge_id: str) -> Challenge:
    """Return a case its viewer opened, else NotThere."""
    challenge = challenge_for(user, challenge_id)
    if challenge.owner_id != user.pk:
        raise NotThere
    return challenge
