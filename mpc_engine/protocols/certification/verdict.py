"""What a certification opens, read in one order for the circuit and for the oracle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from mpc_engine.fairness.discrete_laplace import largest_noise
from mpc_engine.fairness.rates import n_classes
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.certification.tally_circuit import count_width
from mpc_engine.vocabulary.policies import Disclosure, MissingAnswers, SmallGroups
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict

_Rows = tuple[tuple[bool, ...], ...]


@dataclass(frozen=True)
class Opened:
    """The opened part of a `CertificationOutcome`, field by field."""

    verdict: Verdict
    reason: NoVerdict | None
    passes: _Rows
    worst: _Rows
    best: _Rows
    left_out: tuple[bool, ...]
    table: tuple[tuple[int, ...], ...]


def read_opened(spec: CertificationSpec, bits: Sequence[int], n_records: int) -> Opened:
    """Interpret the opened bits.

    One a reason; one a threshold, criterion by criterion, and as many again for the worst and for
    the best case where the policy bounds missing answers; one a group where groups left out are
    named; the counts of every group, low bit first, where the table is opened.
    """
    stream = iter(bits)
    reasons = {reason: bool(next(stream)) for reason in spec.reasons}
    passes = _rows(spec, stream)
    worst = _rows(spec, stream) if spec.bounds_missing else ()
    best = _rows(spec, stream) if spec.bounds_missing else ()
    n_groups = sum(map(len, spec.cells))
    names = spec.floors.small_groups is SmallGroups.EXCLUDED_AND_NAMED
    left_out = tuple(bool(bit) for bit in islice(stream, n_groups)) if names else ()
    table: list[tuple[int, ...]] = []
    for widths in table_widths(spec, n_records):
        table.append(tuple(_number(stream, width) for width in widths))
    reason = next((item for item, bit in reasons.items() if bit), None)
    decisive = worst if spec.missing is MissingAnswers.WORST_CASE_CERTIFIES else passes
    passed = all(
        row[criterion.certify_index] for row, criterion in zip(decisive, spec.criteria, strict=True)
    )
    verdict = Verdict.PASS if passed else Verdict.FAIL
    if reason is not None:
        verdict = Verdict.UNDETERMINED
    return Opened(verdict, reason, passes, worst, best, left_out, tuple(table))


def table_widths(spec: CertificationSpec, n_records: int) -> list[tuple[int, ...]]:
    """Return the bits in which each count of each group is opened; none without a table.

    A count of noised cells can be of more people than there are.
    """
    if spec.disclosure is not Disclosure.TABLE or not spec.counts:
        return []
    if spec.epsilon is None:
        exact = (count_width(n_records),) * len(spec.counts)
        return [exact for cells in spec.cells for _ in cells]
    most = n_records + largest_noise(spec.noise_scale)
    classes = [n_classes(spec.counts, count) for count in spec.counts]
    return [
        tuple((len(part) * each * most).bit_length() for each in classes)
        for parts in spec.parts
        for part in parts
    ]


def _rows(spec: CertificationSpec, stream: Iterator[int]) -> _Rows:
    return tuple(
        tuple(bool(bit) for bit in islice(stream, len(criterion.thresholds)))
        for criterion in spec.criteria
    )


def _number(stream: Iterator[int], width: int) -> int:
    return sum(bit << place for place, bit in enumerate(islice(stream, width)))
