"""Slow twin of ``TweakedHash.pairs``: two calls of the hash, which tests can watch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash


def pairs(
    self: TweakedHash,
    blocks: NDArray[np.uint64],
    offset: NDArray[np.uint64],
    domain: HashDomain,
    instance: int,
    index: range,
    result: NDArray[np.uint64],
) -> None:
    """Hash each block, then each sum with the offset, into ``result`` uint64[n, 2, 2]."""
    for number, given in enumerate((blocks, blocks ^ offset)):
        result[:, number] = self(given, domain, instance, index)
