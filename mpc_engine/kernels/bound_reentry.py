"""The inner loops of bound re-entry: hashes of wires as residues mod q = 2^61 - 1, in one pass.

The hash of wire i is that of its label under the tweak (``first + i``, ``high``). See
`mpc_engine.secure_ops.bound_reentry` for the protocol; the twin is `mpc_engine.testing.twins`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.aes import AES_PATH, AesPath, hash_four, key_schedule
from mpc_engine.kernels.field61 import reduce_wide, reduce_word
from mpc_engine.kernels.jit import compiled, read_only
from mpc_engine.params import MAC_PRIME

Words = NDArray[np.uint64]

_Q = np.uint64(MAC_PRIME)
_U = np.uint64


@compiled
def _bind_into(
    zero_labels: Words,
    delta: Words,
    alpha: Words,
    width: int,
    first: np.uint64,
    high: np.uint64,
    schedule: Any,
    corrections: Words,
) -> np.uint64:
    n, total = zero_labels.shape[0], _U(0)
    d0, d1 = delta[0], delta[1]
    number, bit = 0, 0
    weight = alpha[0] if alpha.shape[0] else _U(0)
    for at in range(0, n, 2):
        other = min(at + 1, n - 1)
        a0, a1 = zero_labels[at, 0], zero_labels[at, 1]
        b0, b1 = zero_labels[other, 0], zero_labels[other, 1]
        low_a, low_b = first + _U(at), first + _U(other)
        h = hash_four(
            (a0, a1, a0 ^ d0, a1 ^ d1, b0, b1, b0 ^ d0, b1 ^ d1),
            (low_a, high, low_a, high, low_b, high, low_b, high),
            schedule,
        )
        for half in range(min(2, n - at)):
            zero = reduce_wide(h[0], h[1]) if half == 0 else reduce_wide(h[4], h[5])
            one = reduce_wide(h[2], h[3]) if half == 0 else reduce_wide(h[6], h[7])
            corrections[at + half] = reduce_word(one + (_Q - zero) + (_Q - weight))
            total = reduce_word(total + zero)
            weight = reduce_word(weight + weight)
            bit += 1
            if bit == width:
                number, bit = number + 1, 0
                weight = alpha[number] if number < alpha.shape[0] else _U(0)
    return total


@compiled
def _take_wires(
    labels: Words,
    bits: NDArray[np.uint8],
    corrections: Words,
    first: np.uint64,
    high: np.uint64,
    schedule: Any,
) -> np.uint64:
    n, total = labels.shape[0], _U(0)
    for at in range(0, n, 4):
        b, c, d = min(at + 1, n - 1), min(at + 2, n - 1), min(at + 3, n - 1)
        low = first + _U(at)
        h = hash_four(
            (
                labels[at, 0],
                labels[at, 1],
                labels[b, 0],
                labels[b, 1],
                labels[c, 0],
                labels[c, 1],
                labels[d, 0],
                labels[d, 1],
            ),
            (low, high, low + _U(1), high, low + _U(2), high, low + _U(3), high),
            schedule,
        )
        residues = (
            reduce_wide(h[0], h[1]),
            reduce_wide(h[2], h[3]),
            reduce_wide(h[4], h[5]),
            reduce_wide(h[6], h[7]),
        )
        for lane in range(min(4, n - at)):
            chosen = _U(0) - _U(bits[at + lane])
            taken = reduce_word(corrections[at + lane]) & chosen
            total = reduce_word(total + residues[lane] + (_Q - taken))
    return total


def bind_wires(
    zero_labels: Words,
    delta: Words,
    alpha: Words,
    width: int,
    first: tuple[int, int],
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> tuple[Words, int]:
    """Return the corrections ``H(L_1) - H(L_0) - alpha_k 2^j`` and the sum of all ``H(L_0)``.

    ``zero_labels`` uint64 (s * width, 2), sum-major, low bit first; ``delta`` uint64 (2,);
    ``alpha`` uint64 (s,), residues; ``first``: the words (low, high) of the first wire's tweak.
    Returns uint64 (s * width,), residues, and a residue.
    """
    corrections = np.empty(len(zero_labels), np.uint64)
    total = _bind_into(
        read_only(zero_labels),
        read_only(delta),
        read_only(alpha),
        width,
        _U(first[0]),
        _U(first[1]),
        key_schedule(round_keys, path),
        corrections,
    )
    return corrections, int(total)


def take_wires(
    labels: Words,
    bits: NDArray[np.uint8],
    corrections: Words,
    first: tuple[int, int],
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> int:
    """Return the sum of ``H(L_b) - b correction`` mod q over all wires, a residue.

    ``labels`` uint64 (m, 2) of ``bits`` uint8 (m,); ``corrections`` uint64 (m,), any words.
    """
    return int(
        _take_wires(
            read_only(labels),
            read_only(bits),
            read_only(corrections),
            _U(first[0]),
            _U(first[1]),
            key_schedule(round_keys, path),
        )
    )
