"""The oracle of certification: the same integers, in the clear."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.covariance import AttributeSums
from mpc_engine.fairness.p_rule import Selections
from mpc_engine.protocols.certification.predicate import evaluate_policy
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
    CriterionName,
    Verdict,
    read_verdict,
)
from mpc_engine.protocols.decision import decide
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
    selected = np.array(
        [decide(theta, [int(v) for v in row], spec.x_frac_bits) for row in features]
    )
    sums: list[AttributeSums[int]] = []
    selections: list[Selections[int]] = []
    start = 0
    for count in spec.entry_counts:
        z = answers[:, start : start + count - 1].astype(np.int64)
        sizes = [int(value) for value in z.sum(axis=0)]
        rows = [[int(value) for value in row] for row in z.T @ features.astype(np.int64)]
        sums.append(AttributeSums(rows, sizes))
        selections.append(Selections([int(value) for value in z.T @ selected], sizes))
        start += count
    outcome = evaluate_policy(
        PlainAlgebra(),
        spec,
        list(theta[1:]),
        sums if spec.criterion(CriterionName.COVARIANCE) else None,
        selections if spec.criterion(CriterionName.P_RULE) else None,
    )
    bits = [int(bit) for bit in outcome.reasons]
    bits += [int(bit) for row in outcome.passes for bit in row]
    verdict, reason, passes = read_verdict(spec, bits)
    signature = model_signature(spec.config_digest, nonce, theta)
    return CertificationOutcome(
        verdict=verdict,
        reason=reason,
        passes=passes,
        model_signature=signature if verdict is Verdict.PASS else None,
        and_gates=0,
        ots=0,
    )
