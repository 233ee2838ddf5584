"""What the form of a new study starts from."""

from __future__ import annotations

DRAFT_DEFAULTS = {
    "x_frac_bits": 8,
    "theta_bits": 24,
    "theta_frac_bits": 16,
    "retention_days": 365,
    "certificate_days": 365,
    "typed_challenge_limit": 20,
    "question_bits_limit": 64,
    "policy": {
        "criteria": [
            {
                "criterion": "p_rule",
                "thresholds": ["50", "60", "70", "80", "90", "95"],
                "certify_at": "80",
            }
        ],
        "comparison": "each_pair",
        "minimum_group": 10,
        "minimum_answers": 20,
    },
}
