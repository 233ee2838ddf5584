"""Public parameters of a certification and the widths that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mpc_engine.fairness.covariance import CovariancePolicy
from mpc_engine.secure_ops.bound_reentry import sum_width_bits
from mpc_engine.secure_ops.row_sums import row_width_bits


class Verdict(str, Enum):
    """The outcome of a certification."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNDETERMINED = "UNDETERMINED"


class Reason(str, Enum):
    """Why there is no verdict; NONE with PASS and FAIL."""

    NONE = ""
    NO_ANSWERS = "NO_ANSWERS"
    GROUP_UNDER_FLOOR = "GROUP_UNDER_FLOOR"


SECURITY_MODEL = (
    "covariance: malicious modeler (OT consistency 2^-40, bound re-entry 2^-61), "
    "semi-honest regulator, no collusion"
)
"""Under what a certificate's criterion was checked; see docs/protocols/security.md."""


@dataclass(frozen=True)
class CertificationSpec:
    """What both parties know beforehand.

    ``entry_counts``: entries of each attribute, "prefer not to say" included and last;
    ``feature_ranges``: inclusive ranges of the encoded features; ``thresholds``: increasing.
    """

    config_digest: bytes
    n_features: int
    x_frac_bits: int
    theta_bits: int
    theta_frac_bits: int
    entry_counts: tuple[int, ...]
    feature_ranges: tuple[tuple[int, int], ...]
    thresholds: tuple[Fraction, ...]
    certify_at: Fraction
    minimum_group: int

    @property
    def category_counts(self) -> tuple[int, ...]:
        """Return the real categories of each attribute."""
        return tuple(count - 1 for count in self.entry_counts)

    @property
    def summed_entries(self) -> NDArray[np.uint64]:
        """Return the numbers of the entries that are summed over, uint64 (J,)."""
        numbers: list[int] = []
        start = 0
        for count in self.entry_counts:
            numbers.extend(range(start, start + count - 1))
            start += count
        return np.array(numbers, dtype=np.uint64)

    @property
    def policy(self) -> CovariancePolicy:
        """Return the criterion's parameters."""
        return CovariancePolicy(
            category_counts=self.category_counts,
            thresholds=self.thresholds,
            minimum_group=self.minimum_group,
            scale_bits=self.x_frac_bits + self.theta_frac_bits,
        )

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

    ``threshold_passes`` has one bit per threshold; ``and_gates`` and ``ots`` are public costs.
    """

    verdict: Verdict
    reason: Reason
    threshold_passes: tuple[bool, ...]
    model_signature: bytes | None
    and_gates: int
    ots: int


def read_verdict(
    spec: CertificationSpec, bits: Sequence[int]
) -> tuple[Verdict, Reason, tuple[bool, ...]]:
    """Interpret the verdict bits: no answers, under the floor, then one pass bit a threshold."""
    passes = tuple(bool(bit) for bit in bits[2:])
    if bits[0]:
        return Verdict.UNDETERMINED, Reason.NO_ANSWERS, passes
    if bits[1]:
        return Verdict.UNDETERMINED, Reason.GROUP_UNDER_FLOOR, passes
    passed = passes[spec.thresholds.index(spec.certify_at)]
    return (Verdict.PASS if passed else Verdict.FAIL), Reason.NONE, passes
