"""What pages show of a published policy."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from blindjustice_web.engine import engine_policies
from blindjustice_web.engine.engine_policies import PolicyTerms
from blindjustice_web.lib.problems import Outdated
from blindjustice_web.presentation.cards.studies import (
    AttributeView,
    LabelView,
    attribute_views,
    label_view,
)
from blindjustice_web.studies.models import PublishedPolicy
from blindjustice_web.studies.policies import terms_of_policy


@dataclass(frozen=True)
class PolicyCard:
    """A published policy, for people: what it says and its record.

    Without ``label``, ``charge`` and ``attributes`` where this version can't read its terms; then
    ``sentences`` say so.
    """

    id: str
    url: str
    title: str
    regulator_name: str
    sentences: list[str]
    charge: str
    attributes: list[AttributeView]
    label: LabelView | None
    text: str
    published_at: datetime
    published_by: str
    withdrawn_at: datetime | None
    withdrawn_by: str


def policy_view(policy: PublishedPolicy) -> PolicyCard:
    """Return a published policy as pages show it."""
    said: dict[str, Any]
    try:
        said = _what_it_says(terms_of_policy(policy))
    except Outdated as outdated:
        said = {"sentences": [str(outdated.detail)], "charge": "", "attributes": [], "label": None}
    return PolicyCard(
        id=policy.id,
        url=reverse("policy_detail", args=(policy.id,)),
        title=policy.title,
        regulator_name=policy.regulator.name,
        **said,
        text=policy.terms,
        published_at=policy.published_at,
        published_by=policy.published_by.email if policy.published_by else "",
        withdrawn_at=policy.withdrawn_at,
        withdrawn_by=policy.withdrawn_by.email if policy.withdrawn_by else "",
    )


def _what_it_says(terms: PolicyTerms) -> dict[str, Any]:
    """Return the members of a `PolicyCard` that the terms make up."""
    readings = engine_policies.readings_of(terms, _)
    return {
        "sentences": readings.sentences,
        "charge": readings.charge,
        "attributes": attribute_views(terms.attributes),
        "label": label_view(terms.label),
    }
