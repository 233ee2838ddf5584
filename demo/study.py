"""The studies that the demo's modeler drafts: the public schema of German credit, and a policy."""

from __future__ import annotations

from typing import Any

from demo.data import DATA_COLUMNS
from demo.expectations import P_RULE
from demo.limits import CERTIFY_AT, THRESHOLDS
from demo.sweep import C_LADDER
from mpc_engine.params import (
    DEFAULT_THETA_BITS,
    DEFAULT_THETA_FRAC_BITS,
    DEFAULT_X_FRAC_BITS,
)

QUESTIONS = len(C_LADDER) + 2
"""A certification for each trained model, the one fitted freely and the failing one divided."""
MINIMUM_GROUP = 10
MINIMUM_ANSWERS = 100
TRAINING_BITS = 2_400
"""A training opens 24 coefficients of 19 bits each at every c."""


def certification_study() -> dict[str, Any]:
    """Return the study in which models are judged, on people who were not in training."""
    return _draft(
        title="Credit decisions and age",
        purpose=(
            "Find out whether the bank's credit model treats people over 25 and younger people"
            " alike, without anyone learning how old a person is."
        ),
    )


def training_study() -> dict[str, Any]:
    """Return the study in which the modeler holds the data and a model is trained."""
    return _draft(
        title="Credit models to train",
        purpose=(
            "Train credit models that treat people over 25 and younger people alike, without"
            " anyone learning how old a person is."
        ),
        data_holder="modeler",
        question_bits_limit=TRAINING_BITS,
    )


def small_study(title: str, **changes: Any) -> dict[str, Any]:
    """Return a study for a walk through the site, for a handful of people."""
    purpose = "See what a study looks like in this state."
    return _draft(title=title, purpose=purpose, **changes)


def _draft(*, title: str, purpose: str, **changes: Any) -> dict[str, Any]:
    """Return a draft configuration, without the parties' names and keys."""
    return {
        "format": "bj2 configuration",
        "title": title,
        "purpose": purpose,
        "retention_days": 365,
        "certificate_days": 365,
        "features": [
            {
                "name": column.name,
                "title": column.title,
                "unit": str(column.unit),
                "minimum": str(column.minimum),
                "maximum": str(column.maximum),
            }
            for column in DATA_COLUMNS
        ],
        "x_frac_bits": DEFAULT_X_FRAC_BITS,
        "theta_bits": DEFAULT_THETA_BITS,
        "theta_frac_bits": DEFAULT_THETA_FRAC_BITS,
        "label": {
            "name": "credit",
            "title": "Outcome of an earlier credit",
            "favourable": "good credit",
            "unfavourable": "bad credit",
        },
        "attributes": [
            {
                "name": "age",
                "title": "age",
                "question": "How old are you?",
                "categories": [
                    {"name": "over_25", "title": "Over 25"},
                    {"name": "up_to_25", "title": "25 or younger"},
                ],
            }
        ],
        "data_holder": "regulator",
        "data_source": "person",
        "inviter": "modeler",
        "policy": {
            "kind": "published",
            "questions": QUESTIONS,
            "criteria": [
                {
                    "criterion": P_RULE,
                    "thresholds": list(THRESHOLDS),
                    "certify_at": CERTIFY_AT,
                }
            ],
            "comparison": "each_pair",
            "groups": [["age"]],
            "minimum_group": MINIMUM_GROUP,
            "minimum_percent": "0",
            "minimum_answers": MINIMUM_ANSWERS,
            "minimum_decided": MINIMUM_GROUP,
            "small_groups": "undetermined",
            "missing_answers": "left_out",
            "disclosure": "verdict",
        },
        "typed_challenge_limit": 20,
        "question_bits_limit": 64,
        **changes,
    }
