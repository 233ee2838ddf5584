"""Residues and additive shares, against plain Python integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.errors import UsageError
from mpc_engine.ring.integers import reduce_to
from mpc_engine.ring.shares import low_bits, split
from mpc_engine.testing.randomness import seeded_randomness

BITS = st.integers(1, 64)
WORDS = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8)


@given(WORDS, BITS)
def test_residues_equal_plain_integers(values: list[int], bits: int) -> None:
    residues = reduce_to(np.array(values, dtype=np.uint64), bits)
    assert residues.dtype == np.uint64
    assert residues.tolist() == [value % (1 << bits) for value in values]


@given(WORDS, BITS, st.integers(0, 9))
def test_shares_add_up_to_the_value(values: list[int], bits: int, seed: int) -> None:
    words = reduce_to(np.array(values, dtype=np.uint64), bits)
    share_m, share_r = split(words, seeded_randomness(seed), bits)
    sums = [m + r for m, r in zip(share_m.tolist(), share_r.tolist(), strict=True)]
    assert [total % (1 << bits) for total in sums] == words.tolist()
    assert max(*share_m.tolist(), *share_r.tolist()) < 1 << bits
    assert (low_bits(share_m) ^ low_bits(share_r)).tolist() == [value & 1 for value in values]
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
            reduce_to(words, bits)
    with pytest.raises(UsageError):
        reduce_to(words.view(np.int64), 8)  # type: ignore[arg-type]
