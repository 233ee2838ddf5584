"""The circuits of training: each is garbled for many instances, one a row, column or constraint.

In all of them the modeler's and the regulator's shares are added exactly before anything is cut
off, so that every truncation is that of the oracle (`plaintext`); a result leaves as ``value -
mask`` in a ring, the mask being the regulator's.
"""

from __future__ import annotations

from functools import lru_cache

from mpc_engine.circuits import Bits, Circuit, CircuitBuilder, Wire, arithmetic
from mpc_engine.circuits.arithmetic import Operand
from mpc_engine.protocols.training.row_sets import RowSet
from mpc_engine.protocols.training.spec import TrainingSpec


@lru_cache(maxsize=8)
def clamp_circuit(spec: TrainingSpec) -> Circuit:
    """Build one score's clamp: inputs ``modeler``, ``regulator``, ``mask``; output ``masked``.

    The modeler has added 1/2 to its share.
    """
    builder = CircuitBuilder()
    total = _total(builder, spec.score_width)
    mask = builder.input("mask", spec.gradient_width)
    one, fine = spec.score_frac_bits, spec.score_frac_bits - spec.signal_frac_bits
    positive = builder.not_(total[-1])
    above = builder.any_of(total[one:-1])
    inside = builder.and_(positive, builder.not_(above))
    clamped = [builder.and_(inside, bit) for bit in total[fine:one]]
    clamped.append(builder.and_(positive, above))
    _output_masked(builder, [*clamped, False], mask)
    return builder.build()


@lru_cache(maxsize=8)
def constraint_circuit(spec: TrainingSpec) -> Circuit:
    """Build one constraint's force and multiplier.

    Inputs ``multiplier`` (unsigned), ``modeler``, ``regulator`` (shares of A theta), ``bound`` (c),
    ``mask``; outputs ``multiplier`` and ``masked`` (nu).
    """
    rule = spec.multiplier
    builder = CircuitBuilder()
    multiplier = builder.input("multiplier", multiplier_bits(spec))
    total = _total(builder, spec.score_width)
    bound = builder.input("bound", bound_bits(spec))
    mask = builder.input("mask", spec.gradient_width)
    floored = total[spec.score_frac_bits - spec.signal_frac_bits :]
    size = arithmetic.absolute(builder, floored)
    width = max(len(size), len(bound)) + 2
    violation = arithmetic.subtract(builder, [*size, False], [*bound, False], width)
    not_below = builder.not_(violation[-1])
    positive = [*(builder.and_(bit, not_below) for bit in violation[:-1]), False]
    moved = violation if rule.may_fall else positive
    if rule.rate_shift >= 0:
        moved = moved[rule.rate_shift :] or [moved[-1]]
    else:
        moved = [*[False] * -rule.rate_shift, *moved]
    after = _add_wide(builder, [*multiplier, False], moved)
    builder.output("multiplier", _clamp_to(builder, after, rule.bound))
    penalty = arithmetic.multiply_constant(
        builder, positive, rule.penalty, len(positive) + rule.penalty.bit_length()
    )
    force = _clamp_to(
        builder, _add_wide(builder, [*multiplier, False], penalty or [False]), rule.bound
    )
    active = builder.any_of(positive) if rule.only_violated else builder.any_of(size)
    if rule.only_violated:
        active = builder.and_(active, builder.any_of(size))
    force = [builder.and_(active, bit) for bit in force]
    sign = floored[-1]
    signed = arithmetic.add(
        builder,
        [builder.xor(bit, sign) for bit in [*force, False]],
        [sign, False],
        len(force) + 1,
    )
    _output_masked(builder, signed, mask)
    return builder.build()


@lru_cache(maxsize=64)
def update_circuit(spec: TrainingSpec, shift: int) -> Circuit:
    """Build one coefficient's step: inputs ``theta``, ``modeler``, ``regulator``, ``mask``.

    Outputs ``theta`` and ``masked``, in the ring of scores. The modeler has added the half that
    rounds.
    """
    builder = CircuitBuilder()
    theta = builder.input("theta", spec.theta_bits)
    total = _total(builder, spec.gradient_width)
    mask = builder.input("mask", spec.score_width)
    moved = total[shift:] or [total[-1]]
    width = max(len(moved), spec.theta_bits) + 1
    after = arithmetic.subtract(builder, theta, moved, width)
    theta = _saturate(builder, after, spec.theta_bits)
    builder.output("theta", theta)
    _output_masked(builder, theta, mask)
    return builder.build()


@lru_cache(maxsize=8)
def accumulate_circuit(spec: TrainingSpec) -> Circuit:
    """Build one coefficient's running sum: inputs ``sum``, ``theta``; output ``sum``."""
    builder = CircuitBuilder()
    summed = builder.input("sum", spec.averaged_bits)
    theta = builder.input("theta", spec.theta_bits)
    builder.output("sum", arithmetic.add(builder, summed, theta, spec.averaged_bits))
    return builder.build()


@lru_cache(maxsize=8)
def opening_circuit(spec: TrainingSpec) -> Circuit:
    """Build one coefficient's opening: input ``sum``; output ``theta``, rounded half up."""
    builder = CircuitBuilder()
    summed = builder.input("sum", spec.averaged_bits)
    width = spec.averaged_bits + 1
    half = arithmetic.constant_bits(1 << spec.mean_shift >> 1, width)
    rounded = arithmetic.add(builder, summed, half, width)
    builder.output("theta", rounded[spec.mean_shift :])
    return builder.build()


@lru_cache(maxsize=16)
def matrix_circuit(spec: TrainingSpec, attribute: int, row_set: RowSet) -> Circuit:
    """Build one column of A for the constrained entries of an attribute over a set of rows.

    Inputs ``counts_modeler``, ``counts_regulator`` (every category), for a set given by outcomes
    ``factor`` (K, unsigned), ``sums_modeler``, ``sums_regulator`` (every category), ``masks``
    (every constrained entry); output ``masked``, every constrained entry, rounded half up, in the
    ring of A's shares. Of a set given by outcomes entries are 0 if too few of it answered, which on
    the minibatch ``enough`` says, before ``factor`` (`enough_circuit`).
    """
    categories = spec.entry_counts[attribute] - 1
    constrained = 1 if categories == 2 else categories
    count_width, sum_width = spec.count_width, spec.sum_width
    public_factor, shift = spec.factor
    builder = CircuitBuilder()
    counts = _shared_words(builder, "counts", categories, count_width)
    factor: Bits = []
    scaled_width = count_width + sum_width + public_factor.bit_length() + 1
    told: Bits = []
    if row_set.is_conditional:
        told = builder.input("enough", 1) if spec.is_on_minibatch else []
        factor, scaled_width = builder.input("factor", spec.factor_bits), spec.scaled_width
    half = arithmetic.constant_bits(1 << shift >> 1, scaled_width)
    sums = _shared_words(builder, "sums", categories, sum_width)
    masks = builder.input("masks", constrained * spec.share_width)
    answered = arithmetic.add_many(builder, counts, count_width)
    total = arithmetic.add_many(builder, sums, sum_width)
    if row_set.is_conditional:
        enough = told[0] if told else _is_enough(builder, spec, answered)
        factor = [*(builder.and_(enough, bit) for bit in factor), False]
    product_width = count_width + sum_width
    results: Bits = []
    for j in range(constrained):
        own = arithmetic.multiply_signed(builder, answered, sums[j], product_width)
        others = arithmetic.multiply_signed(builder, counts[j], total, product_width)
        centred = arithmetic.subtract(builder, own, others, product_width)
        if row_set.is_conditional:
            scaled = arithmetic.multiply_signed(builder, centred, factor, scaled_width)
        else:
            scaled = arithmetic.multiply_constant(builder, centred, public_factor, scaled_width)
        rounded = arithmetic.add(builder, scaled, half, scaled_width)
        mask = masks[j * spec.share_width : (j + 1) * spec.share_width]
        results += arithmetic.subtract(builder, rounded[shift:], mask, spec.share_width)
    builder.output("masked", results)
    return builder.build()


@lru_cache(maxsize=1)
def enough_circuit(spec: TrainingSpec) -> Circuit:
    """Build whether enough people of a set answered an attribute: output ``enough``, a bit.

    Inputs ``modeler``, ``regulator``: shares of how many, of everybody.
    """
    builder = CircuitBuilder()
    answered = _total(builder, spec.answered_width)
    builder.output("enough", [_is_enough(builder, spec, answered)])
    return builder.build()


def _is_enough(builder: CircuitBuilder, spec: TrainingSpec, answered: Bits) -> Wire:
    fewest = arithmetic.constant_bits(spec.minimum_answers, len(answered))
    return arithmetic.less_equal(builder, fewest, answered)


def multiplier_bits(spec: TrainingSpec) -> int:
    """Return the bits of lambda, unsigned."""
    return spec.multiplier.bound.bit_length()


def bound_bits(spec: TrainingSpec) -> int:
    """Return the bits in which every constraint's c is entered, unsigned."""
    return max(max(spec.bounds).bit_length(), 1)


def _total(builder: CircuitBuilder, width: int) -> Bits:
    modeler = builder.input("modeler", width)
    return arithmetic.add(builder, modeler, builder.input("regulator", width), width)


def _shared_words(builder: CircuitBuilder, name: str, n_words: int, width: int) -> list[Bits]:
    modeler = builder.input(f"{name}_modeler", n_words * width)
    regulator = builder.input(f"{name}_regulator", n_words * width)
    return [
        arithmetic.add(builder, modeler[i : i + width], regulator[i : i + width], width)
        for i in range(0, n_words * width, width)
    ]


def _output_masked(builder: CircuitBuilder, value: Operand, mask: Operand) -> None:
    builder.output("masked", arithmetic.subtract(builder, value, mask, len(mask)))


def _add_wide(builder: CircuitBuilder, a: Operand, b: Operand) -> Bits:
    return arithmetic.add(builder, a, b, max(len(a), len(b)) + 1)


def _clamp_to(builder: CircuitBuilder, value: Bits, bound: int) -> Bits:
    """Return a signed value cut to 0 .. bound, unsigned, in as many bits as the bound has."""
    width = bound.bit_length()
    limit = arithmetic.constant_bits(bound, len(value) + 1)
    over = arithmetic.less_than(builder, limit, [*value, value[-1]])
    positive = builder.not_(value[-1])
    chosen = builder.mux(
        over, limit[:width], arithmetic.sign_extend(value, max(width, len(value)))[:width]
    )
    return [builder.and_(positive, bit) for bit in chosen]


def _saturate(builder: CircuitBuilder, value: Bits, width: int) -> Bits:
    """Return a signed value cut to ``width`` signed bits."""
    sign = value[-1]
    fits = builder.not_(builder.any_of([builder.xor(bit, sign) for bit in value[width - 1 : -1]]))
    limit = [*[builder.not_(sign)] * (width - 1), sign]
    return builder.mux(fits, value[:width], limit)
