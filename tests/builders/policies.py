"""Policies for tests, on the attributes of `study_drafts.make_draft`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpc_engine.control.policies.policy import LADDER


def criterion(name: str, *thresholds: str, certify_at: str = "") -> dict[str, Any]:
    """Return a criterion that certifies at its first threshold unless another is named."""
    listed = list(thresholds)
    return {"criterion": name, "thresholds": listed, "certify_at": certify_at or listed[0]}


P_RULE = criterion("p_rule", "70", "80", "90", certify_at="80")
DIFFERENCE = criterion("acceptance_rate_difference", "5", "10", certify_at="10")


def each_pair(
    *criteria: dict[str, Any],
    groups: Sequence[Sequence[str]] = (("age",), ("origin",)),
    **changes: Any,
) -> dict[str, Any]:
    """Return a policy that compares each pair of categories, on `P_RULE` and `DIFFERENCE`."""
    return named_groups(
        *(criteria or (P_RULE, DIFFERENCE)), groups=[list(names) for names in groups], **changes
    )


def named_groups(*criteria: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a policy with the lowest floors, also on crossed groups; on the p%-rule by default."""
    return {
        "criteria": list(criteria) or [criterion("p_rule", "80")],
        "comparison": "each_pair",
        "groups": [["age"], ["origin"], ["age", "origin"]],
        "minimum_group": 2,
        "minimum_decided": 5,
        "minimum_percent": "0",
        "minimum_answers": 1,
        "small_groups": "undetermined",
        "missing_answers": "left_out",
        "disclosure": "verdict",
        **changes,
    }


def bracket(name: str, certify_at: str) -> dict[str, Any]:
    """Return a criterion on the whole ladder."""
    return criterion(name, *LADDER, certify_at=certify_at)
