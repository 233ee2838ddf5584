"""The engine's one correlation-robust hash, and the domains that keep its uses apart."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.kernels.aes import AES_KEY_BYTES, expand_key, hash_blocks, hash_counted, hash_pairs

INSTANCE_BITS = 56
Counter = int | range | NDArray[Any]
"""One number for all blocks, or one per block: as a range, or as an integer array."""


class HashDomain(IntEnum):
    """What a hash value is for; the top byte of every tweak."""

    GARBLE = 1
    RANDOM_OT = 2
    PERSON_KEY = 3
    LABEL = 4
    PAD = 5
    MAC = 6
    CHECK = 7
    CHUNK_SEED = 8
    CHUNK_PAD = 9
    CHUNK_MAC = 10
    PRODUCT_SEED = 11
    PRODUCT_PAD = 12


class TweakedHash:
    """``H(x, i) = pi(pi(x) xor i) xor pi(x)`` with pi = AES-128 under one key of the job.

    Tweakable circular correlation robust when pi is an ideal permutation: it hides ``delta`` in
    ``H(x xor delta, i)`` even for chosen ``x``, as long as no (``delta``, tweak) recurs. The key is
    public to both parties; drawing it per job keeps tables over many jobs from being attacked
    together. Source: Guo, Katz, Wang, Yu, "Efficient and Secure Multiparty Computation from
    Fixed-Key Block Ciphers", IEEE S&P 2020, section 7.4.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) != AES_KEY_BYTES:
            raise UsageError(f"A hash key has {AES_KEY_BYTES} bytes.")
        self.round_keys = expand_key(key)

    def __call__(
        self,
        blocks: NDArray[np.uint64],
        domain: HashDomain,
        instance: Counter,
        index: Counter,
    ) -> NDArray[np.uint64]:
        """Hash blocks uint64[n, 2] under the tweaks of :func:`make_tweaks`; uint64[n, 2].

        The fastest way to number blocks is a range as ``index`` with one ``instance``.
        """
        if isinstance(index, range) and index.step == 1 and isinstance(instance, int):
            low, high = counted_tweak(len(blocks), domain, instance, index)
            return hash_counted(blocks, low, high, self.round_keys)
        return hash_blocks(
            blocks, make_tweaks(len(blocks), domain, instance, index), self.round_keys
        )

    def pairs(
        self,
        blocks: NDArray[np.uint64],
        offset: NDArray[np.uint64],
        domain: HashDomain,
        instance: int,
        index: range,
        result: NDArray[np.uint64],
    ) -> None:
        """Hash each x and ``x xor offset`` under one tweak into ``result`` uint64[n, 2, 2]."""
        low, high = counted_tweak(len(blocks), domain, instance, index)
        hash_pairs(blocks, offset, low, high, self.round_keys, result)


def counted_tweak(n: int, domain: HashDomain, instance: int, index: range) -> tuple[int, int]:
    """Return the words (low, high) of the first of n tweaks that count up in ``index``.

    UsageError unless there are n numbers and all fit.
    """
    if len(index) != n or index.step != 1:
        raise UsageError("There is one tweak counter for each block.")
    if index.start < 0 or index.stop > 1 << 64 or instance < 0 or instance >> INSTANCE_BITS:
        raise UsageError("A tweak counter must fit in its bits.")
    return index.start, int(domain) << INSTANCE_BITS | instance


def make_tweaks(
    n: int, domain: HashDomain, instance: Counter, index: Counter
) -> NDArray[np.uint64]:
    """Return n tweaks uint64[n, 2]: word 0 = index, word 1 = ``domain << 56 | instance``.

    ``instance`` is below 2^56 and ``index`` below 2^64; UsageError otherwise, the caller's fault.
    """
    tweaks = np.empty((n, 2), dtype=np.uint64)
    tweaks[:, 0] = _words(index, 64)
    tweaks[:, 1] = _words(instance, INSTANCE_BITS) | np.uint64(domain << INSTANCE_BITS)
    return tweaks


def _words(counter: Counter, n_bits: int) -> NDArray[np.uint64] | np.uint64:
    """Return a counter as uint64 after checking that it fits in ``n_bits``."""
    array = np.asarray(counter)
    if array.dtype.kind not in "iu" and array.size:
        raise UsageError("A tweak counter is an integer or an array of integers.")
    if array.size and (int(array.min()) < 0 or int(array.max()) >> n_bits):
        raise UsageError(f"A tweak counter must fit in {n_bits} bits.")
    return array.astype(np.uint64)
