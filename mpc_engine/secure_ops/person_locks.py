"""Two locks on a person's bit: item keys that need the person's key and a fresh OT.

A person's key alone is never used: with one person's help the modeler would hold both labels of a
wire, hence delta, hence everything. The item key is ``K_c = u_c xor H(k_c, tweak)`` with ``u_c``
from a consistency-checked random OT of this job and ``k_c`` the key that the person dealt. The
modeler alone can open only the bit it was dealt; with the person it opens one of the two.

Source: the project's constructions page, section "Two locks"; H is the tweakable hash of Guo, Katz,
Wang and Yu (2020), so that equal keys of different people give independent pads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweak_plan import item_indices, item_instances
from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash
from mpc_engine.roles import OTDirection


def sender_item_keys(
    hash_: TweakedHash,
    direction: OTDirection,
    random_ot_keys: NDArray[np.uint64],
    person_keys: NDArray[np.uint64],
    entries: NDArray[np.uint64],
    first_record: int = 0,
) -> NDArray[np.uint64]:
    """Combine both locks for the sender.

    ``random_ot_keys`` and ``person_keys`` uint64 (n, e, 2, 2): per item both candidate keys;
    ``entries`` uint64 (e,), the entry numbers of the configuration; ``first_record`` as in
    `item_instances`. Returns uint64 (n, e, 2, 2).
    """
    n_records, n_entries = person_keys.shape[:2]
    instances = item_instances(direction, n_records, n_entries, first_record)
    indices = item_indices(n_records, entries)
    combined = np.empty_like(person_keys)
    for bit in (0, 1):
        blocks = np.ascontiguousarray(person_keys[:, :, bit]).reshape(-1, 2)
        locked = hash_(blocks, HashDomain.PERSON_KEY, instances, indices)
        combined[:, :, bit] = random_ot_keys[:, :, bit] ^ locked.reshape(n_records, n_entries, 2)
    return combined


def chooser_item_keys(
    hash_: TweakedHash,
    direction: OTDirection,
    random_ot_keys: NDArray[np.uint64],
    person_keys: NDArray[np.uint64],
    entries: NDArray[np.uint64],
    first_record: int = 0,
) -> NDArray[np.uint64]:
    """Combine both locks for the chooser: uint64 (n, e, 2) each, the keys of its own bits."""
    n_records, n_entries = person_keys.shape[:2]
    blocks = np.ascontiguousarray(person_keys).reshape(-1, 2)
    locked = hash_(
        blocks,
        HashDomain.PERSON_KEY,
        item_instances(direction, n_records, n_entries, first_record),
        item_indices(n_records, entries),
    )
    return random_ot_keys ^ locked.reshape(n_records, n_entries, 2)
