"""The study that the demo's modeler drafts: the public schema of German credit and its policy."""

from __future__ import annotations

from typing import Any

from mpc_engine.client.demo.data import COLUMNS
from mpc_engine.client.demo.plan import Plan
from mpc_engine.params import (
    DEFAULT_THETA_BITS,
    DEFAULT_THETA_FRAC_BITS,
    DEFAULT_X_FRAC_BITS,
)

MINIMUM_GROUP = 10
MINIMUM_ANSWERS = 100


def draft_study(plan: Plan) -> dict[str, Any]:
    """Return the draft configuration, without the parties' names and keys."""
    return {
        "format": "bj1 configuration",
        "title": "Credit decisions and age",
        "purpose": (
            "Find out whether the bank's credit model treats people over 25 and younger people"
            " alike, without anyone learning how old a person is."
        ),
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
            for column in COLUMNS
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
                "title": "Age",
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
            "criteria": [
                {
                    "criterion": limits.criterion,
                    "thresholds": list(limits.thresholds),
                    "certify_at": limits.certify_at,
                }
                for limits in plan.policy
            ],
            "comparison": "each_pair",
            "minimum_group": MINIMUM_GROUP,
            "minimum_answers": MINIMUM_ANSWERS,
        },
        "typed_challenge_limit": 20,
        "question_bits_limit": 64,
    }
