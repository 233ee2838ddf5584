"""A small study for the client's tests: two features, one yes/no attribute."""

from __future__ import annotations

from typing import Any

import pytest

from mpc_engine.control.configuration import Configuration, StudyParty, complete_draft

DRAFT: dict[str, Any] = {
    "format": "bj1 configuration",
    "title": "Credit and age",
    "purpose": "To see whether decisions are fair.",
    "retention_days": 30,
    "certificate_days": 30,
    "features": [
        {"name": "months", "title": "Months", "unit": "12", "minimum": "0", "maximum": "120"},
        {"name": "income", "title": "Income", "unit": "0.5", "minimum": "-10.5", "maximum": "40"},
    ],
    "x_frac_bits": 8,
    "theta_bits": 24,
    "theta_frac_bits": 16,
    "label": {"name": "credit", "title": "Credit", "favourable": "good", "unfavourable": "bad"},
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
        "criterion": "covariance",
        "thresholds": ["0.05", "0.1"],
        "certify_at": "0.1",
        "minimum_group": 2,
    },
    "typed_challenge_limit": 5,
}


@pytest.fixture(scope="session")
def configuration() -> Configuration:
    party = StudyParty("A party", bytes(16), bytes(32), bytes(32))
    return complete_draft(DRAFT, study_id=bytes(16), modeler=party, regulator=party)
