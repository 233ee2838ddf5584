"""The check that an OT extension's receiver used the same choice bits in every column.

Source: L. Roy, "SoftSpokenOT", CRYPTO 2022, the consistency check of the subspace VOLE, for k = 1
and the repetition code (which is IKNP/ALSZ). It replaces the check of Keller, Orsini and Scholl
(CRYPTO 2015), whose proof Roy showed to be wrong: that one sums rows, and with them all columns,
into one field element; this one hashes each of the 128 columns by itself.

**What is hashed.** A column is a bit string, cut into n + 1 blocks of 128 bits that are read as
elements of GF(2^128): n blocks that become transfers (padded with random choices), then one *mask
block*, 128 sacrificed transfers with uniform choice bits that never leave the two parties. For a
challenge ``chi``::

    h(v) = v_1 chi + v_2 chi^2 + ... + v_n chi^n + v_(n+1)

h is linear over GF(2). The receiver holds ``x`` and, for each column i, ``t_i``; the sender holds
``q_i = t_i xor delta_i x``. The receiver sends ``x~ = h(x)`` and all 128 ``t~_i = h(t_i)``; the
sender accepts if, and only if, ``h(q_i) = t~_i xor delta_i x~`` for all i.

**Why the mask block.** ``x~`` is h of the other blocks plus a uniform element, so it tells the
sender nothing about the choices. The ``t~_i`` then tell nothing new: an honest receiver's are the
values that the sender computes itself. The block's transfers are thrown away for this reason.

**Why the challenge comes after the columns.** The receiver's seeds and the columns that it sent fix
the strings ``x_i`` it used, one for each column (equal if it is honest). For ``x_i != x_j`` the
difference of their hashes is a non-zero polynomial in chi of degree at most n, so at most n of the
2^128 challenges hide it. A receiver that knew chi could make different strings collide. The sender
draws chi only when all columns that it covers have arrived. A call of many transfers is cut into
parts; each has a mask block, a challenge and an answer of its own, as if it were a call. Columns of
later parts may be on their way before an answer is checked: they are fixed by the same seeds and
covered by a challenge of their own, drawn after them.

**Statistical error.** By a union over the pairs of columns, different strings collide for some
pair with probability at most ``8128 n / 2^128``: below 2^-88 for 2^34 transfers, also in parts.
Without a collision at most the columns of one string agree with the ``x~`` sent. For each of the c
other columns the equation holds for exactly one value of ``delta_i``, so it is passed by guessing c
bits of delta: with probability 2^-c, and a receiver that passes knows just those c bits. The other
128 - c bits of delta protect every key; guessing wrong ends the session and destroys delta. This
selective failure is what Roy's functionality allows, and a gain of nothing for the cheater: 2^c
sessions that each raise an alarm against c bits of a delta used once.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import OTConsistencyError
from mpc_engine.kernels.bits import COLUMNS
from mpc_engine.kernels.gf128 import inner_products, powers

BLOCK_ROWS = 128
"""Transfers in one block; also the number of sacrificed transfers."""
BLOCK_WORDS = 2
RESPONSE_SHAPE = (COLUMNS + 1, BLOCK_WORDS)
"""The receiver's answer: ``x~``, then ``t~_0 .. t~_127``, uint64."""


@dataclass(frozen=True)
class ColumnHash:
    """The hash h under one challenge: the coefficient of each block of a column."""

    coefficients: NDArray[np.uint64]

    def __call__(self, columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Hash columns uint64[c, words]; returns uint64[c, 2]."""
        return inner_products(columns.reshape(len(columns), -1, BLOCK_WORDS), self.coefficients)


def column_hash(challenge: NDArray[np.uint64], n_words: int) -> ColumnHash:
    """Return h for a challenge uint64[2] and columns of ``n_words``, mask block included."""
    one = np.array([[1, 0]], dtype=np.uint64)
    n_blocks = n_words // BLOCK_WORDS
    return ColumnHash(np.concatenate([powers(challenge, n_blocks - 1), one]))


def answer_challenge(
    challenge: NDArray[np.uint64], choices: NDArray[np.uint64], columns: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return the receiver's answer for choices uint64[words] and columns t uint64[128, words]."""
    h = column_hash(challenge, len(choices))
    return np.concatenate([h(choices[None]), h(columns)])


def check_response(
    delta_mask: NDArray[np.uint64], column_hashes: NDArray[np.uint64], response: NDArray[np.uint64]
) -> None:
    """Raise :class:`OTConsistencyError` unless the answer fits the hashes of the columns q.

    ``delta_mask`` is uint64[128], all ones where the bit of delta is one; ``column_hashes``
    uint64[128, 2] are under the challenge that was sent. All columns are compared at once and in
    constant time, so a failure does not say which one failed.
    """
    x_hash, t_hashes = response[:1], response[1:]
    expected = column_hashes ^ (x_hash & delta_mask[:, None])
    if not hmac.compare_digest(expected.tobytes(), t_hashes.tobytes()):
        raise OTConsistencyError("The other party's transfers contradict each other.")
