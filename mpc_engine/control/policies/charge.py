"""What a certification can tell about people, in bits: the charge of the ledger."""

from __future__ import annotations

import math

from mpc_engine.control.policies.policy import Policy
from mpc_engine.vocabulary.policies import MissingAnswers


def n_outcomes(policy: Policy) -> int:
    """Return how many different verdicts a certification can have.

    Thresholds rise, so a criterion's passes are known once their number is; with bounds on missing
    answers, so are those of the worst and of the best case.
    """
    times = 1 if policy.missing_answers == MissingAnswers.LEFT_OUT else 3
    ways = math.prod(len(item.thresholds) + 1 for item in policy.criteria)
    return ways**times + len(policy.reasons)


def certification_bits(policy: Policy, n_groups: int, n_people: int) -> float:
    """Return log2 of the number of answers that a certification of ``n_people`` can give.

    Naming groups under the floor can tell a bit a group; an opened table every count.
    """
    bits = math.log2(n_outcomes(policy))
    if policy.names_small_groups:
        bits += n_groups
    if policy.opens_table:
        bits += n_groups * len(policy.counts) * math.log2(n_people + 1)
    return bits
