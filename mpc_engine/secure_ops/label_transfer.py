"""Turn pairs of keys into labels of garbled wires, and enter bits that are chosen later.

From a pair ``(K_0, K_1)`` of which the evaluator holds ``K_c``: the garbler sets the zero label
``L_0 = H(K_0)`` and sends ``e = H(K_0) xor H(K_1) xor delta``; the evaluator computes
``L_c = H(K_c) xor c e``. One 16-byte block per wire from garbler to evaluator.
Source: correlated OT from random OT (Asharov, Lindell, Schneider, Zohner 2013), as the project's
constructions page states it for people's keys.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import Counter, HashDomain, TweakedHash
from mpc_engine.kernels.bits import flip_blocks
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.channel import Channel


def send_labels(
    channel: Channel,
    tag: OpTag,
    hash_: TweakedHash,
    key_pairs: NDArray[np.uint64],
    delta: NDArray[np.uint64],
    instances: Counter,
    indices: Counter,
) -> NDArray[np.uint64]:
    """Send the corrections of m wires; return the zero labels, uint64 (m, 2).

    ``key_pairs`` uint64 (m, 2, 2); ``delta`` uint64 (2,). Sends 16 m bytes. The garbler learns
    nothing; the evaluator learns one label per wire.
    """
    zero = hash_(np.ascontiguousarray(key_pairs[:, 0]), HashDomain.LABEL, instances, indices)
    one = hash_(np.ascontiguousarray(key_pairs[:, 1]), HashDomain.LABEL, instances, indices)
    channel.send_array(tag, zero ^ one ^ delta)
    return zero


def recv_labels(
    channel: Channel,
    tag: OpTag,
    hash_: TweakedHash,
    keys: NDArray[np.uint64],
    bits: NDArray[np.uint8],
    instances: Counter,
    indices: Counter,
) -> NDArray[np.uint64]:
    """Receive the corrections of m wires; return the labels of ``bits``, uint64 (m, 2)."""
    corrections = channel.recv_array(tag, np.uint64, (len(bits), 2))
    own = hash_(np.ascontiguousarray(keys), HashDomain.LABEL, instances, indices)
    return own ^ (corrections * bits.astype(np.uint64)[:, None])


def send_late_bits(
    channel: Channel, bits: NDArray[np.uint8], random_bits: NDArray[np.uint8]
) -> None:
    """Enter ``bits`` on wires whose labels were transferred for ``random_bits``: 1 bit each.

    The label already held for a random bit q becomes the label of the real bit; the garbler is
    told ``bit xor q``, which is uniform.
    """
    channel.send(OpTag.CHOICE_FLIPS, np.packbits(bits ^ random_bits, bitorder="little").tobytes())


def recv_late_bits(
    channel: Channel, zero_labels: NDArray[np.uint64], delta: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Receive the flips of m wires; return the zero labels of the real bits, uint64 (m, 2)."""
    m = len(zero_labels)
    packed = np.frombuffer(channel.recv(OpTag.CHOICE_FLIPS, size=(m + 7) // 8), dtype=np.uint8)
    flips = np.unpackbits(packed, count=m, bitorder="little")
    return flip_blocks(zero_labels, flips, delta)
