"""Public parameters and outcomes of a verification."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class VerificationResult(StrEnum):
    """What the regulator and the person learn of one challenge."""

    CONFIRMED = "CONFIRMED"
    """The certified model gives this decision."""
    DIFFERENT_DECISION = "DIFFERENT_DECISION"
    """The modeler used the certified model, and it gives another decision."""
    DIFFERENT_MODEL = "DIFFERENT_MODEL"
    """The modeler's model is not the certified one; nothing is said about the decision."""
    NOT_ANSWERED = "NOT_ANSWERED"
    """The modeler gave no valid answer in time."""


@dataclass(frozen=True)
class VerificationSpec:
    """What both parties know beforehand; ranges are inclusive, of the encoded features."""

    config_digest: bytes
    n_features: int
    x_frac_bits: int
    theta_bits: int
    feature_ranges: tuple[tuple[int, int], ...]
