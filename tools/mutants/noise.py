"""What keeps a noised certification within its epsilon, and its cells drawn once."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_NOISE = "mpc_engine/protocols/certification/noise.py"
_SPEC = "mpc_engine/protocols/certification/spec.py"
_COINS = "mpc_engine/fairness/discrete_laplace.py"
_EPSILON = "tests/engine/protocols/test_noise_epsilon.py"
_NOISED = "tests/engine/protocols/test_noised_certification.py"
_MANY = f"{_NOISED}::test_circuit_and_oracle_equal_the_reference_on_many_draws"
_PLAUSIBLE = "tests/engine/protocols/test_plausible.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "sizes-without-noise",
        "floors on people and on answers read noised cells",
        _NOISE,
        "        return counts_of_classes(algebra, spec.counts, sizes)",
        "        found = counts_of_classes(algebra, spec.counts, sizes)\n"
        "        return {**found, Count.SIZE: group[Count.SIZE]}",
        f"{_EPSILON}::test_no_outcome_is_more_likely_by_more_than_epsilon"
        "[verdict-at the smallest group]",
    ),
    Mutant(
        "selected-drawn-again",
        "every criterion reads one draw of a cell",
        _NOISE,
        "        return counts_of_classes(algebra, spec.counts, sizes)",
        "        again = algebra.add(group[Count.SELECTED], noise_of_cells[0])\n"
        "        found = counts_of_classes(algebra, spec.counts, sizes)\n"
        "        return {**found, Count.SELECTED: algebra.positive_part(again)}",
        f"{_MANY}[apart-left_out]",
    ),
    Mutant(
        "silent-people-without-noise",
        "who is in no group is counted with noise",
        _NOISE,
        "            outside = of_group(_outside(algebra, item.groups, item.everybody))",
        "            outside = _outside(algebra, item.groups, item.everybody)",
        f"{_MANY}[apart-worst_case_certifies]",
    ),
    Mutant(
        "cells-below-zero",
        "a noised cell below 0 counts as 0",
        _NOISE,
        "            algebra.positive_part(algebra.add(size, next(coming)))",
        "            algebra.add(size, next(coming))",
        f"{_NOISED}::test_a_cell_below_zero_counts_as_nobody",
    ),
    Mutant(
        "noise-of-the-modeler-alone",
        "each uniform bit is the XOR of both parties'",
        "mpc_engine/protocols/certification/circuit.py",
        "    bits = [builder.xor(*pair) for pair in zip(own, other, strict=True)]",
        "    bits = [pair[0] for pair in zip(own, other, strict=True)]",
        f"{_NOISED}::test_either_partys_bit_changes_the_draw",
    ),
    Mutant(
        "noise-of-the-regulator-alone",
        "each uniform bit is the XOR of both parties', also to the regulator",
        "mpc_engine/protocols/certification/circuit.py",
        "    bits = [builder.xor(*pair) for pair in zip(own, other, strict=True)]",
        "    bits = [pair[1] for pair in zip(own, other, strict=True)]",
        f"{_NOISED}::test_either_partys_bit_changes_the_draw",
    ),
    Mutant(
        "regulators-half-of-zeros",
        "the modeler does not know the regulator's half of the draw",
        "mpc_engine/protocols/certification/protocol.py",
        "        own_bits = session.rng.bits(sizes.noise_wires)",
        "        own_bits = np.zeros(sizes.noise_wires, dtype=np.uint8)",
        f"{_NOISED}::test_noised_verdicts_equal_oracle_and_reference[p_rule]",
    ),
    Mutant(
        "noise-half-as-wide",
        "a digit's coin has the chance that its place and the scale give",
        _COINS,
        "    low, high = exponential_bounds(1 / scale, precision)",
        "    low, high = exponential_bounds(2 / scale, precision)",
        f"{_EPSILON}::test_no_outcome_is_more_likely_by_more_than_epsilon[verdict-selected]",
    ),
    Mutant(
        "coins-rounded-down",
        "a coin's constant is the nearest one",
        _COINS,
        "((unit << UNIFORM_BITS + 1) + unit + power)",
        "(unit << UNIFORM_BITS + 1)",
        "tests/engine/fairness/test_discrete_laplace.py::test_coins_are_the_nearest_whole_numbers",
    ),
    Mutant(
        "divisions-not-added-up",
        "noise grows with the number of divisions that one answer is counted in",
        _SPEC,
        "        return Fraction(2 * len(self.counted)) / self._noise_epsilon",
        "        return Fraction(2) / self._noise_epsilon",
        f"{_NOISED}::test_the_noise_of_a_cell_grows_with_the_divisions_that_are_counted",
    ),
    Mutant(
        "covariance-beside-noise",
        "no exact sum over people is beside noised cells",
        _SPEC,
        "        if Bound.COVARIANCE in bounds:",
        "        if False:",
        f"{_NOISED}::test_noise_of_what_is_not_made_of_cells_is_refused",
        shows="Regex pattern did not match",
    ),
    Mutant(
        "noised-table-of-anybody",
        "no table leaves of more people than there are and noise can add",
        "mpc_engine/protocols/certification/plausible.py",
        "            max(size - added, 0)",
        "            max(size - 2 * added, 0)",
        f"{_PLAUSIBLE}::test_of_noised_cells_a_table_may_be_of_as_many_more_as_noise_can_add",
    ),
    Mutant(
        "empty-classes-of-noise",
        "a class that nobody is in ends no noised verdict",
        _SPEC,
        "        return self.uses_outcomes and self.epsilon is None",
        "        return self.uses_outcomes",
        f"{_NOISED}::test_rates_on_outcomes_are_decided_also_where_every_outcome_is_known",
    ),
)
