"""Public parameters of a certification and the widths that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.fairness.groups import Floors, NoVerdict
from mpc_engine.fairness.p_rule import Comparison
from mpc_engine.secure_ops.bound_reentry import sum_width_bits
from mpc_engine.secure_ops.row_sums import row_width_bits


class Verdict(StrEnum):
    """The outcome of a certification."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNDETERMINED = "UNDETERMINED"


class CriterionName(StrEnum):
    """The criteria of this version."""

    COVARIANCE = "covariance"
    P_RULE = "p_rule"


@dataclass(frozen=True)
class Criterion:
    """One criterion of a policy and the thresholds asked about.

    Covariance: increasing bounds on ``abs(A_j theta)`` in units of the score. p%-rule: increasing
    percentages. ``certify_at`` is the threshold that a certificate needs.
    """

    name: CriterionName
    thresholds: tuple[Fraction, ...]
    certify_at: Fraction

    @property
    def certify_index(self) -> int:
        """Return the position of ``certify_at`` among the thresholds."""
        return self.thresholds.index(self.certify_at)


SECURITY_MODELS = {
    CriterionName.COVARIANCE: (
        "malicious modeler (bound re-entry 2^-61, OT consistency 2^-94), semi-honest regulator"
    ),
    CriterionName.P_RULE: (
        "malicious modeler (keyed products, bound re-entry 2^-61, OT consistency 2^-94), "
        "semi-honest regulator"
    ),
}
"""Under what each criterion is checked; certificates carry it (docs/protocols/security.md)."""


@dataclass(frozen=True)
class CertificationSpec:
    """What both parties know beforehand.

    ``entry_counts``: entries of each attribute, "prefer not to say" included and last;
    ``feature_ranges``: inclusive ranges of the encoded features.
    """

    config_digest: bytes
    n_features: int
    x_frac_bits: int
    theta_bits: int
    theta_frac_bits: int
    entry_counts: tuple[int, ...]
    feature_ranges: tuple[tuple[int, int], ...]
    criteria: tuple[Criterion, ...]
    comparison: Comparison
    floors: Floors

    def __post_init__(self) -> None:
        names = [criterion.name for criterion in self.criteria]
        if not names or len(set(names)) != len(names):
            raise UsageError("A policy has one or more criteria, each once.")

    def criterion(self, name: CriterionName) -> Criterion | None:
        """Return the criterion of a name, or None where the policy does not have it."""
        return next((item for item in self.criteria if item.name is name), None)

    @property
    def category_counts(self) -> tuple[int, ...]:
        """Return the real categories of each attribute."""
        return tuple(count - 1 for count in self.entry_counts)

    @property
    def real_entries(self) -> NDArray[np.uint64]:
        """Return the numbers of the entries that stand for a category, uint64 (J,)."""
        numbers: list[int] = []
        start = 0
        for count in self.entry_counts:
            numbers.extend(range(start, start + count - 1))
            start += count
        return np.array(numbers, dtype=np.uint64)

    @property
    def scale_bits(self) -> int:
        """Return the fractional bits of a score ``x theta``."""
        return self.x_frac_bits + self.theta_frac_bits

    def row_width(self, n_records: int) -> int:
        """Return l: the ring width of a sum over ``n_records`` people."""
        largest = max(max(abs(low), abs(high)) for low, high in self.feature_ranges)
        return row_width_bits(largest, n_records)

    def sum_width(self, n_records: int) -> int:
        """Return B: the bits in which the modeler enters a sum; UsageError if not below 61."""
        return sum_width_bits(self.row_width(n_records), n_records)


@dataclass(frozen=True)
class CertificationOutcome:
    """What a party learns. ``model_signature``: the regulator's, on PASS only.

    ``passes`` has one bit per criterion and threshold; ``and_gates`` and ``ots`` are public costs.
    """

    verdict: Verdict
    reason: NoVerdict | None
    passes: tuple[tuple[bool, ...], ...]
    model_signature: bytes | None
    and_gates: int
    ots: int


def read_verdict(
    spec: CertificationSpec, bits: Sequence[int]
) -> tuple[Verdict, NoVerdict | None, tuple[tuple[bool, ...], ...]]:
    """Interpret the verdict bits: one a reason, then one a threshold, criterion by criterion."""
    reasons, rest = bits[: len(NoVerdict)], list(bits[len(NoVerdict) :])
    passes: list[tuple[bool, ...]] = []
    for criterion in spec.criteria:
        row, rest = rest[: len(criterion.thresholds)], rest[len(criterion.thresholds) :]
        passes.append(tuple(bool(bit) for bit in row))
    for reason in NoVerdict:
        if reasons[reason]:
            return Verdict.UNDETERMINED, reason, tuple(passes)
    passed = all(
        row[criterion.certify_index] for row, criterion in zip(passes, spec.criteria, strict=True)
    )
    return (Verdict.PASS if passed else Verdict.FAIL), None, tuple(passes)
