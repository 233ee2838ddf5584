"""Under what each criterion is checked; certificates carry it (docs/protocols/security.md)."""

from __future__ import annotations

from mpc_engine.vocabulary.criteria import RATE_CRITERIA

_RATES_MODEL = (
    "malicious modeler (keyed products, bound re-entry 2^-61, OT consistency 2^-94), "
    "semi-honest regulator"
)

SECURITY_MODELS = dict.fromkeys(RATE_CRITERIA, _RATES_MODEL)
"""By criterion: the kind of each party's fault, and the chance that a check misses it."""
