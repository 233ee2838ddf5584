"""The oracle of verification, and the one definition of a decision in integers."""

from __future__ import annotations

from collections.abc import Sequence

from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.protocols.verification.spec import VerificationResult, VerificationSpec


def decide(theta: Sequence[int], x: Sequence[int], x_frac_bits: int) -> int:
    """Return the decision of a model: 1 iff ``theta_0 2^f + sum theta_k x_k >= 0``, exactly."""
    score = (theta[0] << x_frac_bits) + sum(t * v for t, v in zip(theta[1:], x, strict=True))
    return int(score >= 0)


def verify_in_the_clear(
    spec: VerificationSpec,
    certified_signature: bytes,
    theta: Sequence[int],
    nonce: bytes,
    cases: Sequence[tuple[Sequence[int], int]],
) -> list[VerificationResult]:
    """Return what the secure computation must return for every (x, claimed decision)."""
    if model_signature(spec.config_digest, nonce, theta) != certified_signature:
        return [VerificationResult.DIFFERENT_MODEL] * len(cases)
    return [
        VerificationResult.CONFIRMED
        if decide(theta, x, spec.x_frac_bits) == claim
        else VerificationResult.DIFFERENT_DECISION
        for x, claim in cases
    ]
