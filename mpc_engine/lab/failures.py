"""Why a run gave no model: a gap in a figure, counted and explained in the report."""

from __future__ import annotations

from enum import StrEnum


class Failure(StrEnum):
    """The kinds of failed runs."""

    OVERFLOW = "overflow"
    SINGULAR = "singular"
    OUTSIDE = "outside"
    EXPLODED = "exploded"
    REFUSED = "refused"
    NOT_CONVERGED = "not converged"
    NOT_AVAILABLE = "not available"


EXPLANATIONS = {
    Failure.OVERFLOW: "A fixed-point number grew beyond its integer bits.",
    Failure.SINGULAR: "A matrix that the projection inverts, or a divisor, underflowed to 0.",
    Failure.OUTSIDE: "A step left the inside of the barrier, where its logarithm is defined.",
    Failure.EXPLODED: "Gradients exploded: a coefficient is not finite, or beyond 10^6.",
    Failure.REFUSED: "The run needs wider rings than the protocol has, which it says beforehand.",
    Failure.NOT_CONVERGED: "The baseline's optimiser gave up.",
    Failure.NOT_AVAILABLE: "What the run needs is not installed on this machine.",
}


class RunFailed(Exception):
    """A run gave no model; ``kind`` says why, the text what happened in it."""

    def __init__(self, kind: Failure, text: str) -> None:
        super().__init__(text)
        self.kind = kind
