"""The circuits of verification: the model's hash once a batch, a decision once a challenge."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit, CircuitBuilder
from mpc_engine.errors import UsageError
from mpc_engine.fairness.circuit_algebra import CircuitAlgebra, Word, width_of
from mpc_engine.protocols.model_circuit import model_hash, model_inputs
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
    n_features: int,
    x_frac_bits: int,
    theta_bits: int,
    feature_ranges: tuple[tuple[int, int], ...],
) -> Circuit:
    """Build ``ok = equal AND (decision == claim)``; inputs theta, equal, x, claim.

    A feature has the wires that its range needs; its two's complement is entered.
    """
    builder = CircuitBuilder()
    algebra = CircuitAlgebra(builder)
    wires = builder.input("theta", (n_features + 1) * theta_bits)
    equal = builder.input("equal", 1)
    x = builder.input("x", sum(width_of(low, high) for low, high in feature_ranges))
    claim = builder.input("claim", 1)
    bound = 1 << (theta_bits - 1)
    theta = [
        algebra.word(wires[i : i + theta_bits], -bound, bound - 1)
        for i in range(0, len(wires), theta_bits)
    ]
    values: list[Word] = []
    position = 0
    for low, high in feature_ranges:
        width = width_of(low, high)
        values.append(algebra.word(x[position : position + width], low, high))
        position += width
    score = algebra.add(
        algebra.scale(theta[0], 1 << x_frac_bits), algebra.inner_product(theta[1:], values)
    )
    negative = algebra.less_than(score, algebra.constant(0))
    agrees = builder.xor(negative, claim[0])
    builder.output("ok", [builder.and_(equal[0], agrees)])
    return builder.build()


def case_bits(
    spec: VerificationSpec, cases: Sequence[tuple[Sequence[int], int]]
) -> NDArray[np.uint8]:
    """Return the regulator's input bits of every case, uint8 (m, bits): x, then the claim.

    Raises UsageError ``CASE_OUT_OF_RANGE`` naming the feature's position when x does not fit.
    """
    rows: list[list[int]] = []
    for x, claim in cases:
        if len(x) != spec.n_features or claim not in (0, 1):
            raise UsageError("A case does not have this study's features.", code="CASE_MALFORMED")
        bits: list[int] = []
        for position, (value, (low, high)) in enumerate(zip(x, spec.feature_ranges, strict=True)):
            if not low <= value <= high:
                raise UsageError(
                    f"Feature number {position + 1} of a case is out of the study's range.",
                    code="CASE_OUT_OF_RANGE",
                )
            bits.extend((value >> i) & 1 for i in range(width_of(low, high)))
        rows.append([*bits, claim])
    return np.array(rows, dtype=np.uint8)
