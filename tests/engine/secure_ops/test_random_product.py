"""Products of random values against plain ones, their cost, and what each side may see."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS, HashDomain, TweakedHash
from mpc_engine.errors import UsageError
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.secure_ops import random_product
from mpc_engine.secure_ops.random_product import (
    product_bytes,
    recv_random_products,
    send_random_products,
)
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.twins import random_product as twin
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel

Words = NDArray[np.uint64]

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

_HASH = TweakedHash(bytes(range(16)))
_INSTANCE = (1 << 20) - 1
_HEADER = 11


def _ot_sender(channel: Channel) -> RandomOTSender:
    return RandomOTSender(channel, b"session", seeded_randomness(1), _HASH)


def _ot_receiver(channel: Channel) -> RandomOTReceiver:
    return RandomOTReceiver(channel, b"session", seeded_randomness(2), _HASH)


def _run(values: Words, rows: Words, width: int, instance: int = _INSTANCE) -> tuple[Words, Words]:
    def chooser(channel: Channel) -> Words:
        ot = _ot_receiver(channel)
        return recv_random_products(channel, ot, _HASH, values, rows.shape[2], width, instance)

    def sender(channel: Channel) -> Words:
        return send_random_products(channel, _ot_sender(channel), _HASH, rows, width, instance)

    return run_two_parties(chooser, sender)


def _mask(width: int) -> np.uint64:
    return np.uint64((1 << width) - 1)


def _plain(values: Words, rows: Words, width: int) -> Words:
    """Return the products by Python's integers."""
    steps, _, n_columns = rows.shape
    sums = [
        [
            sum(int(v) * int(x) for v, x in zip(values[s], rows[s, :, c], strict=True))
            for c in range(n_columns)
        ]
        for s in range(steps)
    ]
    return np.array([[x % (1 << width) for x in row] for row in sums], dtype=np.uint64)


@pytest.mark.parametrize("width", [8, 9, 45, 50, 63, 64])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 1), (3, 1, 7), (1, 7, 10), (2, 5, 33)])
def test_shares_add_up_to_the_products(shape: tuple[int, int, int], width: int) -> None:
    rng = seeded_randomness(width)
    values, rows = rng.words(*shape[:2]) & _mask(width), rng.words(*shape)
    received, sent = _run(values, rows, width)
    assert received.shape == sent.shape == (shape[0], shape[2])
    assert max(int(received.max()), int(sent.max())) >> width == 0
    assert np.array_equal((received + sent) & _mask(width), _plain(values, rows, width))


@pytest.mark.slow
@pytest.mark.parametrize("width", [8, 9, 63, 64])
def test_the_smallest_and_the_largest_values_are_exact(width: int) -> None:
    top = (1 << width) - 1
    values = np.array([[0, 0], [top, top], [0, top], [1, 1 << (width - 1)]], dtype=np.uint64)
    rows = np.array([[[0, 1, top], [top, 0, 1]]] * 4, dtype=np.uint64)
    received, sent = _run(values, rows, width)
    assert np.array_equal((received + sent) & _mask(width), _plain(values, rows, width))


@pytest.mark.parametrize("block_bytes", [1, 2000])
def test_blocks_that_end_inside_a_step_change_nothing(
    monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    rng = seeded_randomness(5)
    values, rows = rng.words(3, 5) & _mask(45), rng.words(3, 5, 7)
    whole = _run(values, rows, 45)
    monkeypatch.setattr(random_product, "_BLOCK_BYTES", block_bytes)
    for mine, theirs in zip(_run(values, rows, 45), whole, strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("block_bytes", [1 << 18, 2000])
@pytest.mark.parametrize("shape", [(2, 51, 7), (3, 7, 51), (1, 4, 65)])
@pytest.mark.parametrize("width", [9, 50])
def test_the_sender_sends_the_stated_bytes(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int, int], width: int, block_bytes: int
) -> None:
    monkeypatch.setattr(random_product, "_BLOCK_BYTES", block_bytes)
    rng = seeded_randomness(3)
    values, rows = rng.words(*shape[:2]) & _mask(width), rng.words(*shape)

    def chooser(channel: Channel) -> int:
        ot = _ot_receiver(channel)
        recv_random_products(channel, ot, _HASH, values, shape[2], width, 0)
        return channel.meter.rounds

    def sender(channel: Channel) -> int:
        ot = _ot_sender(channel)
        before = channel.meter.bytes_sent
        send_random_products(channel, ot, _HASH, rows, width, 0)
        return channel.meter.bytes_sent - before

    _, sent = run_two_parties(chooser, sender)
    one_extension = 16 + _HEADER
    assert sent == product_bytes(*shape, width) + one_extension


def test_no_message_of_a_large_batch_is_over_a_quarter_of_a_megabyte() -> None:
    for steps, per_step, n_columns, width in [(16, 51, 65, 50), (16, 64, 51, 45), (64, 7, 51, 64)]:
        blocks = list(random_product._blocks(steps, per_step, n_columns, width, 0))
        assert sum(block.n for block in blocks) == steps * per_step
        assert max(block.payload_bytes(n_columns) for block in blocks) <= 1 << 18


def _record(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[tuple[int, int, bytes]]]:
    """Put the twins in the kernels' place; return (low, high, block) of all hashes by side."""
    seen: dict[str, list[tuple[int, int, bytes]]] = {"send": [], "recv": []}
    honest = twin.stream
    for side in ("send", "recv"):

        def watched(*given: Any, side: str = side) -> Any:
            def stream(blocks: Words, tweaks: Words, round_keys: Words) -> Words:
                for block, (low, high) in zip(blocks, tweaks.tolist(), strict=True):
                    seen[side].append((low, high, block.tobytes()))
                return honest(blocks, tweaks, round_keys)

            twin.stream = stream
            return getattr(twin, f"{side}_elements")(*given)

        monkeypatch.setattr(random_product, f"{side}_elements", watched)
    monkeypatch.setattr(twin, "stream", honest)
    return seen


def _both_sides_of_calls(
    widths: list[int], instances: list[int], shape: tuple[int, int, int]
) -> None:
    rng = seeded_randomness(9)
    rows = rng.words(*shape)
    messages: list[tuple[Words, NDArray[np.uint8]]] = []
    for width, instance in zip(widths, instances, strict=True):
        values = rng.words(*shape[:2]) & _mask(width)
        n_chunks = random_product.chunk_count(width)
        choices = random_product._choices(values.reshape(-1), n_chunks).astype(np.int64)
        keys = rng.words(len(choices), 2, 2)
        chosen = keys[np.arange(len(choices)), choices].reshape(-1, 2, 2)
        shares = np.zeros((2, shape[0], shape[2]), dtype=np.uint64)
        blocks = list(random_product._blocks(*shape, width, instance))
        for block in blocks:
            own = slice(block.first, block.first + block.n)
            chunks = slice(own.start * n_chunks, own.stop * n_chunks)
            messages.append(
                random_product.send_elements(
                    keys.reshape(-1, 2, 2, 2)[chunks],
                    rows.reshape(-1, shape[2])[own],
                    block,
                    shares[0],
                    _HASH.round_keys,
                )
            )
        for block, (sums, payload) in zip(blocks, messages[-len(blocks) :], strict=True):
            own = slice(block.first, block.first + block.n)
            random_product.recv_elements(
                chosen[own.start * n_chunks : own.stop * n_chunks],
                values.reshape(-1)[own],
                block,
                sums,
                payload,
                shares[1],
                _HASH.round_keys,
            )
        total = shares.sum(axis=0, dtype=np.uint64) & _mask(width)
        assert np.array_equal(total, _plain(values, rows, width))


def test_each_tweak_serves_one_block_and_the_chooser_hashes_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(random_product, "_BLOCK_BYTES", 100)
    seen = _record(monkeypatch)
    _both_sides_of_calls([9, 10, 9], [0, 1, 2], (2, 3, 5))
    counts = Counter((low, high) for low, high, _ in seen["send"])
    assert max(counts.values()) == 1
    assert {high >> INSTANCE_BITS for _, high, _ in seen["send"]} == {
        HashDomain.PRODUCT_SEED,
        HashDomain.PRODUCT_PAD,
    }
    n_chunks = 2 * 3 * (5 + 5 + 5)
    assert len(counts) == n_chunks * (4 + 2 + 4 * 3)
    received = Counter(seen["recv"])
    assert set(received) < set(seen["send"])
    assert max(received.values()) == 1
    assert len(received) == n_chunks * (2 + 1 + 3 * 3)


@pytest.mark.parametrize("value", [0, 1, 2, 3])
def test_the_chooser_opens_every_leaf_but_that_of_its_value(value: int) -> None:
    """What is sent holds that leaf too, under a pad whose key the chooser did not choose."""
    rng, high = seeded_randomness(value), 11 << 56 | 77
    keys = rng.words(1, 2, 2, 2)
    elements = random_product.Elements(0, 1, 1, 2, high, 12 << 56 | 77)
    kept = np.zeros((1, 1), dtype=np.uint64)
    sums, _ = random_product.send_elements(keys, rng.words(1, 1), elements, kept, _HASH.round_keys)
    leaves = twin.sender_leaves(keys[0], high, _HASH.round_keys)
    top, bottom = 1 - (value >> 1), 1 - (value & 1)
    chosen = np.stack([keys[0, 0, top], keys[0, 1, bottom]])
    opened = twin.chooser_leaves(chosen, value, sums[0], high, _HASH.round_keys)
    equal = (opened == leaves).all(axis=-1)
    assert [x for x in range(4) if not equal[x]] == [value]
    locked = sums[0, 1 - bottom] ^ leaves[2 * top + (1 - bottom)]
    tried = [np.zeros(2, dtype=np.uint64), *chosen]
    tried += [
        twin._hash(key, index, high, _HASH.round_keys) for key in chosen for index in range(6)
    ]
    for pad in tried:
        assert not (locked ^ pad == leaves[value]).all()


def test_what_the_chooser_sees_of_rows_of_zeros_is_uniform() -> None:
    """Corrections of every chunk, and the sender's shares, have all bits in half of the cases."""
    steps, n_columns, width = 40, 64, 16
    values = np.tile(np.array([[0x1B1B]], dtype=np.uint64), (steps, 1))
    rows = np.zeros((steps, 1, n_columns), dtype=np.uint64)

    def chooser(channel: Channel) -> tuple[Words, NDArray[np.uint8]]:
        ot = _ot_receiver(channel)
        n_chunks = random_product.chunk_count(width)
        ot.extend(random_product._choices(values.reshape(-1), n_chunks))
        sums = channel.recv_array(OpTag.PRODUCT_SEEDS, np.uint64, (steps * n_chunks, 2, 2))
        n_bytes = random_product.column_bytes(width)
        shape = (steps, n_columns * n_bytes)
        return sums, channel.recv_array(OpTag.PRODUCT_CORRECTIONS, np.uint8, shape)

    def sender(channel: Channel) -> Words:
        return send_random_products(channel, _ot_sender(channel), _HASH, rows, width, 1)

    (sums, payload), kept = run_two_parties(chooser, sender)
    at = 0
    for ring_bits in range(width, 0, -2):
        n_bytes = (ring_bits + 7) // 8
        part = payload[:, at : at + n_columns * n_bytes].reshape(-1, n_bytes)
        at += n_columns * n_bytes
        bits = np.unpackbits(part, axis=1, bitorder="little")
        assert not bits[:, ring_bits:].any()
        assert abs(bits[:, :ring_bits].mean(axis=0) - 0.5).max() < 0.06
    kept_bits = np.unpackbits(kept.astype("<u2").view(np.uint8).reshape(-1, 2), axis=1)
    assert abs(kept_bits.mean(axis=0) - 0.5).max() < 0.06
    sum_bits = np.unpackbits(sums.view(np.uint8).reshape(-1, 16), axis=1)
    assert abs(sum_bits.mean(axis=0) - 0.5).max() < 0.12
    assert len(np.unique(sums.reshape(-1, 2), axis=0)) == 2 * len(sums)


def test_two_calls_mask_equal_rows_differently() -> None:
    values = np.full((1, 2), 0x1B, dtype=np.uint64)
    rows = np.zeros((1, 2, 8), dtype=np.uint64)
    first, second = (_run(values, rows, 64, instance)[1] for instance in (1, 2))
    assert not (first == second).any()


@pytest.mark.parametrize(
    ("shape", "width", "instance"),
    [
        ((1, 1, 1), 7, 0),
        ((1, 1, 1), 65, 0),
        ((1, 1, 1), 8, -1),
        ((1, 1, 1), 8, 1 << 20),
        ((0, 1, 1), 8, 0),
        ((1, 0, 1), 8, 0),
        ((1, 1, 0), 8, 0),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_sent(
    shape: tuple[int, int, int], width: int, instance: int
) -> None:
    unused: Any = None
    with pytest.raises(UsageError):
        send_random_products(unused, unused, _HASH, np.zeros(shape, np.uint64), width, instance)
    values = np.zeros(shape[:2], np.uint64)
    with pytest.raises(UsageError):
        recv_random_products(unused, unused, _HASH, values, shape[2], width, instance)


def test_more_chunks_than_a_call_can_number_are_refused() -> None:
    random_product._check(1 << 16, 1 << 15, 1, 64, 0)
    with pytest.raises(UsageError):
        random_product._check(1 << 16, (1 << 15) + 1, 1, 64, 0)


def test_a_value_over_the_width_and_arrays_of_another_kind_are_refused() -> None:
    unused: Any = None
    values: Any
    for values in (np.full((1, 1), 256, np.uint64), np.zeros(1, np.uint64), np.zeros((1, 1))):
        with pytest.raises(UsageError):
            recv_random_products(unused, unused, _HASH, values, 1, 8, 0)
    rows: Any
    for rows in (np.zeros((1, 1), np.uint64), np.zeros((1, 1, 1), np.int64)):
        with pytest.raises(UsageError):
            send_random_products(unused, unused, _HASH, rows, 8, 0)
