"""Streams of the leaves of products: ``H(leaf, (number | x << 60, high))``, two words a block.

All blocks of a leaf hash the same leaf, so the caller computes ``pi(leaf)`` once and a block costs
one AES. On the vector path four blocks of every leaf are made at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels import aes_native, aes_portable, aes_vector
from mpc_engine.kernels.aes import encrypt_four
from mpc_engine.kernels.aes_vector import VECTOR_WORDS
from mpc_engine.kernels.jit import compiled

Words = NDArray[np.uint64]

_U = np.uint64


@compiled
def encrypt_three(words: Any, schedule: Any) -> Any:
    """Encrypt three blocks, a tuple of six uint64."""
    if schedule.ndim != 2:
        return aes_native.encrypt(words, schedule)
    none = _U(0)
    w = (words[0], words[1], words[2], words[3], words[4], words[5], none, none)
    e = aes_portable.encrypt_four(w, schedule)
    return e[0], e[1], e[2], e[3], e[4], e[5]


@compiled
def expand_leaves(
    inner: Any, bases: Any, first: np.uint64, schedule: Any, streams: Words, n_words: int
) -> None:
    """Write every leaf's stream: block p is ``pi(base ^ p) ^ inner``, a row of ``streams`` each.

    ``inner`` and ``bases``: two uint64 a leaf, three or four leaves; p counts from ``first``.
    ``streams`` uint64 (leaves, n) contiguous, of which ``n_words`` are written: whole vectors.
    """
    if schedule.ndim == 3:
        for at in range(0, n_words, VECTOR_WORDS):
            aes_vector.expand_leaves(inner, bases, first + _U(at >> 1), schedule, streams, at)
    else:
        for at in range(0, n_words, 2):
            p = first + _U(at >> 1)
            if len(inner) == 8:
                words = (
                    bases[0] ^ p,
                    bases[1],
                    bases[2] ^ p,
                    bases[3],
                    bases[4] ^ p,
                    bases[5],
                    bases[6] ^ p,
                    bases[7],
                )
                e = encrypt_four(words, schedule)
                streams[3, at], streams[3, at + 1] = e[6] ^ inner[6], e[7] ^ inner[7]
            else:
                e = encrypt_three(
                    (bases[0] ^ p, bases[1], bases[2] ^ p, bases[3], bases[4] ^ p, bases[5]),
                    schedule,
                )
            streams[0, at], streams[0, at + 1] = e[0] ^ inner[0], e[1] ^ inner[1]
            streams[1, at], streams[1, at + 1] = e[2] ^ inner[2], e[3] ^ inner[3]
            streams[2, at], streams[2, at + 1] = e[4] ^ inner[4], e[5] ^ inner[5]


@compiled
def expand_two(inner: Any, bases: Any, schedule: Any, streams: Words, n_words: int) -> None:
    """Write two leaves' streams as `expand_leaves` does, p counting from 0."""
    if schedule.ndim == 3:
        for at in range(0, n_words, VECTOR_WORDS):
            aes_vector.expand_leaves(inner, bases, _U(at >> 1), schedule, streams, at)
    else:
        for at in range(0, n_words, 4):
            p, q = _U(at >> 1), _U((at >> 1) + 1)
            e = encrypt_four(
                (
                    bases[0] ^ p,
                    bases[1],
                    bases[2] ^ p,
                    bases[3],
                    bases[0] ^ q,
                    bases[1],
                    bases[2] ^ q,
                    bases[3],
                ),
                schedule,
            )
            for word in range(2):
                streams[0, at + word] = e[word] ^ inner[word]
                streams[1, at + word] = e[2 + word] ^ inner[2 + word]
                streams[0, at + 2 + word] = e[4 + word] ^ inner[word]
                streams[1, at + 2 + word] = e[6 + word] ^ inner[2 + word]


@compiled
def expand_one(inner: Any, bases: Any, schedule: Any, streams: Words, n_words: int) -> None:
    """Write one leaf's stream as `expand_leaves` does, p counting from 0."""
    if schedule.ndim == 3:
        for at in range(0, n_words, VECTOR_WORDS):
            aes_vector.expand_leaves(inner, bases, _U(at >> 1), schedule, streams, at)
    else:
        for at in range(0, n_words, 8):
            p, up = bases[0], bases[1]
            first = _U(at >> 1)
            e = encrypt_four(
                (
                    p ^ first,
                    up,
                    p ^ (first + _U(1)),
                    up,
                    p ^ (first + _U(2)),
                    up,
                    p ^ (first + _U(3)),
                    up,
                ),
                schedule,
            )
            for word in range(8):
                streams[0, at + word] = e[word] ^ inner[word & 1]


@compiled
def whole_vectors(n_columns: int) -> int:
    """Return the words of a stream for so many columns."""
    return (n_columns + VECTOR_WORDS - 1) // VECTOR_WORDS * VECTOR_WORDS
