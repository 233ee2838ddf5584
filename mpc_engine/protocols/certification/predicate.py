"""The whole predicate of a policy over sums and counts, for the oracle and for the circuit."""

from __future__ import annotations

from collections.abc import Sequence

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.fairness.covariance import AttributeSums, covariance_bounds
from mpc_engine.fairness.groups import VerdictBits, conclude, size_reasons
from mpc_engine.fairness.p_rule import Selections, nobody_selected, p_rule_bounds
from mpc_engine.protocols.certification.spec import CertificationSpec, CriterionName


def evaluate_policy(
    algebra: IntegerAlgebra[Int, Bit],
    spec: CertificationSpec,
    theta: Sequence[Int],
    sums: Sequence[AttributeSums[Int]] | None,
    selections: Sequence[Selections[Int]] | None,
) -> VerdictBits[Bit]:
    """Evaluate every criterion of the policy.

    ``theta``: d encoded coefficients, without the intercept. ``sums`` is needed for the covariance
    criterion, ``selections`` for the p%-rule; group sizes are taken from either.
    """
    passes: list[tuple[Bit, ...]] = []
    for criterion in spec.criteria:
        if criterion.name is CriterionName.COVARIANCE:
            if sums is None:
                raise ValueError("The covariance criterion needs sums over people.")
            passes.append(
                covariance_bounds(algebra, criterion.thresholds, spec.scale_bits, sums, theta)
            )
        else:
            if selections is None:
                raise ValueError("The p%-rule needs the selected people of every group.")
            passes.append(p_rule_bounds(algebra, criterion.thresholds, spec.comparison, selections))
    if selections is not None:
        reasons = size_reasons(algebra, spec.floors, [item.sizes for item in selections])
        reasons.append(nobody_selected(algebra, selections))
    elif sums is not None:
        reasons = size_reasons(algebra, spec.floors, [item.counts for item in sums])
        reasons.append(algebra.less_than(algebra.constant(0), algebra.constant(0)))
    else:
        raise ValueError("A policy needs sums or selections.")
    return conclude(algebra, reasons, passes)
