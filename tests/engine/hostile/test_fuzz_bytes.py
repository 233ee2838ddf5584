"""Readers of fixed-width bytes: the codec, stores, record lists, padding."""

from __future__ import annotations

import functools
import itertools
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.errors import DecodeError, IntakeError
from mpc_engine.protocols.closing.record_list import decode_entries, encode_entries
from mpc_engine.sharing.held_share import HeldShare
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.sharing.sealed import pad_message, unpad_message
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.wire.codec import ByteReader, i32, u8, u16, u32, u64
from tests.engine.hostile.mutations import damaged, fuzzing, read_or_refuse

_FIELDS = {"u8": u8, "u16": u16, "u32": u32, "u64": u64, "i32": i32}


def _share(number: int, n_features: int | None) -> HeldShare:
    rng = seeded_randomness(number)
    return HeldShare(
        record_id=bytes([number]) * 16,
        submission_id=rng.bytes(16),
        sequence=number,
        common_digest=rng.bytes(32),
        low_bits=rng.bits(3),
        sender_keys=rng.words(3, 2, 2),
        chosen_keys=rng.words(3, 2),
        features=None if n_features is None else np.arange(n_features, dtype=np.int64),
        label=None if n_features is None else number % 3,
    )


_SHARES = [_share(number, n).to_bytes() for number, n in enumerate((None, 0, 2))]
_STORES = [
    HeldRecords.from_shares([_share(number, n) for number in range(3)]).to_bytes()
    for n in (None, 0, 2)
]
_ENTRIES = encode_entries(
    (bytes([number]) * 16, sequence, bytes(32)) for number in range(4) for sequence in (0, 300)
)
_PADDED = [pad_message(bytes(range(n))) for n in (0, 5, 200)]


@fuzzing(200)
@given(
    st.binary(max_size=40),
    st.lists(st.sampled_from(sorted(_FIELDS)) | st.integers(0, 12), max_size=8),
)
def test_fields_are_read_back_exactly_or_refused(data: bytes, wanted: list[str | int]) -> None:
    def read() -> bytes:
        reader = ByteReader(data, "text")
        parts = []
        for field in wanted:
            if isinstance(field, int):
                parts.append(reader.array("<u2", (field, 1)).astype("<u2").tobytes())
            else:
                parts.append(_FIELDS[field](getattr(reader, field)()))
        reader.finish()
        return b"".join(parts)

    assert read_or_refuse(read, DecodeError) in (None, data)


@fuzzing(40)
@given(st.binary(max_size=40), st.integers(-(1 << 70), 1 << 70))
def test_no_count_of_bytes_reaches_beyond_the_text(data: bytes, n_bytes: int) -> None:
    taken = read_or_refuse(lambda: ByteReader(data, "text").take(n_bytes), DecodeError)
    assert taken is None if not 0 <= n_bytes <= len(data) else taken == data[:n_bytes]


@pytest.mark.parametrize(("kind", "valid"), [(HeldShare, _SHARES), (HeldRecords, _STORES)])
def test_a_damaged_store_reads_as_the_same_bytes_or_is_refused(
    kind: type[HeldShare | HeldRecords], valid: list[bytes]
) -> None:
    @fuzzing(200)
    @given(st.sampled_from(valid).flatmap(lambda store: damaged(store, valid)))
    def check(data: bytes) -> None:
        store: Any = read_or_refuse(lambda: kind.from_bytes(data), DecodeError)
        assert store is None or store.to_bytes() == data

    check()


@pytest.mark.parametrize(("kind", "valid"), [(HeldShare, _SHARES), (HeldRecords, _STORES)])
def test_every_changed_byte_of_a_store_header_is_kept_or_refused(
    kind: type[HeldShare | HeldRecords], valid: list[bytes]
) -> None:
    for store, position in itertools.product(valid, range(80)):
        for value in (0, 1, 2, 3, 254, 255):
            data = store[:position] + bytes([value]) + store[position + 1 :]
            read: Any = read_or_refuse(functools.partial(kind.from_bytes, data), DecodeError)
            assert read is None or read.to_bytes() == data


def test_a_share_without_data_has_no_features_and_no_other_outcome() -> None:
    label = 1 + 16 + 16 + 4 + 32 + 2
    for change in (b"\xff\1\0", b"\xff\0\1", b"\3\0\0", b"\xfe\0\0"):
        data = _SHARES[0][:label] + change + _SHARES[0][label + 3 :]
        with pytest.raises(DecodeError):
            HeldShare.from_bytes(data)


@pytest.mark.parametrize("n_records", [1 << 40, (1 << 64) - 1, 1 << 60])
def test_no_memory_is_taken_for_records_that_are_not_there(n_records: int) -> None:
    data = u8(1) + u64(n_records) + b"\xff" * 100
    tracemalloc.start()
    try:
        with pytest.raises(DecodeError):
            HeldRecords.from_bytes(data)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@fuzzing(200)
@given(damaged(_ENTRIES, [_ENTRIES[:52], _ENTRIES[104:]]))
def test_a_damaged_record_list_reads_as_the_same_list_or_is_refused(data: bytes) -> None:
    entries = read_or_refuse(lambda: decode_entries(data), DecodeError)
    assert entries is None or encode_entries(entries) == data


@fuzzing(120)
@given(st.sampled_from(_PADDED).flatmap(lambda padded: damaged(padded, _PADDED)))
def test_a_damaged_padding_reads_as_the_same_message_or_is_refused(data: bytes) -> None:
    message = read_or_refuse(lambda: unpad_message(data), IntakeError)
    assert message is None or pad_message(message) == data
