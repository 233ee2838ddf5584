"""The oracle of verification: the same integers, in the clear."""

from __future__ import annotations

from collections.abc import Sequence

from mpc_engine.protocols.decision import decide
from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.vocabulary.verdicts import VerificationResult


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
