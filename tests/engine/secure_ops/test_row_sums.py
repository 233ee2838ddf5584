"""Sums over people and bound re-entry, against plain sums."""

from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.errors import UsageError
from mpc_engine.kernels.field61 import (
    block_residues,
    block_residues_numpy,
    field_inner_products,
    inner_products_numpy,
)
from mpc_engine.params import MAC_PRIME
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.bound_reentry import sum_width_bits
from mpc_engine.secure_ops.row_sums import recv_row_sums, row_width_bits, send_row_sums
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties


@pytest.mark.parametrize("direction", OTDirection)
@pytest.mark.parametrize(("n", "columns"), [(1, 1), (7, 4), (5000, 3)])
def test_shares_add_up_to_the_sum_and_the_mac_binds_the_integers(
    n: int, columns: int, direction: OTDirection
) -> None:
    rng = seeded_randomness(n)
    hash_key = rng.bytes(16)
    pairs = rng.words(n, 2, 2, 2)
    a, b = rng.bits(2 * n).reshape(n, 2), rng.bits(2 * n).reshape(n, 2)
    chosen = np.where(a[:, :, None].astype(bool), pairs[:, :, 1], pairs[:, :, 0])
    low, high = -(1 << 15), (1 << 15) - 1
    rows = np.random.default_rng(n).integers(low, high + 1, (n, columns))
    rows[0] = low
    width = row_width_bits(1 << 15, n)
    entries = np.array([0, 3], dtype=np.uint64)
    alpha = block_residues(rng.words(2 * columns, 2)).reshape(2, columns)
    hash_ = TweakedHash(hash_key)
    received, sent = run_two_parties(
        lambda c: recv_row_sums(c, hash_, direction, chosen, entries, a, columns, width),
        lambda c: send_row_sums(c, hash_, direction, pairs, entries, b, rows, width, alpha),
    )
    total = (received.v - sent.r) & np.uint64((1 << width) - 1)
    signed = total.astype(np.int64) - ((total >> np.uint64(width - 1)).astype(np.int64) << width)
    expected = (a ^ b).astype(np.int64).T @ rows
    assert (signed == expected).all()
    weighted = sum(
        int(x) * int(y) for x, y in zip(alpha.reshape(-1), received.v.reshape(-1), strict=True)
    )
    assert (received.t - sent.beta - weighted) % MAC_PRIME == 0


def test_widths_hold_the_largest_sum_and_refuse_what_the_check_cannot_bind() -> None:
    assert (1 << (row_width_bits(1 << 15, 1000) - 1)) > 1000 * (1 << 15)
    assert sum_width_bits(40, 1 << 19) == 60
    with pytest.raises(UsageError) as caught:
        sum_width_bits(41, 1 << 19)
    assert caught.value.code == "SUM_TOO_WIDE"


def test_field_kernels_equal_their_twins_at_the_edges() -> None:
    rng = seeded_randomness(2)
    rows = rng.words(50, 4) >> np.uint64(3)
    rows[0] = MAC_PRIME - 1
    weights = block_residues(rng.words(4, 2))
    weights[0] = MAC_PRIME - 1
    assert (field_inner_products(rows, weights) == inner_products_numpy(rows, weights)).all()
    blocks = rng.words(50, 2)
    blocks[0] = np.iinfo(np.uint64).max
    blocks[1] = MAC_PRIME
    assert (block_residues(blocks) == block_residues_numpy(blocks)).all()
