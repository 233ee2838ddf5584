"""The circuits of verification: the model's hash once a batch, a decision once a challenge."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit, CircuitBuilder
from mpc_engine.errors import UsageError
from mpc_engine.protocols.decision import Ranges, decision_wire, x_bits, x_wires
from mpc_engine.protocols.model_circuit import model_hash, model_inputs, split_coefficients
from mpc_engine.protocols.verification.spec import VerificationSpec


@lru_cache(maxsize=16)
def hash_circuit(config_digest: bytes, n_features: int, theta_bits: int) -> Circuit:
    """Build ``equal = (SHA-256(model) == signature)``; inputs theta, nonce, signature."""
    builder = CircuitBuilder()
    coefficients, nonce = model_inputs(builder, n_features, theta_bits)
    signature = builder.input("signature", 256)
    digest = model_hash(builder, config_digest, coefficients, nonce)
    builder.output("equal", [builder.eq(digest, signature)])
    return builder.build()


@lru_cache(maxsize=16)
def decision_circuit(
    n_features: int, x_frac_bits: int, theta_bits: int, feature_ranges: Ranges
) -> Circuit:
    """Build ``ok = equal AND (decision == claim)``; inputs theta, equal, x, claim."""
    builder = CircuitBuilder()
    theta = builder.input("theta", (n_features + 1) * theta_bits)
    equal = builder.input("equal", 1)
    x = builder.input("x", x_wires(feature_ranges))
    claim = builder.input("claim", 1)
    coefficients = split_coefficients(theta, theta_bits)
    decision = decision_wire(builder, coefficients, x, x_frac_bits, feature_ranges)
    agrees = builder.not_(builder.xor(decision, claim[0]))
    builder.output("ok", [builder.and_(equal[0], agrees)])
    return builder.build()


def case_bits(
    spec: VerificationSpec, cases: Sequence[tuple[Sequence[int], int]]
) -> NDArray[np.uint8]:
    """Return the regulator's input bits of every case, uint8 (m, bits): x, then the claim.

    Raises UsageError ``CASE_MALFORMED``, or ``CASE_OUT_OF_RANGE`` naming the feature's position.
    """
    if any(len(x) != spec.n_features or claim not in (0, 1) for x, claim in cases):
        raise UsageError("A case does not have this study's features.", code="CASE_MALFORMED")
    rows = np.array([list(x) for x, _ in cases], dtype=np.int64)
    claims = np.array([[claim] for _, claim in cases], dtype=np.uint8)
    return np.concatenate([x_bits(spec.feature_ranges, rows), claims], axis=1)
