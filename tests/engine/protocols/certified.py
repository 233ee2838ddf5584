"""A certification of a few random people beside its oracle: for blocks, parts and shares."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.spec import CertificationOutcome, CertificationSpec
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from tests.builders.certification_specs import certification_spec, covariance, limits_on, p_rule
from tests.engine.protocols.both_sides import NONCE, certify_on_both_sides

_THETA = [0, 1 << 18, -(1 << 17)]
COVARIANCE = covariance(Fraction(1, 4))
P_RULE = p_rule(60)
OF_OUTCOMES = limits_on("accuracy_difference", 40)
SPEC = certification_spec(COVARIANCE, P_RULE, OF_OUTCOMES)


def certified(
    spec: CertificationSpec, n: int, workers: int = 1, **options: Any
) -> tuple[CertificationOutcome, CertificationOutcome, CertificationOutcome]:
    """Return the outcomes of modeler, regulator and oracle on ``n`` people of two features."""
    dice = np.random.default_rng(n)
    answers = one_hot(np.arange(n)[:, None] % 2, (3,))
    features = dice.integers(-512, 513, (n, 2))
    labels = dice.integers(0, 3, n).astype(np.uint8)
    oracle = certify_in_the_clear(spec, answers, features, _THETA, NONCE, labels)
    modeler, regulator = deal_records(answers, features, seeded_randomness(n), labels)
    m, r = certify_on_both_sides(spec, modeler, regulator, _THETA, workers=workers, **options)
    return m, r, oracle
