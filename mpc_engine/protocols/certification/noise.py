"""The noise of a certification: each cell of people gets its own, once, before anything reads it.

The cells of a counted grouping are disjoint: its groups, and where missing answers are bounded the
people who are in none of them, each by class (`mpc_engine.fairness.rates.classes_of`: decision and,
as far as it is counted, outcome). A person is in one cell of each grouping, so that another answer
of hers moves two cells by one. What is made of noised cells, every count of a group among it, is
all that the policy is evaluated on. A cell below 0 counts as 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.fairness.discrete_laplace import UNIFORM_BITS, noise, uniform_values
from mpc_engine.fairness.groups import total
from mpc_engine.fairness.rates import classes_of, counts_of_classes
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.vocabulary.rates import Count


def n_noise_bits(spec: CertificationSpec) -> int:
    """Return the uniform bits that each party enters for all cells; 0 where nothing is noised."""
    if spec.epsilon is None:
        return 0
    return spec.n_cells * uniform_values(spec.noise_scale) * UNIFORM_BITS


def drawn(
    algebra: IntegerAlgebra[Int, Bit], spec: CertificationSpec, uniform: Sequence[Int]
) -> list[Int]:
    """Return the noise of every cell, in the order in which `noised` takes it.

    ``uniform``: independent uniform numbers below 2^64, as many as `n_noise_bits` has room for.
    """
    each = uniform_values(spec.noise_scale)
    return [
        noise(algebra, spec.noise_scale, uniform[start : start + each])
        for start in range(0, len(uniform), each)
    ]


def noised(
    algebra: IntegerAlgebra[Int, Bit],
    spec: CertificationSpec,
    counts: Sequence[GroupCounts[Int]],
    noise_of_cells: Sequence[Int],
) -> list[GroupCounts[Int]]:
    """Return the counts of every counted grouping with noise in each of its cells.

    ``noise_of_cells``: grouping by grouping, group by group, those in no group last, class by
    class. Everybody's counts are the sum of a grouping's cells, also where n is public. ValueError
    for more of it than there are cells.
    """
    coming = iter(noise_of_cells)

    def of_group(group: Mapping[Count, Int]) -> dict[Count, Int]:
        sizes = [
            algebra.positive_part(algebra.add(size, next(coming)))
            for size in classes_of(algebra, spec.counts, group)
        ]
        return counts_of_classes(algebra, spec.counts, sizes)

    found = []
    for item in counts:
        groups = tuple(of_group(group) for group in item.groups)
        everybody = None
        if item.everybody is not None:
            outside = of_group(_outside(algebra, item.groups, item.everybody))
            everybody = {
                count: total(algebra, [value, *(group[count] for group in groups)])
                for count, value in outside.items()
            }
        found.append(GroupCounts(groups, everybody))
    if next(coming, None) is not None:
        raise ValueError("There is noise for more cells than there are.")
    return found


def _outside(
    algebra: IntegerAlgebra[Int, Bit],
    groups: Sequence[Mapping[Count, Int]],
    everybody: Mapping[Count, Int],
) -> dict[Count, Int]:
    """Return the counts of people who are in none of the groups."""
    return {
        count: algebra.subtract(value, total(algebra, [group[count] for group in groups]))
        for count, value in everybody.items()
    }
