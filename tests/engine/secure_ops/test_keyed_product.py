"""Keyed products against plain inner products, and the MAC that binds them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.errors import UsageError
from mpc_engine.kernels.field61 import block_residues
from mpc_engine.params import MAC_PRIME
from mpc_engine.secure_ops import keyed_product
from mpc_engine.secure_ops.keyed_product import (
    chunks_of,
    recv_keyed_products,
    recv_seeds,
    send_keyed_products,
    send_seeds,
)
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel

_BITS = 8
_WIDTH = 30


def _labels(
    theta: list[int], seed: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8]]:
    """Return delta, labels of zeros, labels of the values, and the values' bits."""
    rng = seeded_randomness(seed)
    delta = rng.words(2)
    delta[0] |= np.uint64(1)
    bits = np.array([(value >> i) & 1 for value in theta for i in range(_BITS)], dtype=np.uint8)
    zero = rng.words(len(bits), 2)
    return delta, zero, zero ^ (bits.astype(np.uint64)[:, None] * delta), bits


@pytest.mark.parametrize("theta", [[0, 0, 0], [-128, 127, -1], [1, -2, 3], [64, -65, 100]])
def test_shares_add_up_to_the_inner_products_over_two_blocks(theta: list[int]) -> None:
    delta, zero, labels, bits = _labels(theta, 4)
    n, blocks = 13, [slice(0, 6), slice(6, 13)]
    rows = np.random.default_rng(1).integers(-(1 << 15), 1 << 15, (n, 3))
    chunks = chunks_of(3, _BITS)
    alpha = block_residues(seeded_randomness(8).words(n, 2))
    key = bytes(16)

    def modeler(channel: Channel) -> tuple[NDArray[np.uint64], int]:
        hash_ = TweakedHash(key)
        seeds = recv_seeds(channel, hash_, labels, bits)
        parts = [
            recv_keyed_products(channel, hash_, seeds, chunks, block, _WIDTH, number)
            for number, block in enumerate(blocks)
        ]
        return np.concatenate([v for v, _ in parts]), sum(t for _, t in parts)

    def regulator(channel: Channel) -> tuple[NDArray[np.uint64], int]:
        hash_ = TweakedHash(key)
        seeds = send_seeds(channel, hash_, zero, delta)
        parts = [
            send_keyed_products(
                *(channel, hash_, seeds, chunks, rows[block], block, _WIDTH, alpha[block], number)
            )
            for number, block in enumerate(blocks)
        ]
        return np.concatenate([r for r, _ in parts]), sum(beta for _, beta in parts)

    (v, t), (r, beta) = run_two_parties(modeler, regulator)
    difference = ((v - r) & np.uint64((1 << _WIDTH) - 1)).astype(np.int64)
    difference[difference >= 1 << (_WIDTH - 1)] -= 1 << _WIDTH
    assert (difference == rows @ np.array(theta)).all()
    assert int(v.max()) < len(chunks) << _WIDTH
    weighted = sum(int(a) * int(x) for a, x in zip(alpha, v, strict=True))
    assert (t - beta - weighted) % MAC_PRIME == 0


def test_the_modeler_opens_every_seed_but_that_of_its_value() -> None:
    theta = [-128, 27, 99]
    delta, zero, labels, bits = _labels(theta, 5)
    hash_ = TweakedHash(bytes(16))
    received, sent = run_two_parties(
        lambda c: recv_seeds(c, hash_, labels, bits), lambda c: send_seeds(c, hash_, zero, delta)
    )
    equal = (received.leaves == sent.leaves).all(axis=-1)
    for chunk in range(len(equal)):
        assert [leaf for leaf in range(4) if not equal[chunk, leaf]] == [received.chosen[chunk]]


def test_no_label_of_the_modeler_opens_the_seed_of_its_own_value() -> None:
    """What is sent holds that seed too, under the lock of the low bit's other label."""
    delta, zero, labels, bits = _labels([-128, 27, 99], 5)
    hash_ = TweakedHash(bytes(16))
    n = len(bits) // 2
    sums, sent = run_two_parties(
        lambda c: c.recv_array(OpTag.CHUNK_SEEDS, np.uint64, (n, 2, 2)),
        lambda c: send_seeds(c, hash_, zero, delta),
    )
    rows, low, high = np.arange(n), bits[0::2].astype(int), bits[1::2].astype(int)
    wanted = sent.leaves[rows, 2 * high + low]
    locked = sums[rows, low] ^ sent.leaves[rows, 2 * (1 - high) + low]
    keys = [np.zeros((n, 2), dtype=np.uint64)]
    for held in (labels[0::2], labels[1::2]):
        keys += [keyed_product._seed_hash(hash_, held, index) for index in (3, 4)]
    for key in keys:
        assert not (locked ^ key == wanted).all(axis=-1).any()


def test_coefficients_of_an_odd_number_of_bits_are_refused_by_name() -> None:
    with pytest.raises(UsageError) as caught:
        chunks_of(3, 23)
    assert caught.value.code == "ODD_COEFFICIENT"


def test_the_pads_of_a_chunks_values_share_no_block() -> None:
    """Pads built from two shared blocks let the modeler compute alpha from the corrections."""
    rng = seeded_randomness(6)
    hash_ = TweakedHash(bytes(16))
    labels = rng.words(5, 2, 2, 2)
    asked: list[tuple[int, int, int]] = []

    def recording(blocks: NDArray[np.uint64], domain: Any, instance: Any, index: Any) -> Any:
        for block, number in zip(blocks, np.broadcast_to(instance, len(blocks)), strict=True):
            asked.append((int(block[0]), int(number), int(index)))
        return hash_(blocks, domain, instance, index)

    for value in range(4):
        values = np.full(5, value, dtype=np.uint64)
        high, low = labels[:, 0, value >> 1], labels[:, 1, value & 1]
        keyed_product._mac_pads(cast(Any, recording), high, low, values, 3)
    assert len(asked) == len(set(asked)) == 40
    assert len({number for _, number, _ in asked}) == 40
