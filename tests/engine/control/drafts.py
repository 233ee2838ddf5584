"""A small study for tests: two features, two attributes."""

from __future__ import annotations

from typing import Any

from mpc_engine.control.studies.configuration import Configuration, StudyParty, complete_draft

STUDY_ID = bytes(range(16))


def make_draft(**changes: Any) -> dict[str, Any]:
    """Return a valid draft with some fields changed."""
    draft: dict[str, Any] = {
        "title": "Credit",
        "purpose": "Find out whether the model is fair",
        "retention_days": 365,
        "certificate_days": 30,
        "features": [
            {
                "name": "duration",
                "title": "Duration in months",
                "unit": "12",
                "minimum": "0",
                "maximum": "120",
            },
            {
                "name": "amount",
                "title": "Amount",
                "unit": "1000",
                "minimum": "-500.5",
                "maximum": "20000",
            },
        ],
        "x_frac_bits": 8,
        "theta_bits": 24,
        "theta_frac_bits": 16,
        "label": {
            "name": "class",
            "title": "Credit",
            "favourable": "good credit",
            "unfavourable": "bad credit",
        },
        "attributes": [
            {
                "name": "age",
                "title": "Age group",
                "question": "How old are you?",
                "categories": [
                    {"name": "over_25", "title": "Over 25"},
                    {"name": "up_to_25", "title": "25 or younger"},
                ],
            },
            {
                "name": "origin",
                "title": "Origin",
                "question": "Where are you from?",
                "categories": [
                    {"name": "here", "title": "Here"},
                    {"name": "near", "title": "Near"},
                    {"name": "far", "title": "Far"},
                ],
            },
        ],
        "data_holder": "regulator",
        "data_source": "person",
        "inviter": "modeler",
        "policy": {
            "criteria": [
                {"criterion": "p_rule", "thresholds": ["70", "80", "90"], "certify_at": "80"},
                {"criterion": "covariance", "thresholds": ["0.05", "0.1"], "certify_at": "0.1"},
            ],
            "comparison": "each_pair",
            "minimum_group": 1,
            "minimum_answers": 1,
        },
        "typed_challenge_limit": 2,
        "question_bits_limit": 64,
    }
    return {**draft, **changes}


def make_configuration(**changes: Any) -> Configuration:
    """Return a configuration with made-up keys."""
    parties = [
        StudyParty(name, bytes([n]) * 16, bytes([n]) * 32, bytes([n + 10]) * 32)
        for n, name in enumerate(("Bank", "Office"), start=1)
    ]
    return complete_draft(
        make_draft(**changes), study_id=STUDY_ID, modeler=parties[0], regulator=parties[1]
    )
