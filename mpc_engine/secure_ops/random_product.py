"""Shares of products of one party's random values with rows of the other: semi-honest, batched.

The chooser holds values ``v`` uint64 (s, m), uniform in [0, 2^l) and known to it ahead; the sender
holds rows ``x`` uint64 (s, m, c). They end with shares mod 2^l of ``sum over m of v x``, one for
each step s and column.

A value is cut into chunks of two bits, low ones first, at positions p = 0, 2, 4, ... (l odd: the
last chunk has one bit and works in the ring of 2^1). For a chunk D = 2 d1 + d0 there are two random
OTs, in which the chooser chooses 1 - d1 and 1 - d0:

1. The keys of the first are nodes a_0, a_1; the leaves are ``l_x = H(a_(x >> 1), (SEED, x))``, two
   under each node. The chooser knows the two under a_(1 - d1).
2. The sender sends ``l_b xor l_(2 + b) xor H(K_b, (SEED, 4 + b))`` for b = 0, 1, with K_0, K_1 the
   keys of the second. The chooser opens the one for b = 1 - d0 and so has every leaf but l_D.
3. A leaf gives a stream ``s_x = H(l_x, (PAD, x, column / 2))``. The sender sends
   ``x - sum s_x mod 2^(l - p)`` and keeps ``sum x s_x``; the chooser adds
   ``sum (D - x) s_x + D sent``, where s_D has factor zero. Both shares times 2^p add up to
   ``2^p D x mod 2^l``.

Tweaks are those of `crypto.tweak_plan`, where ``chunk`` counts all chunks of a call, by step,
element and position. So within a job each tweak is used for one block, as long as no ``instance``
recurs.

Leakage: the sender sees the columns of the OT extension, which hide the choices. The chooser sees
sums and corrections that the stream of l_D and the unopened pad keep uniform. Neither is bound to
its input: a sender may take other rows, a chooser other values.

Source: constructions of Roy, "SoftSpokenOT", CRYPTO 2022, section 3 (small-field VOLE from
all-but-one seeds); trees after Goldreich, Goldwasser and Micali (1986).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweak_plan import CHUNK_NUMBER_BITS, product_words
from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS, TweakedHash
from mpc_engine.errors import UsageError
from mpc_engine.kernels.random_product import (
    CHUNK_BITS,
    Elements,
    chunk_count,
    column_bytes,
    recv_elements,
    send_elements,
)
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.frame import HEADER_BYTES

MIN_WIDTH_BITS = 8
MAX_WIDTH_BITS = 64

_BLOCK_BYTES = 1 << 18
_SUM_BYTES = 32


def _check(steps: int, per_step: int, n_columns: int, width_bits: int, instance: int) -> None:
    if min(steps, per_step, n_columns) < 1:
        raise UsageError("A product has at least one step, one value and one column.")
    if not MIN_WIDTH_BITS <= width_bits <= MAX_WIDTH_BITS:
        raise UsageError(f"A product has {MIN_WIDTH_BITS} to {MAX_WIDTH_BITS} bits.")
    fits = 0 <= instance < 1 << (INSTANCE_BITS - CHUNK_NUMBER_BITS)
    if not fits or steps * per_step * chunk_count(width_bits) > 1 << CHUNK_NUMBER_BITS:
        raise UsageError("The instance of a product or its chunks do not fit in their bits.")


def _blocks(
    steps: int, per_step: int, n_columns: int, width_bits: int, instance: int
) -> Iterator[Elements]:
    """Cut the elements so that a message is small and both parties compute at once."""
    total = steps * per_step
    size = max(1, _BLOCK_BYTES // (n_columns * column_bytes(width_bits)))
    seed_high, pad_high = product_words(instance)
    for first in range(0, total, size):
        yield Elements(
            first=first,
            n=min(size, total - first),
            per_step=per_step,
            width=width_bits,
            seed_high=seed_high,
            pad_high=pad_high,
        )


def _reduced(shares: NDArray[np.uint64], width_bits: int) -> NDArray[np.uint64]:
    return shares & np.uint64((1 << width_bits) - 1)


def product_bytes(steps: int, per_step: int, n_columns: int, width_bits: int) -> int:
    """Return the bytes that the sender of a batch sends besides the OTs, frame headers included."""
    blocks = list(_blocks(steps, per_step, n_columns, width_bits, 0))
    sums = steps * per_step * chunk_count(width_bits) * _SUM_BYTES
    corrections = sum(block.payload_bytes(n_columns) for block in blocks)
    return sums + corrections + 2 * len(blocks) * HEADER_BYTES


def send_random_products(
    channel: Channel,
    ot: RandomOTSender,
    hash_: TweakedHash,
    rows: NDArray[np.uint64],
    width_bits: int,
    instance: int,
) -> NDArray[np.uint64]:
    """Return the sender's shares uint64 (s, c) for its ``rows`` uint64 (s, m, c), mod 2^l.

    ``instance`` below 2^20 is a number that no other call of the job has, the same on both sides.
    UsageError, before anything is sent, if it or the shape does not fit. The sender learns nothing.
    """
    if rows.dtype != np.uint64 or rows.ndim != 3:
        raise UsageError("Rows are uint64[s, m, c].")
    steps, per_step, n_columns = rows.shape
    _check(steps, per_step, n_columns, width_bits, instance)
    n_chunks = chunk_count(width_bits)
    keys = ot.extend(2 * steps * per_step * n_chunks).reshape(-1, 2, 2, 2)
    flat = rows.reshape(-1, n_columns)
    kept = np.zeros((steps, n_columns), dtype=np.uint64)
    for block in _blocks(steps, per_step, n_columns, width_bits, instance):
        own = slice(block.first, block.first + block.n)
        chunks = slice(own.start * n_chunks, own.stop * n_chunks)
        sums, payload = send_elements(keys[chunks], flat[own], block, kept, hash_.round_keys)
        channel.send_array(OpTag.PRODUCT_SEEDS, sums)
        channel.send_array(OpTag.PRODUCT_CORRECTIONS, payload)
    return _reduced(kept, width_bits)


def recv_random_products(
    channel: Channel,
    ot: RandomOTReceiver,
    hash_: TweakedHash,
    values: NDArray[np.uint64],
    n_columns: int,
    width_bits: int,
    instance: int,
) -> NDArray[np.uint64]:
    """Return the chooser's shares uint64 (s, c) for its ``values`` uint64 (s, m) below 2^l.

    See `send_random_products`; UsageError also for a value that does not fit. The chooser learns
    nothing.
    """
    if values.dtype != np.uint64 or values.ndim != 2:
        raise UsageError("Values are uint64[s, m].")
    steps, per_step = values.shape
    _check(steps, per_step, n_columns, width_bits, instance)
    if int(values.max()) >> width_bits:
        raise UsageError(f"A value does not fit in {width_bits} bits.")
    n_chunks = chunk_count(width_bits)
    flat = np.ascontiguousarray(values).reshape(-1)
    keys = ot.extend(_choices(flat, n_chunks)).reshape(-1, 2, 2)
    received = np.zeros((steps, n_columns), dtype=np.uint64)
    for block in _blocks(steps, per_step, n_columns, width_bits, instance):
        own = slice(block.first, block.first + block.n)
        chunks = slice(own.start * n_chunks, own.stop * n_chunks)
        shape = (chunks.stop - chunks.start, 2, 2)
        sums = channel.recv_array(OpTag.PRODUCT_SEEDS, np.uint64, shape)
        size = block.payload_bytes(n_columns)
        payload = channel.recv_array(OpTag.PRODUCT_CORRECTIONS, np.uint8, (size,))
        recv_elements(keys[chunks], flat[own], block, sums, payload, received, hash_.round_keys)
    return _reduced(received, width_bits)


def _choices(values: NDArray[np.uint64], n_chunks: int) -> NDArray[np.uint8]:
    """Return the complements of all bits uint8 (2 n chunks,): of each chunk the high bit first."""
    bits = np.unpackbits(
        np.ascontiguousarray(values, dtype="<u8").view(np.uint8).reshape(-1, 8),
        axis=1,
        bitorder="little",
        count=CHUNK_BITS * n_chunks,
    )
    return (1 - bits).reshape(-1, CHUNK_BITS)[:, ::-1].reshape(-1)
