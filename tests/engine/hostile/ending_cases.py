"""A small certification and a verification, for attacks on how they end."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.spec import CertificationSpec, Criterion
from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.policies import Comparison

THETA = [3, 1 << 18, -(1 << 17)]
NONCE = bytes(range(32))
N_PEOPLE = 12
_COVARIANCE = Criterion(CriterionName.COVARIANCE, (Fraction(1, 100),), Fraction(1, 100))
_P_RULE = Criterion(CriterionName.P_RULE, (Fraction(60), Fraction(80)), Fraction(80))
COVARIANCE = CertificationSpec(
    config_digest=b"\x21" * 32,
    n_features=2,
    x_frac_bits=8,
    theta_bits=24,
    theta_frac_bits=16,
    entry_counts=(3,),
    feature_ranges=((-512, 512), (-512, 512)),
    criteria=(_COVARIANCE,),
    comparison=Comparison.EACH_PAIR,
    floors=Floors(1, 1, 1),
)
RATES = replace(COVARIANCE, criteria=(_P_RULE,))
CHALLENGED = VerificationSpec(b"\x21" * 32, 2, 8, 24, ((-512, 512), (-512, 512)))
SIGNATURE = model_signature(b"\x21" * 32, NONCE, THETA)
CHALLENGE = [([100, -50], 1)]
ANSWERS = one_hot((np.arange(N_PEOPLE) % 2)[:, None], (3,))
FEATURES = np.random.default_rng(4).integers(-512, 513, (N_PEOPLE, 2))
HELD = deal_records(ANSWERS, FEATURES, seeded_randomness(9))
"""The modeler's records and the regulator's."""
