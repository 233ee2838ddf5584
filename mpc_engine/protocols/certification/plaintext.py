"""The oracle of certification: the same integers, in the clear."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.covariance import AttributeSums, evaluate_covariance
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
    Verdict,
    read_verdict,
)
from mpc_engine.protocols.model_encoding import model_signature


def certify_in_the_clear(
    spec: CertificationSpec,
    answers: NDArray[np.uint8],
    features: NDArray[np.int64],
    theta: Sequence[int],
    nonce: bytes,
) -> CertificationOutcome:
    """Return what the secure computation must return.

    ``answers`` uint8 (n, entries), one-hot per attribute; ``features`` int64 (n, d), encoded;
    ``theta`` d + 1 encoded integers, intercept first; ``nonce`` 32 bytes.
    """
    if len(theta) != spec.n_features + 1:
        raise UsageError("The model has another number of coefficients than the study.")
    attributes: list[AttributeSums[int]] = []
    start = 0
    for count in spec.entry_counts:
        z = answers[:, start : start + count - 1].astype(np.int64)
        sums = z.T @ features.astype(np.int64)
        attributes.append(
            AttributeSums(
                sums=[[int(value) for value in row] for row in sums],
                counts=[int(value) for value in z.sum(axis=0)],
            )
        )
        start += count
    outcome = evaluate_covariance(PlainAlgebra(), spec.policy, attributes, list(theta[1:]))
    bits = [int(outcome.no_answers), int(outcome.under_floor), *map(int, outcome.passes)]
    verdict, reason, passes = read_verdict(spec, bits)
    signature = model_signature(spec.config_digest, nonce, theta)
    return CertificationOutcome(
        verdict=verdict,
        reason=reason,
        threshold_passes=passes,
        model_signature=signature if verdict is Verdict.PASS else None,
        and_gates=0,
        ots=0,
    )
