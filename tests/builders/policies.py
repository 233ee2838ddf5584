"""Policies for tests, on the attributes of `study_drafts.make_draft`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mpc_engine.control.policies.policy import LADDER, MAX_QUESTIONS


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
    """Return a policy with the lowest floors, also on crossed groups; on the p%-rule by default.

    It asks as many questions as can be, and is of the kind that opens what it opens.
    """
    policy = {
        "questions": MAX_QUESTIONS,
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
    return {"kind": kind_of(policy), **policy}


def kind_of(policy: Mapping[str, Any]) -> str:
    """Return the kind of study that a policy fits."""
    opens_a_verdict = (
        (policy["disclosure"], policy["missing_answers"]) == ("verdict", "left_out")
        and policy["small_groups"] != "excluded_and_named"
        and all(len(item["thresholds"]) == 1 for item in policy["criteria"])
    )
    return "verdict" if opens_a_verdict else "published"


def bracket(name: str, certify_at: str) -> dict[str, Any]:
    """Return a criterion on the whole ladder."""
    return criterion(name, *LADDER, certify_at=certify_at)
