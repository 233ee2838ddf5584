"""The certification circuit: the whole policy and the signature on the same model wires."""

from __future__ import annotations

from functools import lru_cache

from mpc_engine.circuits import Circuit, CircuitBuilder, Wire, arithmetic
from mpc_engine.fairness.circuit_algebra import CircuitAlgebra, Word
from mpc_engine.fairness.covariance import AttributeSums
from mpc_engine.fairness.discrete_laplace import UNIFORM_BITS
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.noise import drawn, n_noise_bits, noised
from mpc_engine.protocols.certification.predicate import Judgement, certifies, evaluate_policy
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.certification.tally_circuit import TallyPlan, count_width
from mpc_engine.protocols.certification.verdict import table_widths
from mpc_engine.protocols.model_circuit import model_hash, model_inputs
from mpc_engine.vocabulary.criteria import CriterionName


@lru_cache(maxsize=16)
def certification_circuit(spec: CertificationSpec, n_records: int) -> Circuit:
    """Build the circuit of one run.

    Inputs in order: ``theta`` and ``nonce`` (modeler); where cells are noised ``modeler_noise`` and
    ``regulator_noise``, whose XOR the noise is drawn by; with the covariance criterion
    ``entered_sums`` (modeler: the low l bits of every V, entry-major, the count last) and
    ``kept_sums`` (regulator: r, same order); with criteria on rates ``counts`` (from the tally, in
    the order of its plan). Outputs: ``verdict`` (all that is opened, in the order of
    `verdict.read_opened`) and ``signature`` (256 bits, all zero unless every criterion passes where
    the policy certifies).
    """
    builder = CircuitBuilder()
    algebra = CircuitAlgebra(builder)
    coefficients, nonce = model_inputs(builder, spec.n_features, spec.theta_bits)
    bound = 1 << (spec.theta_bits - 1)
    theta = [algebra.word(bits, -bound, bound - 1) for bits in coefficients[1:]]
    uniform = _uniform(builder, algebra, n_noise_bits(spec))
    sums = counts = None
    if spec.criterion(CriterionName.COVARIANCE):
        sums = _sums(builder, algebra, spec, n_records)
    if spec.rate_criteria:
        counts = _counts(builder, algebra, spec, n_records)
        if spec.epsilon is not None:
            counts = noised(algebra, spec, counts, drawn(algebra, spec, uniform))
    judgement = evaluate_policy(algebra, spec, theta, sums, counts)
    builder.output("verdict", opened_wires(spec, judgement, n_records))
    passed = certifies(algebra, spec, judgement.bits)
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


def _uniform(builder: CircuitBuilder, algebra: CircuitAlgebra, n_bits: int) -> list[Word]:
    """Declare both parties' uniform bits, if there are any; return the numbers of their XOR."""
    if not n_bits:
        return []
    own, other = (builder.input(f"{role}_noise", n_bits) for role in ("modeler", "regulator"))
    bits = [builder.xor(*pair) for pair in zip(own, other, strict=True)]
    return [
        algebra.word([*bits[i : i + UNIFORM_BITS], False], 0, (1 << UNIFORM_BITS) - 1)
        for i in range(0, n_bits, UNIFORM_BITS)
    ]


def _counts(
    builder: CircuitBuilder, algebra: CircuitAlgebra, spec: CertificationSpec, n_records: int
) -> list[GroupCounts[Word]]:
    """Declare the tally's counters and return them by grouping."""
    plan = TallyPlan.of(spec)
    width = count_width(n_records)
    wires = builder.input("counts", plan.n_counters * width)
    words = [
        algebra.word([*wires[i : i + width], False], 0, n_records)
        for i in range(0, len(wires), width)
    ]
    return plan.arranged(words, spec, algebra.constant(n_records))


def opened_wires(
    spec: CertificationSpec, judgement: Judgement[Word, Wire], n_records: int
) -> list[Wire]:
    """Return the opened wires in the order in which `verdict.read_opened` takes them."""
    bits = judgement.bits
    opened = [bits.reasons[reason] for reason in spec.reasons]
    opened += [bit for rows in (bits.passes, bits.worst, bits.best) for row in rows for bit in row]
    opened += judgement.left_out
    for row, widths in zip(judgement.table, table_widths(spec, n_records), strict=True):
        for word, width in zip(row, widths, strict=True):
            opened += word.bits[:width]
    return opened
