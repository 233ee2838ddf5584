"""What a party holds of people before a closing: shares that somebody dealt, as it lists them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mpc_engine.protocols.closing.record_list import ListedShare
from mpc_engine.roles import Role
from mpc_engine.sharing.held_share import HeldShare
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.records import HeldRecords


def layout_by_file(
    *category_counts: int, feature_ranges: tuple[tuple[int, int], ...] = ((0, 9),)
) -> EnvelopeLayout:
    """Return the layout of a study whose data come by file, to the regulator."""
    return EnvelopeLayout(
        b"\x01" * 16, b"\x02" * 32, category_counts, Role.REGULATOR, True, feature_ranges
    )


def _digest(row: int, sequence: int) -> bytes:
    return row.to_bytes(16, "big") + bytes([sequence] * 16)


def listed_shares(
    records: HeldRecords,
    sequences: Mapping[int, int] | None = None,
    digest: Callable[[int, int], bytes] = _digest,
) -> list[ListedShare]:
    """Return a party's shares of everybody in ``records``.

    ``sequences``: the submission's number by the row, 0 unless said; ``digest`` of row and number
    is that of the block which both parties got.
    """
    listed = []
    for row, record_id in enumerate(records.record_ids):
        sequence = (sequences or {}).get(row, 0)
        share = HeldShare(
            record_id=record_id,
            submission_id=bytes(16),
            sequence=sequence,
            common_digest=digest(row, sequence),
            low_bits=records.low_bits[row],
            sender_keys=records.sender_keys[row],
            chosen_keys=records.chosen_keys[row],
            features=None if records.features is None else records.features[row],
            label=None if records.labels is None else int(records.labels[row]),
        )
        listed.append(ListedShare(record_id, sequence, share.common_digest, share))
    return listed
