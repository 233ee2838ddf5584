"""Policies for tests, on the attributes of `study_drafts.make_draft`."""

from __future__ import annotations

from typing import Any

from mpc_engine.control.policies.policy import LADDER


def criterion(name: str, *thresholds: str, certify_at: str = "") -> dict[str, Any]:
    """Return a criterion that certifies at its first threshold unless another is named."""
    listed = list(thresholds)
    return {"criterion": name, "thresholds": listed, "certify_at": certify_at or listed[0]}


P_RULE = criterion("p_rule", "70", "80", "90", certify_at="80")
COVARIANCE = criterion("covariance", "0.05", "0.1", certify_at="0.1")


def each_pair(
    *criteria: dict[str, Any], minimum_group: int = 1, minimum_answers: int = 1
) -> dict[str, Any]:
    """Return a policy that compares each pair of categories, on `P_RULE` and `COVARIANCE`."""
    return {
        "criteria": list(criteria) or [P_RULE, COVARIANCE],
        "comparison": "each_pair",
        "minimum_group": minimum_group,
        "minimum_answers": minimum_answers,
    }


def named_groups(*criteria: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a policy of form 2, on the p%-rule unless told otherwise."""
    return {
        "form": 2,
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
