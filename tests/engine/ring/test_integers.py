"""Residues, signed values and additive shares, against plain Python integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.errors import UsageError
from mpc_engine.ring.integers import reduce_to, ring_mask, to_ring, to_signed
from mpc_engine.ring.shares import join, low_bits, split
from mpc_engine.testing.randomness import seeded_randomness

BITS = st.integers(1, 64)
WORDS = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8)


def signed(value: int, bits: int) -> int:
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


@given(WORDS, BITS)
def test_residues_and_signed_values_equal_plain_integers(values: list[int], bits: int) -> None:
    words = np.array(values, dtype=np.uint64)
    assert reduce_to(words, bits).tolist() == [value % (1 << bits) for value in values]
    assert reduce_to(words, bits).dtype == np.uint64
    back = to_signed(words, bits)
    assert back.dtype == np.int64
    assert back.tolist() == [signed(value, bits) for value in values]
    assert np.array_equal(to_ring(back, bits), reduce_to(words, bits))


@given(WORDS, BITS, st.integers(0, 9))
def test_shares_join_to_the_value(values: list[int], bits: int, seed: int) -> None:
    words = reduce_to(np.array(values, dtype=np.uint64), bits)
    share_m, share_r = split(words, seeded_randomness(seed), bits)
    assert np.array_equal(join(share_m, share_r, bits), words)
    assert max(share_m.max(), share_r.max()) <= ring_mask(bits)
    expected = [value & 1 for value in values]
    assert (low_bits(share_m) ^ low_bits(share_r)).tolist() == expected
    assert low_bits(share_m).dtype == np.uint8


def test_the_regulators_share_is_the_drawn_mask() -> None:
    words = np.arange(6, dtype=np.uint64).reshape(2, 3)
    share_m, share_r = split(words, seeded_randomness(5))
    assert share_m.shape == (2, 3)
    assert np.array_equal(share_r, seeded_randomness(5).words(2, 3))


def test_other_widths_and_types_are_refused() -> None:
    words = np.zeros(1, dtype=np.uint64)
    for bits in (0, 65, -1):
        with pytest.raises(UsageError):
            ring_mask(bits)
        with pytest.raises(UsageError):
            to_signed(words, bits)
    for call in (reduce_to, to_signed):
        with pytest.raises(UsageError):
            call(words.view(np.int64), 8)
    with pytest.raises(UsageError):
        to_ring(words, 8)  # type: ignore[arg-type]
