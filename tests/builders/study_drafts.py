"""Drafts of small studies, from which tests change what they are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mpc_engine.control.studies.configuration import Configuration, StudyParty, complete_draft
from mpc_engine.roles import Role
from tests.builders.policies import each_pair
from tests.builders.sealing_keys import sealing_key

STUDY_ID = bytes(range(16))


def feature(name: str, title: str, unit: str, minimum: str, maximum: str) -> dict[str, Any]:
    """Return a feature: decimals in the unit in which it is encoded."""
    return {"name": name, "title": title, "unit": unit, "minimum": minimum, "maximum": maximum}


def label(name: str, title: str, favourable: str, unfavourable: str) -> dict[str, Any]:
    """Return what a model decides: its outcome's two words."""
    return {"name": name, "title": title, "favourable": favourable, "unfavourable": unfavourable}


def attribute(name: str, title: str, question: str, **categories: str) -> dict[str, Any]:
    """Return a sensitive attribute: the titles of its categories by their names."""
    listed = [{"name": each, "title": words} for each, words in categories.items()]
    return {"name": name, "title": title, "question": question, "categories": listed}


def by_age(title: str = "Age group", **categories: str) -> dict[str, Any]:
    """Return the attribute age, of two categories unless told otherwise."""
    ages = categories or {"over_25": "Over 25", "up_to_25": "25 or younger"}
    return attribute("age", title, "How old are you?", **ages)


DURATION = feature("duration", "Duration in months", "12", "0", "120")


def make_draft(**changes: Any) -> dict[str, Any]:
    """Return a valid draft of two features and two attributes, with some fields changed."""
    draft: dict[str, Any] = {
        "title": "Credit",
        "purpose": "Find out whether the model is fair",
        "retention_days": 365,
        "certificate_days": 30,
        "features": [DURATION, feature("amount", "Amount", "1000", "-500.5", "20000")],
        "x_frac_bits": 8,
        "theta_bits": 24,
        "theta_frac_bits": 16,
        "label": label("class", "Credit", "good credit", "bad credit"),
        "attributes": [
            by_age(),
            attribute(
                "origin", "Origin", "Where are you from?", here="Here", near="Near", far="Far"
            ),
        ],
        "data_holder": "regulator",
        "data_source": "person",
        "inviter": "modeler",
        "policy": each_pair(),
        "typed_challenge_limit": 2,
        "question_bits_limit": 64,
    }
    return {**draft, **changes}


def completed(
    draft: dict[str, Any],
    signing_keys: Mapping[Role, bytes] | None = None,
    study_id: bytes = STUDY_ID,
) -> Configuration:
    """Return a draft's configuration with made-up keys of its parties, but for those given."""
    keys = {role: bytes([11 + n]) * 32 for n, role in enumerate(Role)} | dict(signing_keys or {})
    parties = {
        role.value: StudyParty(name, bytes([n]) * 16, sealing_key(n), keys[role])
        for n, (role, name) in enumerate(zip(Role, ("Bank", "Office"), strict=True), start=1)
    }
    return complete_draft(draft, study_id=study_id, **parties)


def make_configuration(**changes: Any) -> Configuration:
    """Return the configuration of `make_draft`, with some fields changed and made-up keys."""
    return completed(make_draft(**changes))
