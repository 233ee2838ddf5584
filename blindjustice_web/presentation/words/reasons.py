"""Why a certification has no verdict, in words."""

from __future__ import annotations

from django.utils.translation import gettext as _


def reason_sentence(reason: str) -> str:
    """Return a reason code in words; "" where the verdict needs none."""
    known = {
        "": "",
        "TOO_FEW_ANSWERS": _("Fewer people answered a question than the policy asks for."),
        "GROUP_EMPTY": _(
            "Nobody belongs to one of the groups, so there is nobody to compare with."
        ),
        "GROUP_UNDER_FLOOR": _(
            "A group is smaller than the policy asks for, so nothing is said about it."
        ),
        "TOO_FEW_GROUPS": _(
            "Fewer than two groups are as large as the policy asks for, so nothing is compared."
        ),
        "NO_CASES": _(
            "In one of the groups there is nobody whom a rate of the policy is about, so the group "
            "has no such rate."
        ),
        "RATE_ZERO": _(
            "A rate that the policy compares is zero in every group, so there is no ratio."
        ),
        "NOBODY_SELECTED": _(
            "The model decides in nobody's favour, so there are no rates to compare."
        ),
    }
    return known.get(reason, reason)
