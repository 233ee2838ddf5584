"""Policies that regulators publish: read, look at what one says, publish, withdraw."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Body, Router, Schema, Status

from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.api.fields import Name, PathId
from blindjustice_web.engine import engine_policies
from blindjustice_web.lib.paging import api_page
from blindjustice_web.lib.problems import NotThere, Outdated
from blindjustice_web.lib.throttle import spend_by_account
from blindjustice_web.studies.models import PublishedPolicy
from blindjustice_web.studies.policies import (
    in_force,
    publish_policy,
    published_policies,
    terms_of_policy,
    withdraw_policy,
)

router = Router(tags=["policies"])


class LearnerOut(Schema):
    """What one reader learns of a certification."""

    who: str
    learns: str


class ReadingsOut(Schema):
    """What a policy says, in the words that people read, who learns what, and what it costs."""

    sentences: list[str]
    learners: list[LearnerOut]
    charge: str


class PolicyOut(ReadingsOut):
    """A published policy: ``terms`` are fields of a draft.

    They are empty where this version of the site can't read them; ``sentences`` say so.
    """

    policy_id: str
    title: str
    regulator: str
    terms: dict[str, Any]
    published_at: datetime
    withdrawn_at: datetime | None


class PolicyIn(Schema):
    """A name, and ``{policy, attributes, label, question_bits_limit}`` as a draft has them."""

    title: Name
    terms: dict[str, Any]


@router.get("policies", auth=None, response=list[PolicyOut])
def policy_list(request: HttpRequest, response: HttpResponse) -> list[dict[str, Any]]:
    """Return the policies that studies can be started from."""
    return [policy_out(policy) for policy in api_page(request, response, in_force())]


@router.post("policies", response={201: PolicyOut})
def policy_publish(request: HttpRequest, payload: PolicyIn) -> Status[dict[str, Any]]:
    """Publish a policy of your organisation (regulators only); it never changes."""
    spend_by_account(request, "UPLOADS")
    return Status(201, policy_out(publish_policy(user_of(request), payload.title, payload.terms)))


@router.post("policy-readings", response=ReadingsOut)
def policy_readings(request: HttpRequest, payload: Body[dict[str, Any]]) -> dict[str, Any]:
    """Return what terms would say; 422 names the first fault. Nothing is kept."""
    return readings_out(engine_policies.read_terms(payload))


@router.get("policies/{policy_id}", auth=None, response=PolicyOut)
def policy_read(request: HttpRequest, policy_id: PathId) -> dict[str, Any]:
    """Return a policy that was published, a withdrawn one too."""
    policy = published_policies().filter(pk=policy_id).first()
    if policy is None:
        raise NotThere
    return policy_out(policy)


@router.post("policies/{policy_id}/withdrawal", response=PolicyOut)
def policy_withdraw(request: HttpRequest, policy_id: PathId) -> dict[str, Any]:
    """Offer a policy no longer (its regulator only); studies made with it keep it."""
    return policy_out(withdraw_policy(user_of(request), policy_id))


def policy_out(policy: PublishedPolicy) -> dict[str, Any]:
    """Return a published policy as the API shows it."""
    said: dict[str, Any]
    try:
        terms = terms_of_policy(policy)
        said = {"terms": terms.to_json(), **readings_out(terms)}
    except Outdated as outdated:
        said = {"terms": {}, "sentences": [str(outdated.detail)], "learners": [], "charge": ""}
    return {
        "policy_id": policy.id,
        "title": policy.title,
        "regulator": policy.regulator.name,
        "published_at": policy.published_at,
        "withdrawn_at": policy.withdrawn_at,
        **said,
    }


def readings_out(terms: engine_policies.PolicyTerms) -> dict[str, Any]:
    """Return what terms mean as the API shows it."""
    readings = engine_policies.readings_of(terms, _)
    return {
        "sentences": readings.sentences,
        "learners": [{"who": who, "learns": told} for who, told in readings.learners],
        "charge": readings.charge,
    }
