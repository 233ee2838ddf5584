"""The certification circuit: criterion and signature on the same model wires."""

from __future__ import annotations

from functools import lru_cache

from mpc_engine.circuits import Bits, Circuit, CircuitBuilder, arithmetic
from mpc_engine.fairness.circuit_algebra import CircuitAlgebra, Word
from mpc_engine.fairness.covariance import AttributeSums, CovariancePolicy, evaluate_covariance
from mpc_engine.protocols.model_circuit import model_hash, model_inputs


@lru_cache(maxsize=16)
def certification_circuit(
    policy: CovariancePolicy,
    config_digest: bytes,
    n_features: int,
    theta_bits: int,
    row_width: int,
    n_records: int,
    certify_index: int,
    feature_ranges: tuple[tuple[int, int], ...],
) -> Circuit:
    """Build the circuit of one run.

    Inputs in order: ``theta`` and ``nonce`` (modeler), ``entered_sums`` (modeler: the low l bits of
    every V, entry-major, the count last), ``kept_sums`` (regulator: r, same order). Outputs:
    ``verdict`` (no answers, under the floor, one pass bit a threshold) and ``signature``
    (256 bits, all zero unless the threshold ``certify_index`` passes).
    """
    builder = CircuitBuilder()
    coefficients, nonce = model_inputs(builder, n_features, theta_bits)
    n_sums = sum(policy.category_counts) * (n_features + 1)
    entered = builder.input("entered_sums", n_sums * row_width)
    kept = builder.input("kept_sums", n_sums * row_width)
    algebra = CircuitAlgebra(builder)
    bound = 1 << (theta_bits - 1)
    theta = [algebra.word(bits, -bound, bound - 1) for bits in coefficients[1:]]
    ranges = [
        (n_records * min(low, 0), n_records * max(high, 0)) for low, high in feature_ranges
    ] + [(0, n_records)]
    attributes: list[AttributeSums[Word]] = []
    position = 0
    for count in policy.category_counts:
        rows: list[list[Word]] = []
        for _ in range(count):
            row: list[Word] = []
            for low, high in ranges:
                row.append(_difference(builder, algebra, entered, kept, position, low, high, row_width))
                position += row_width
            rows.append(row)
        attributes.append(
            AttributeSums(sums=[row[:-1] for row in rows], counts=[row[-1] for row in rows])
        )
    outcome = evaluate_covariance(algebra, policy, attributes, theta)
    builder.output("verdict", [outcome.no_answers, outcome.under_floor, *outcome.passes])
    passed = outcome.passes[certify_index]
    digest = model_hash(builder, config_digest, coefficients, nonce)
    builder.output("signature", [builder.and_(passed, bit) for bit in digest])
    return builder.build()


def _difference(
    builder: CircuitBuilder,
    algebra: CircuitAlgebra,
    entered: Bits,
    kept: Bits,
    position: int,
    low: int,
    high: int,
    row_width: int,
) -> Word:
    """Return ``V - r`` of one sum, reduced to the wires its range needs."""
    width = min(row_width, max(abs(low), abs(high)).bit_length() + 1)
    bits = arithmetic.subtract(
        builder, entered[position : position + width], kept[position : position + width], width
    )
    return algebra.word(bits, low, high)
