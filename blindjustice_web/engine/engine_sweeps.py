"""The door to the engine for sweeps: ladders of c, certified models, takeovers."""

from __future__ import annotations

from fractions import Fraction

from blindjustice_web.engine.engine_client import Configuration, unusable_input
from blindjustice_web.lib.labels import CriterionName
from mpc_engine.control.files.model_file import takes_models_of
from mpc_engine.control.policies.charge import certification_bits
from mpc_engine.control.policies.policy import Policy
from mpc_engine.control.policies.questions import millibits
from mpc_engine.control.studies.sweeps import (
    POINTS,
    Candidate,
    best_certified,
    proposed_ladder,
    refined,
    threshold_for,
)
from mpc_engine.control.studies.takeover import MAX_TAKEOVER_BYTES, Takeover, parse_takeover

__all__ = [
    "MAX_TAKEOVER_BYTES",
    "POINTS",
    "Candidate",
    "Takeover",
    "best_certified",
    "proposed_ladder",
    "refined",
    "takes_models_of",
    "threshold_for",
]


def read_takeover(text: str) -> Takeover:
    """Return what a signed text hands over; Unusable names the fault."""
    with unusable_input():
        return parse_takeover(text)


def certification_millibits(configuration: Configuration, n_people: int) -> int:
    """Return what one certification of a cohort is charged, in thousandths of a bit."""
    return millibits(certification_bits(configuration.policy, len(configuration.groups), n_people))


def p_thresholds(policy: Policy) -> tuple[Fraction, ...]:
    """Return the percentages that a policy asks about, rising; empty without a p%-rule."""
    found = (item.thresholds for item in policy.criteria if item.criterion == CriterionName.P_RULE)
    return tuple(Fraction(each) for thresholds in found for each in thresholds)
