"""What the lab's results say of a claim of the paper."""

from __future__ import annotations

from enum import StrEnum


class ClaimVerdict(StrEnum):
    """What the results say of a claim."""

    HOLDS = "holds"
    OURS_ONLY = "holds with our settings only"
    DOES_NOT = "does not hold"
    NOT_JUDGED = "not judged"
