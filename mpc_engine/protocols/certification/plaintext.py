"""The oracle of certification: the same integers, in the clear."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.covariance import AttributeSums
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.noise import drawn, n_noise_bits, noised
from mpc_engine.protocols.certification.predicate import certifies, evaluate_policy
from mpc_engine.protocols.certification.spec import CertificationOutcome, CertificationSpec
from mpc_engine.protocols.decision import decide
from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.rates import Count
from mpc_engine.vocabulary.verdicts import Verdict


def certify_in_the_clear(
    spec: CertificationSpec,
    answers: NDArray[np.uint8],
    features: NDArray[np.int64],
    theta: Sequence[int],
    nonce: bytes,
    labels: NDArray[np.uint8] | None = None,
    noise_bits: NDArray[np.uint8] | None = None,
) -> CertificationOutcome:
    """Return what the secure computation must return.

    ``answers`` uint8 (n, entries), one-hot per attribute; ``features`` int64 (n, d), encoded;
    ``theta`` d + 1 encoded integers, intercept first; ``nonce`` 32 bytes; ``labels`` uint8 (n,):
    known outcomes, 1 favourable, 2 unknown, needed for rates about outcomes; ``noise_bits`` uint8
    (`n_noise_bits`,): the XOR of what both parties drew, needed where cells are noised.
    """
    if len(theta) != spec.n_features + 1:
        raise UsageError("The model has another number of coefficients than the study.")
    sums: list[AttributeSums[int]] | None = None
    counts: list[GroupCounts[int]] | None = None
    z = answers[:, spec.real_entries.astype(np.int64)].astype(np.int64)
    if spec.criterion(CriterionName.COVARIANCE):
        sums = _sums(spec, z, features.astype(np.int64))
    if spec.rate_criteria:
        counts = _counts(spec, z, _marks(spec, features, theta, labels))
    algebra = PlainAlgebra()
    if counts is not None and spec.epsilon is not None:
        counts = noised(algebra, spec, counts, drawn(algebra, spec, _uniform(spec, noise_bits)))
    judgement = evaluate_policy(algebra, spec, list(theta[1:]), sums, counts)
    bits = judgement.bits
    reason = next((reason for reason in spec.reasons if bits.reasons[reason]), None)
    verdict = Verdict.PASS if certifies(algebra, spec, bits) else Verdict.FAIL
    if reason is not None:
        verdict = Verdict.UNDETERMINED
    signature = model_signature(spec.config_digest, nonce, theta)
    return CertificationOutcome(
        verdict=verdict,
        reason=reason,
        passes=bits.passes,
        model_signature=signature if verdict is Verdict.PASS else None,
        and_gates=0,
        ots=0,
        worst=bits.worst,
        best=bits.best,
        left_out=judgement.left_out,
        table=judgement.table,
    )


def _sums(
    spec: CertificationSpec, z: NDArray[np.int64], features: NDArray[np.int64]
) -> list[AttributeSums[int]]:
    sums: list[AttributeSums[int]] = []
    start = 0
    for count in spec.category_counts:
        own = z[:, start : start + count]
        rows = [[int(value) for value in row] for row in own.T @ features]
        sums.append(AttributeSums(rows, [int(value) for value in own.sum(axis=0)]))
        start += count
    return sums


def _uniform(spec: CertificationSpec, noise_bits: NDArray[np.uint8] | None) -> list[int]:
    """Return the numbers that the noise is drawn by, low bit first."""
    if noise_bits is None or noise_bits.shape != (n_noise_bits(spec),):
        raise UsageError("The noise is drawn by as many bits as its coins take.")
    numbers = np.packbits(noise_bits, bitorder="little").view("<u8")
    return [int(number) for number in numbers]


def _marks(
    spec: CertificationSpec,
    features: NDArray[np.int64],
    theta: Sequence[int],
    labels: NDArray[np.uint8] | None,
) -> dict[Count, NDArray[np.bool_]]:
    """Return for each count which people it is of."""
    selected = np.array(
        [bool(decide(theta, [int(v) for v in row], spec.x_frac_bits)) for row in features],
        dtype=np.bool_,
    )
    marks = {Count.SIZE: np.ones_like(selected), Count.SELECTED: selected}
    if spec.uses_outcomes:
        if labels is None:
            raise UsageError("These rates need people's outcomes.")
        marks[Count.TRUE_POSITIVES] = selected & (labels == 1)
        marks[Count.FALSE_POSITIVES] = selected & (labels == 0)
        marks[Count.TRUE_NEGATIVES] = ~selected & (labels == 0)
        marks[Count.FALSE_NEGATIVES] = ~selected & (labels == 1)
    return marks


def _counts(
    spec: CertificationSpec, z: NDArray[np.int64], marks: dict[Count, NDArray[np.bool_]]
) -> list[GroupCounts[int]]:
    everybody = {count: int(marks[count].sum()) for count in spec.counts}
    groupings = []
    for number in spec.counted:
        members = [z[:, list(cell)].all(axis=1) for cell in spec.cells[number]]
        groups = tuple(
            {count: int((marks[count] & group).sum()) for count in spec.counts} for group in members
        )
        groupings.append(GroupCounts(groups, everybody if spec.bounds_missing else None))
    return groupings
