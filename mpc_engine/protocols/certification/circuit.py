"""The certification circuit: the whole policy and the signature on the same model wires."""

from __future__ import annotations

from functools import lru_cache

from mpc_engine.circuits import Bits, Circuit, CircuitBuilder, arithmetic
from mpc_engine.fairness.circuit_algebra import CircuitAlgebra, Word
from mpc_engine.fairness.covariance import AttributeSums
from mpc_engine.fairness.groups import all_of
from mpc_engine.fairness.p_rule import Selections
from mpc_engine.protocols.certification.predicate import evaluate_policy
from mpc_engine.protocols.certification.spec import CertificationSpec, CriterionName
from mpc_engine.protocols.model_circuit import model_hash, model_inputs


def count_width(n_records: int) -> int:
    """Return the bits of a count of at most ``n_records`` people, unsigned."""
    return max(n_records, 1).bit_length()


@lru_cache(maxsize=16)
def certification_circuit(spec: CertificationSpec, n_records: int) -> Circuit:
    """Build the circuit of one run.

    Inputs in order: ``theta`` and ``nonce`` (modeler); with the covariance criterion
    ``entered_sums`` (modeler: the low l bits of every V, entry-major, the count last) and
    ``kept_sums`` (regulator: r, same order); with the p%-rule ``counts`` (from the tally: for every
    category its size, then for every category its selected people). Outputs: ``verdict`` (one bit a
    reason, then one a threshold, criterion by criterion) and ``signature`` (256 bits, all zero
    unless every criterion passes where the policy certifies).
    """
    builder = CircuitBuilder()
    algebra = CircuitAlgebra(builder)
    coefficients, nonce = model_inputs(builder, spec.n_features, spec.theta_bits)
    bound = 1 << (spec.theta_bits - 1)
    theta = [algebra.word(bits, -bound, bound - 1) for bits in coefficients[1:]]
    sums = selections = None
    if spec.criterion(CriterionName.COVARIANCE):
        sums = _sums(builder, algebra, spec, n_records)
    if spec.criterion(CriterionName.P_RULE):
        selections = _selections(builder, algebra, spec, n_records)
    outcome = evaluate_policy(algebra, spec, theta, sums, selections)
    builder.output("verdict", [*outcome.reasons, *(bit for row in outcome.passes for bit in row)])
    passed = all_of(
        algebra,
        [
            row[criterion.certify_index]
            for row, criterion in zip(outcome.passes, spec.criteria, strict=True)
        ],
    )
    digest = model_hash(builder, spec.config_digest, coefficients, nonce)
    builder.output("signature", [builder.and_(passed, bit) for bit in digest])
    return builder.build()


def _sums(
    builder: CircuitBuilder, algebra: CircuitAlgebra, spec: CertificationSpec, n_records: int
) -> list[AttributeSums[Word]]:
    """Declare both sums' inputs and return ``V - r`` in the wires that each range needs."""
    row_width = spec.row_width(n_records)
    n_sums = sum(spec.category_counts) * (spec.n_features + 1)
    entered = builder.input("entered_sums", n_sums * row_width)
    kept = builder.input("kept_sums", n_sums * row_width)
    ranges = [
        (n_records * min(low, 0), n_records * max(high, 0)) for low, high in spec.feature_ranges
    ]
    ranges.append((0, n_records))
    words: list[Word] = []
    for index in range(n_sums):
        low, high = ranges[index % len(ranges)]
        width = min(row_width, max(abs(low), abs(high)).bit_length() + 1)
        wires = slice(index * row_width, index * row_width + width)
        words.append(
            algebra.word(
                arithmetic.subtract(builder, entered[wires], kept[wires], width), low, high
            )
        )
    rows = [words[i : i + len(ranges)] for i in range(0, n_sums, len(ranges))]
    attributes: list[AttributeSums[Word]] = []
    for count in spec.category_counts:
        own, rows = rows[:count], rows[count:]
        attributes.append(AttributeSums([row[:-1] for row in own], [row[-1] for row in own]))
    return attributes


def _selections(
    builder: CircuitBuilder, algebra: CircuitAlgebra, spec: CertificationSpec, n_records: int
) -> list[Selections[Word]]:
    """Declare the tally's counts and return them by attribute."""
    width = count_width(n_records)
    n_categories = sum(spec.category_counts)
    wires = builder.input("counts", 2 * n_categories * width)
    words = [_count(algebra, wires[i : i + width], n_records) for i in range(0, len(wires), width)]
    sizes, selected = words[:n_categories], words[n_categories:]
    attributes: list[Selections[Word]] = []
    for count in spec.category_counts:
        attributes.append(Selections(selected[:count], sizes[:count]))
        selected, sizes = selected[count:], sizes[count:]
    return attributes


def _count(algebra: CircuitAlgebra, wires: Bits, n_records: int) -> Word:
    return algebra.word([*wires, False], 0, n_records)
