"""The tweaks of AND gates: word 1 = GARBLE domain and instance, word 0 = twice the gate, plus 0/1.

Kernels count on from the first instance's word 1, which is why ids of one call lie in a row.
"""

from __future__ import annotations

import numpy as np

from mpc_engine.crypto.tweaked_hash import HashDomain, make_tweaks
from mpc_engine.garbling.instance_counter import InstanceCounter


def first_tweak_word(counter: InstanceCounter, n_instances: int) -> np.uint64:
    """Take ``n_instances`` fresh ids and return word 1 of the first one's tweaks."""
    first = counter.take(n_instances)
    if n_instances == 0:
        return np.uint64(0)
    return np.uint64(make_tweaks(1, HashDomain.GARBLE, first, 0)[0, 1])
