"""Policies that regulators publish: publish, withdraw, read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Organisation, Role, User
from blindjustice_web.accounts.selectors import Viewer, membership_of
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine import engine_client, engine_policies
from blindjustice_web.engine.engine_policies import PolicyTerms
from blindjustice_web.engine.engine_texts import likeness
from blindjustice_web.lib.ids import is_id
from blindjustice_web.lib.problems import NotAllowed, NotThere, Outdated, Refused, Unusable
from blindjustice_web.studies.models import PublishedPolicy, Study
from blindjustice_web.studies.services import configuration_of


@transaction.atomic
def publish_policy(user: User, title: str, terms: Mapping[str, Any]) -> PublishedPolicy:
    """Publish a policy under a regulator's name; Unusable names the first fault in its terms."""
    membership = membership_of(user)
    if membership is None or membership.role != Role.REGULATOR:
        raise NotAllowed("ONLY_REGULATORS_PUBLISH", _("Only a regulator publishes policies."))
    read = engine_policies.read_terms(terms)
    regulator = Organisation.objects.select_for_update().get(pk=membership.organisation_id)
    others = in_force().filter(regulator=regulator).values_list("title", flat=True)
    if likeness(title) in map(likeness, others):
        raise Refused(
            "POLICY_TITLE_TAKEN",
            _("Your organisation has a published policy of this name."),
            next_step=_("Give it another name, or withdraw the earlier one first."),
        )
    published = PublishedPolicy.objects.create(
        title=title,
        regulator=regulator,
        terms=engine_client.canonical(read.to_json()),
        published_by=user,
    )
    digest = engine_client.text_digest(published.terms)
    record(EntryKind.POLICY_PUBLISHED, subject=published.id, detail=f"{title} {digest}")
    return published


@transaction.atomic
def withdraw_policy(user: User, policy_id: str) -> PublishedPolicy:
    """Offer a policy no longer; studies that were made with it keep theirs."""
    membership = membership_of(user)
    found = PublishedPolicy.objects.select_for_update(of=("self",)).filter(pk=policy_id).first()
    if found is None:
        raise NotThere
    if membership is None or membership.organisation_id != found.regulator_id:
        raise NotAllowed(
            "ONLY_PUBLISHER_WITHDRAWS", _("Only the regulator that published it withdraws it.")
        )
    if found.withdrawn_at is None:
        found.withdrawn_at = timezone.now()
        found.withdrawn_by = user
        found.save(update_fields=["withdrawn_at", "withdrawn_by"])
        record(EntryKind.POLICY_WITHDRAWN, subject=found.id, detail=found.title)
    return found


def published_policies() -> QuerySet[PublishedPolicy]:
    """Return every policy that was ever published, newest first."""
    return PublishedPolicy.objects.select_related(
        "regulator", "published_by", "withdrawn_by"
    ).order_by("-published_at", "pk")


def in_force() -> QuerySet[PublishedPolicy]:
    """Return the policies that studies can be started from, by regulator and title."""
    return published_policies().filter(withdrawn_at=None).order_by("regulator__name", "title", "pk")


def policy_in_force(text: str) -> PublishedPolicy | None:
    """Return the policy in force whose id a text is; None for any other text."""
    return in_force().filter(pk=text).first() if is_id(text) else None


def policies_of(user: Viewer) -> QuerySet[PublishedPolicy]:
    """Return the policies of the user's own regulator organisation, withdrawn ones too."""
    membership = membership_of(user)
    if membership is None:
        return PublishedPolicy.objects.none()
    return published_policies().filter(regulator=membership.organisation_id)


def policy_for(user: Viewer, policy_id: str) -> PublishedPolicy:
    """Return a policy of the user's own regulator organisation; else NotThere."""
    found = own_policy(user, policy_id)
    if found is None:
        raise NotThere
    return found


def own_policy(user: Viewer, text: str) -> PublishedPolicy | None:
    """Return the policy of the user's own regulator organisation whose id a text is, or None."""
    return policies_of(user).filter(pk=text).first() if is_id(text) else None


def terms_of_policy(policy: PublishedPolicy) -> PolicyTerms:
    """Return the terms of a published policy; Outdated where this version can't read them."""
    try:
        with engine_client.unusable_input():
            return engine_policies.read_terms(engine_client.stored_body(policy.terms))
    except Unusable:
        raise Outdated from None


def study_terms(study: Study) -> PolicyTerms:
    """Return the terms of a study's policy, of a draft too."""
    return engine_policies.terms_of_configuration(configuration_of(study))


def published_as(regulator: Organisation, terms: PolicyTerms) -> PublishedPolicy | None:
    """Return the policy whose terms a study has word for word, of its own regulator.

    Of several the newest in force; where all are withdrawn, the last that was.
    """
    text = engine_client.canonical(terms.to_json())
    same = published_policies().filter(regulator=regulator, terms=text)
    newest = (F("withdrawn_at").desc(nulls_first=True), "-published_at", "pk")
    return same.order_by(*newest).first()
