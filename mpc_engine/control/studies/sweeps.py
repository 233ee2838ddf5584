"""Train to a target: which values of c to try for a p%-rule, and which certified model to take.

What is tried next depends on outcomes of certifications alone, and each of those was charged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor, log10, sqrt

from mpc_engine.control.policies.policy import Policy
from mpc_engine.control.studies.training_terms import MAX_POINTS
from mpc_engine.errors import UsageError
from mpc_engine.vocabulary.criteria import CriterionName

POINTS = 5
_STEPS = (Decimal(1), Decimal(3))
_LOOSEST = (80, Decimal("0.1")), (100, Decimal("0.03"))
_FINEST = Decimal("0.00001")


@dataclass(frozen=True)
class Candidate:
    """A trained model as far as it is known.

    ``c``: its largest constraint; ``passed``: largest p%-threshold that it passed, None where it
    passed none; ``failed``: smallest it failed, None where it failed none; both None without a
    verdict. ``certified``: it has a certificate. ``right_per_mille``: accuracy that the data-holder
    computed, None where it is not known.
    """

    model_id: str
    c: Fraction
    passed: Fraction | None
    failed: Fraction | None
    certified: bool
    right_per_mille: int | None


def proposed_ladder(target: Fraction | float, n_points: int = POINTS) -> tuple[str, ...]:
    """Return values of c to try for a p%-rule of ``target`` percent, loosest first.

    They fall in steps of about a half decade, 1 and 3 in turns, from 0.1 (from 0.03 for more than
    80 %): on the data sets of ``docs/protocols/training.md`` 0.1 constrains hardly anything, and
    below 0.001 nothing changes. UsageError for a target or a number out of range.
    """
    if not 0 < target <= 100:
        raise UsageError("A p%-rule is a percentage above 0 and up to 100.")
    if not 1 <= n_points <= MAX_POINTS:
        raise UsageError(f"A sweep has 1 to {MAX_POINTS} points.")
    value = next(start for limit, start in _LOOSEST if target <= limit)
    found: list[str] = []
    while len(found) < n_points and value >= _FINEST:
        found.append(f"{value:f}")
        value = _below(value)
    return tuple(found)


def refined(candidates: Sequence[Candidate], target: Fraction) -> str | None:
    """Return c between the last model that fails and the first that passes, None without both.

    The loosest model that passed ``target`` and the next looser one that failed it; their geometric
    mean, to two digits. None where they are closer than a tenth, or the mean was tried.
    """
    passing = [each for each in candidates if _meets(each, target)]
    if not passing:
        return None
    loosest = max(each.c for each in passing)
    failing = [each.c for each in candidates if _misses(each, target) and each.c > loosest]
    if not failing or min(failing) <= loosest * Fraction(11, 10):
        return None
    middle = _two_digits(sqrt(float(min(failing)) * float(loosest)))
    return None if any(each.c == Fraction(middle) for each in candidates) else middle


def best_certified(candidates: Sequence[Candidate], target: Fraction) -> Candidate | None:
    """Return the most accurate certified model that passed ``target``; the looser c on a tie.

    Models whose accuracy is not known come last, by c.
    """
    passing = [each for each in candidates if each.certified and _meets(each, target)]
    known = [each for each in passing if each.right_per_mille is not None]
    return max(known or passing, key=lambda each: (each.right_per_mille or 0, each.c), default=None)


def threshold_for(policy: Policy, target: Fraction) -> str | None:
    """Return the smallest p%-threshold of a policy that is ``target`` or more, None without one.

    A policy asks at its own thresholds only: a target between two is shown by the next one up.
    """
    for item in policy.criteria:
        if item.criterion == CriterionName.P_RULE:
            return next((each for each in item.thresholds if Fraction(each) >= target), None)
    return None


def _meets(candidate: Candidate, target: Fraction) -> bool:
    return candidate.passed is not None and candidate.passed >= target


def _misses(candidate: Candidate, target: Fraction) -> bool:
    return candidate.failed is not None and candidate.failed <= target


def _below(value: Decimal) -> Decimal:
    """Return the next smaller number of the form 1 or 3 times a power of ten."""
    digit, exponent = value.as_tuple().digits[0], value.adjusted()
    one, three = _STEPS
    return one.scaleb(exponent) if digit > one else three.scaleb(exponent - 1)


def _two_digits(value: float) -> str:
    places = max(0, 1 - floor(log10(value)))
    return f"{value:.{places}f}".rstrip("0").rstrip(".") if places else f"{value:.0f}"
