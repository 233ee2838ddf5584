"""Which outcomes honest parties can have: what the modeler checks before it lets one out.

The regulator garbles, so it could make an output say anything of the modeler's secrets. The modeler
opens its labels only if what they say is the outcome of some cohort: then the regulator learns, of
anything, no more than which of these it is. Everything is looked at whatever comes before, so that
the time until a refusal tells nothing about which part was wrong.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import DisputedError
from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.discrete_laplace import largest_noise
from mpc_engine.fairness.rates import classes_of
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.predicate import evaluate_policy
from mpc_engine.protocols.certification.spec import CertificationSpec, Criterion
from mpc_engine.protocols.certification.verdict import Opened, read_opened
from mpc_engine.vocabulary.policies import Disclosure, MissingAnswers, SmallGroups
from mpc_engine.vocabulary.rates import Count
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict


def require_plausible(
    spec: CertificationSpec,
    opened: NDArray[np.uint8],
    signature: bytes,
    own_signature: bytes,
    n_records: int,
) -> Opened:
    """Return what opened bits uint8 (w,) say, if some cohort of ``n_records`` has that outcome.

    ``signature``: the 32 bytes of the signature's wires, ``own_signature`` that of the model which
    was entered: it must be there on PASS, and zeros otherwise. Raises DisputedError
    ``OUTCOME_IMPLAUSIBLE``.
    """
    bits = [int(bit) for bit in opened]
    said = read_opened(spec, bits, n_records)
    expected = own_signature if said.verdict is Verdict.PASS else bytes(len(own_signature))
    n_reasons = sum(bits[: len(spec.reasons)])
    agrees = (
        hmac.compare_digest(signature, expected),
        n_reasons <= 1,
        _rows_agree(spec, said, decided=n_reasons == 0),
        _left_out_agrees(spec, said),
        _table_agrees(spec, said, n_records),
    )
    if not all(agrees):
        raise DisputedError(
            "The regulator's circuit gave an outcome that no cohort has.",
            code="OUTCOME_IMPLAUSIBLE",
        )
    return said


def _rows_agree(spec: CertificationSpec, said: Opened, *, decided: bool) -> bool:
    """Return whether no threshold passes without a verdict, nor where a gentler one fails."""
    all_rows = (said.passes, said.worst, said.best)
    if not decided:
        return not any(bit for rows in all_rows for row in rows for bit in row)
    monotone = all(
        _is_monotone(criterion, row)
        for rows in all_rows
        for criterion, row in zip(spec.criteria, rows, strict=False)
    )
    if not spec.bounds_missing:
        return monotone
    ordered = all(
        worst <= point <= best
        for three in zip(said.worst, said.passes, said.best, strict=True)
        for worst, point, best in zip(*three, strict=True)
    )
    return monotone and ordered


def _is_monotone(criterion: Criterion, row: tuple[bool, ...]) -> bool:
    """A ratio that keeps a threshold keeps every lower one; any other bound every higher one."""
    rising = [bit for _, bit in sorted(zip(criterion.thresholds, row, strict=True))]
    if criterion.name.is_stricter_above:
        rising.reverse()
    return all(stricter <= gentler for stricter, gentler in pairwise(rising))


def _left_out_agrees(spec: CertificationSpec, said: Opened) -> bool:
    """With a verdict two groups or more of each grouping are left to be compared."""
    if spec.floors.small_groups is not SmallGroups.EXCLUDED_AND_NAMED:
        return True
    start, enough = 0, True
    for cells in spec.cells:
        left = said.left_out[start : start + len(cells)]
        enough &= left.count(False) >= 2
        start += len(cells)
    if said.reason is NoVerdict.TOO_FEW_ANSWERS:
        return True
    return enough != (said.reason is NoVerdict.TOO_FEW_GROUPS)


def _table_agrees(spec: CertificationSpec, said: Opened, n_records: int) -> bool:
    """Every group is hidden, or has counts of some ``n_records`` people, none under its floor.

    Of several groupings all groups that were counted are shown or none is; without a verdict none
    is. From all of them everything else that is said follows.
    """
    if spec.disclosure is not Disclosure.TABLE or not spec.counts:
        return True
    rows = iter(said.table)
    divisions = [
        [dict(zip(spec.counts, next(rows), strict=True)) for _ in cells] for cells in spec.cells
    ]
    counted = [divisions[number] for number in spec.counted]
    follows = _follows(spec, said, counted)
    groups = [group for division in counted for group in division]
    shown = [group for group in groups if any(group.values())]
    all_shown = len(shown) == len(groups)
    if said.reason is not None or (len(spec.cells) > 1 and not all_shown):
        return not any(any(row) for row in said.table)
    smallest, floor = spec.floors.minimum_group, spec.floors.minimum_decided
    classes = [classes_of(PlainAlgebra(), spec.counts, group) for group in shown]
    return (
        _fits(spec, counted, n_records)
        and (follows or not all_shown)
        and all(group[Count.SIZE] >= smallest for group in shown)
        and all(_is_of_people(group, floor) for group in shown)
        and all(_agrees(spec, sizes, floor) for sizes in zip(*classes, strict=True))
    )


def _fits(
    spec: CertificationSpec, counted: Sequence[Sequence[Mapping[Count, int]]], n_records: int
) -> bool:
    """Return whether each division can be of ``n_records`` people, some of them in no group.

    Of noised cells, each of as many people as there are more than can have been added.
    """
    added = 0 if spec.epsilon is None else largest_noise(spec.noise_scale)
    return all(
        sum(
            max(size - added, 0)
            for group in division
            for size in classes_of(PlainAlgebra(), spec.counts, group)
        )
        <= n_records
        for division in counted
    )


def _agrees(spec: CertificationSpec, sizes: Sequence[int], floor: int) -> bool:
    """Return whether a class can have these sizes in the groups that are shown."""
    if spec.epsilon is not None:
        return min(sizes) >= 0
    return min(sizes) >= floor or not any(sizes)


def _follows(
    spec: CertificationSpec, said: Opened, counted: Sequence[Sequence[Mapping[Count, int]]]
) -> bool:
    """Return whether verdicts on rates, groups left out and sums are those of the counts shown.

    Bounds on missing answers, and the covariance, rest on what a table does not tell.
    """
    rates = tuple(criterion for criterion in spec.criteria if criterion.name.rates)
    asked = replace(spec, criteria=rates, missing=MissingAnswers.LEFT_OUT)
    counts = [GroupCounts(tuple(division), None) for division in counted]
    found = evaluate_policy(PlainAlgebra(), asked, (), None, counts)
    passes = tuple(
        row
        for criterion, row in zip(spec.criteria, said.passes, strict=True)
        if criterion.name.rates
    )
    return (
        not any(found.bits.reasons.values())
        and found.bits.passes == passes
        and found.left_out == said.left_out
        and found.table == said.table
    )


def _is_of_people(group: dict[Count, int], floor: int) -> bool:
    """Return whether no printed count is under the floor; sizes of classes are looked at apart."""
    others = group[Count.SIZE] - group[Count.SELECTED]
    return min(others, *(n for count, n in group.items() if count is not Count.SIZE)) >= floor
