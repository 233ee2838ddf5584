"""Shares and records: what a party keeps, in its store and as arrays."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from mpc_engine.errors import DecodeError, UsageError
from mpc_engine.sharing.held_share import HeldShare
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.testing.randomness import seeded_randomness

RNG = seeded_randomness(11)


def share_of(number: int, *, n_features: int | None = 2, n_entries: int = 5) -> HeldShare:
    return HeldShare(
        record_id=bytes([number]) * 16,
        submission_id=RNG.bytes(16),
        sequence=number,
        common_digest=RNG.bytes(32),
        low_bits=RNG.bits(n_entries),
        sender_keys=RNG.words(n_entries, 2, 2),
        chosen_keys=RNG.words(n_entries, 2),
        features=None if n_features is None else np.array([-number] * n_features, dtype=np.int64),
        label=None if n_features is None else number % 3,
    )


def same(one: Any, other: Any) -> bool:
    return all(
        np.array_equal(left, right) and getattr(left, "dtype", 0) == getattr(right, "dtype", 0)
        for field in fields(one)
        for left, right in [(getattr(one, field.name), getattr(other, field.name))]
    )


@pytest.mark.parametrize("n_features", [None, 0, 2, 300])
def test_a_stored_share_comes_back(n_features: int | None) -> None:
    share = share_of(200, n_features=n_features)
    assert same(HeldShare.from_bytes(share.to_bytes()), share)


@pytest.mark.parametrize("n_features", [None, 0, 2])
def test_stored_records_come_back(n_features: int | None) -> None:
    records = HeldRecords.from_shares([share_of(n, n_features=n_features) for n in (3, 1, 2)])
    assert same(HeldRecords.from_bytes(records.to_bytes()), records)


@pytest.mark.parametrize(
    "store", [share_of(1), HeldRecords.from_shares([share_of(1), share_of(2)])]
)
def test_a_damaged_store_is_refused(store: HeldShare | HeldRecords) -> None:
    data = store.to_bytes()
    for damaged in (b"", b"\2" + data[1:], data[:-1], data + b"\0", data[:20], b"\xff" * 60):
        with pytest.raises(DecodeError):
            type(store).from_bytes(damaged)


def test_records_are_sorted_by_id_and_keep_their_rows() -> None:
    shares = {number: share_of(number) for number in (9, 3, 200, 0)}
    records = HeldRecords.from_shares(list(shares.values()))
    assert [record_id[0] for record_id in records.record_ids] == [0, 3, 9, 200]
    assert len(records) == 4
    assert records.sender_keys.shape == (4, 5, 2, 2)
    for row, number in enumerate((0, 3, 9, 200)):
        share = shares[number]
        assert np.array_equal(records.low_bits[row], share.low_bits)
        assert np.array_equal(records.sender_keys[row], share.sender_keys)
        assert np.array_equal(records.chosen_keys[row], share.chosen_keys)
        assert records.features is not None
        assert records.features[row].tolist() == [-number, -number]
        assert records.labels is not None
        assert records.labels[row] == number % 3


def test_a_selection_keeps_the_marked_rows() -> None:
    records = HeldRecords.from_shares([share_of(n) for n in range(4)])
    kept = records.select(np.array([True, False, False, True]))
    assert kept.record_ids == (records.record_ids[0], records.record_ids[3])
    assert np.array_equal(kept.chosen_keys, records.chosen_keys[[0, 3]])
    assert kept.features is not None
    assert kept.features.tolist() == [[0, 0], [-3, -3]]
    assert len(records.select(np.zeros(4, dtype=np.bool_))) == 0
    masks: list[Any] = [np.ones(3, dtype=np.bool_), np.ones(4, dtype=np.uint8)]
    for mask in masks:
        with pytest.raises(UsageError):
            records.select(mask)


def test_shares_of_different_studies_are_not_mixed() -> None:
    for shares in (
        [],
        [share_of(1), share_of(1)],
        [share_of(1), share_of(2, n_entries=4)],
        [share_of(1), share_of(2, n_features=None)],
        [share_of(1), replace(share_of(2), label=None)],
        [share_of(1), share_of(2, n_features=3)],
    ):
        with pytest.raises(UsageError):
            HeldRecords.from_shares(shares)


def test_a_data_file_is_joined_by_record_id() -> None:
    records = HeldRecords.from_shares([share_of(n, n_features=None) for n in (2, 1)])
    rows = {bytes([n]) * 16: ([n, -n], n % 2) for n in (3, 2, 1)}
    joined = records.with_data(rows)
    assert joined.features is not None
    assert joined.features.tolist() == [[1, -1], [2, -2]]
    assert joined.labels is not None
    assert joined.labels.tolist() == [1, 0]
    assert np.array_equal(joined.low_bits, records.low_bits)
    del rows[bytes([2]) * 16]
    with pytest.raises(UsageError) as refused:
        records.with_data(rows)
    assert refused.value.code == "RECORDS_WITHOUT_DATA"


def test_printing_shows_no_secret() -> None:
    share = share_of(1)
    assert repr(HeldRecords.from_shares([share])) == "<HeldRecords of 1 people>"
    for shown in (repr(share), str(share), repr([share]), repr(HeldRecords.from_shares([share]))):
        assert str(int(share.chosen_keys[0, 0])) not in shown
        assert "low_bits" not in shown


def test_features_are_asked_of_their_holder_only() -> None:
    held = HeldRecords.from_shares([share_of(1)])
    assert held.require_features().tolist() == [[-1, -1]]
    with pytest.raises(UsageError) as refused:
        HeldRecords.from_shares([share_of(1, n_features=None)]).require_features()
    assert refused.value.code == "NO_FEATURES"
