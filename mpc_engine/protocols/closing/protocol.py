"""The closing protocol: one agreed, valid cohort, known equally to both parties.

1. Each sends its list of (record, sequence, digest of C); both compute the agreed list, and compare
   it and the configuration: a difference is a fault, and nothing has run.
2. A run in which the regulator garbles, then one in which the modeler does (`one_run`). Each sends
   with its own promises of the output labels, and what they stand for. No label goes back.
3. Both commit to a hash over both runs and open it (`equality`). Equal: the cohort is closed.
   Different: it never is, whoever deviated.

Each party learns which agreed records are valid (1 for every honest row), and one that deviates at
most one bit more, once: whether the other one saw the same.
Bytes: lists 52 a record each way, both runs, and 512 with signatures.
Source: the project's constructions page, section "Closing twice".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mpc_engine.errors import ProtocolViolationError, UsageError
from mpc_engine.protocols.closing.equality import KeptPart, compare_runs, settle_run, value_of
from mpc_engine.protocols.closing.one_run import (
    Evaluated,
    OwnCircuit,
    evaluate_run,
    garble_run,
)
from mpc_engine.protocols.closing.record_list import (
    JudgedList,
    ListedShare,
    ListEntry,
    agree,
    decode_entries,
    encode_entries,
    record_set_digest,
)
from mpc_engine.protocols.ending.signed_line import SignedLine, first_digest
from mpc_engine.protocols.keeping import ClosingTerms
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import GARBLER, Role
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.vocabulary.runs import Stage
from mpc_engine.wire.codec import u32

_MAX_LIST_BYTES = 52 * 8_000_000
_KIND = "closing"


@dataclass(frozen=True, repr=False)
class ClosingOutcome:
    """The closed cohort of one party; the first field and the counts are equal on both sides."""

    record_set: bytes
    records: HeldRecords
    n_invalid: int
    n_disagreed: int


def run_closing(
    ctx: JobContext,
    layout: EnvelopeLayout,
    held: list[ListedShare],
    peer_receipts: set[ListEntry],
    terms: ClosingTerms,
) -> ClosingOutcome:
    """Close a cohort; ``held`` has every share this party signed a receipt for.

    An outcome of nobody is one too, and as final. Raises UsageError ``NO_RECORDS`` when nobody is
    on both lists; ProtocolViolationError (``LISTS_DIFFER``, ``RECEIPT_WITHDRAWN``) when lists
    contradict each other; ClosingDisagreedError and others as of `equality.settle_run`.
    """
    own = {item.entry for item in held}
    entries, n_disagreed = _exchange_lists(ctx, own, peer_receipts)
    if not entries:
        raise UsageError("No record was accepted by both parties.", code="NO_RECORDS")
    lists = _compare_lists(ctx, layout, entries, n_disagreed)
    signed = SignedLine(
        ctx.channel, ctx.role, terms.signatures, first_digest(_KIND, ctx.job_digest)
    )
    by_entry = {item.entry: item.share for item in held}
    records = HeldRecords.from_shares([by_entry[entry] for entry in entries])
    own_circuit, evaluated = _run_twice(ctx, layout, records, signed)
    value = value_of(ctx, lists, own_circuit, evaluated)
    judged = JudgedList(entries, evaluated.values.tobytes(), n_disagreed)
    compare_runs(ctx, terms, signed, value, judged, records)
    return _outcome(layout, judged, records)


def closed_cohort(layout: EnvelopeLayout, part: bytes, records: HeldRecords) -> ClosingOutcome:
    """Return what comes of a kept part once both sides have opened the same.

    ``records``: all that were kept with it.
    """
    return _outcome(layout, JudgedList.decode(KeptPart.decode(part).judged), records)


def openings_agree(part: bytes) -> bool:
    """Return whether both openings are the same, by a kept part that has the other side's."""
    return KeptPart.decode(part).agrees


def without_judged(part: bytes) -> bytes:
    """Return a kept part without which rows its side saw as valid: all that is sent again."""
    return replace(KeptPart.decode(part), judged=b"").encode()


def _outcome(layout: EnvelopeLayout, judged: JudgedList, records: HeldRecords) -> ClosingOutcome:
    valid = np.frombuffer(judged.valid, dtype=np.uint8).astype(bool)
    kept = [judged.entries[place] for place in np.flatnonzero(valid)]
    return ClosingOutcome(
        record_set=record_set_digest(layout.config_digest, kept),
        records=records.select(valid),
        n_invalid=len(judged.entries) - len(kept),
        n_disagreed=judged.n_disagreed,
    )


def _run_twice(
    ctx: JobContext, layout: EnvelopeLayout, records: HeldRecords, signed: SignedLine
) -> tuple[OwnCircuit, Evaluated]:
    """Run both directions, the regulator's circuit first."""
    n_runs = len(Role)
    ctx.progress(Stage.CHECKING_ANSWERS, 0, n_runs * len(records))
    made: list[OwnCircuit] = []
    seen: list[Evaluated] = []
    for number, garbler in enumerate((GARBLER, GARBLER.peer), 1):
        if ctx.role is garbler:
            made.append(garble_run(ctx, layout, records, signed))
        else:
            seen.append(evaluate_run(ctx, layout, records, signed))
        ctx.progress(Stage.CHECKING_ANSWERS, number * len(records), n_runs * len(records))
    return made[0], seen[0]


def settle_closing(ctx: JobContext, terms: ClosingTerms, part: bytes) -> None:
    """Open again what was committed to in an earlier attempt; ``part`` as it was kept.

    Returns if both sides opened the same; `closed_cohort` gives what comes of it. Errors as
    of `equality.settle_run`.
    """
    settle_run(ctx.channel, ctx.role, terms, KeptPart.decode(part))


def _exchange_lists(
    ctx: JobContext, own: set[ListEntry], peer_receipts: set[ListEntry]
) -> tuple[list[ListEntry], int]:
    ctx.channel.send(ProtocolTag.RECORD_LIST, encode_entries(own))
    peer = decode_entries(ctx.channel.recv(ProtocolTag.RECORD_LIST, limit=_MAX_LIST_BYTES))
    return agree(own, peer, peer_receipts)


def _compare_lists(
    ctx: JobContext, layout: EnvelopeLayout, entries: list[ListEntry], n_disagreed: int
) -> bytes:
    """Return the bytes that say on which records both agree, once they have said the same."""
    lists = record_set_digest(layout.config_digest, entries) + u32(n_disagreed)
    ctx.channel.send(ProtocolTag.AGREED_RECORDS, lists)
    if ctx.channel.recv(ProtocolTag.AGREED_RECORDS, size=len(lists)) != lists:
        raise ProtocolViolationError(
            "The parties do not agree on the records to close, or on the configuration.",
            code="LISTS_DIFFER",
        )
    return lists
