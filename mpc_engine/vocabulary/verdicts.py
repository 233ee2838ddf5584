"""How a certification and a verification can end, and why a certification has no verdict."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """The outcome of a certification, as a whole and at each threshold."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNDETERMINED = "UNDETERMINED"


class NoVerdict(StrEnum):
    """Why a computation is undetermined, in the order in which reasons are given."""

    TOO_FEW_ANSWERS = "TOO_FEW_ANSWERS"
    """Fewer people than the policy's minimum answered."""
    GROUP_UNDER_FLOOR = "GROUP_UNDER_FLOOR"
    """Some group, whichever, has fewer people than the smallest group of the policy, or nobody."""
    TOO_FEW_GROUPS = "TOO_FEW_GROUPS"
    """Groups under the floor are left out, and fewer than two remain to be compared."""
    TOO_FEW_DECIDED = "TOO_FEW_DECIDED"
    """In some group that is compared too few are selected, or not; or rest a rate on too few."""


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
