"""How many people a policy's groups need, as far as that can be known before anybody is counted."""

from __future__ import annotations

import math

from mpc_engine.control.policies.compared_groups import groupings_of
from mpc_engine.control.policies.policy import Policy
from mpc_engine.control.policies.study_terms import Attribute
from mpc_engine.vocabulary.policies import SmallGroups


def n_finest_groups(policy: Policy, attributes: tuple[Attribute, ...]) -> int:
    """Return how many groups the policy's finest division has: everybody who answers is in one."""
    return max(
        math.prod(len(attribute.categories) for attribute in grouping)
        for grouping in groupings_of(policy, attributes)
    )


def least_decided(policy: Policy) -> int:
    """Return how many people a compared group needs so that there can be a verdict.

    The selected and the others are both to be ``minimum_decided`` or more.
    """
    return 2 * policy.minimum_decided


def sizes_without_verdict(policy: Policy) -> tuple[int, int] | None:
    """Return the least and the most people of a group that is compared and ends every verdict.

    None unless the policy leaves small groups out, and ``minimum_group`` is too small for that.
    """
    least = least_decided(policy)
    if policy.small_groups == SmallGroups.UNDETERMINED or policy.minimum_group >= least:
        return None
    return policy.minimum_group, least - 1


def hides_together(policy: Policy, attributes: tuple[Attribute, ...]) -> bool:
    """Return whether one group of an opened table that can't be told hides all of them."""
    return policy.opens_table and len(groupings_of(policy, attributes)) > 1
