"""What the form of a new study starts from."""

from __future__ import annotations

DRAFT_DEFAULTS = {
    "x_frac_bits": 8,
    "theta_bits": 24,
    "theta_frac_bits": 16,
    "retention_days": 365,
    "certificate_days": 365,
    "typed_challenge_limit": 20,
}
