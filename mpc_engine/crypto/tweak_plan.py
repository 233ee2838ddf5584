"""The plan of tweaks: which numbers each step of each protocol hashes under, all in one place.

The rule: under one hash key and one delta no tweak serves two purposes. A tweak is used for the two
labels of one wire, the two keys of one transfer or item, or the two nodes of one chunk, and for
nothing else; the hash hides delta on that condition only. Source: Guo, Katz, Wang, Yu, "Efficient
and Secure Multiparty Computation from Fixed-Key Block Ciphers", IEEE S&P 2020, section 7.4.

A tweak has 128 bits: the domain (8), the instance (56), the index (64). `PLAN` lists for each
protocol the instances and indices of every step; no two steps of one protocol meet. `PLAN` keeps
steps apart; the calls of one step are kept apart as the table says:

==============  ====================================  ============================================
domain          instance                              index
==============  ====================================  ============================================
GARBLE          circuit instance, counted             2 gate, 2 gate + 1
RANDOM_OT       call of the extension, counted        transfer of the call
PERSON_KEY      direction << 48 | place in cohort     entry << 32
LABEL, people   the same as for PERSON_KEY            the same
LABEL, others   one number a call of `enter`          wire of the call
PAD             direction << 48 | place in cohort     entry << 32 | block of two columns
MAC             the same as for PAD                   entry << 32
CHECK           sums: 0; scores: part, from 1         wire of the call
CHUNK_SEED      chunk                                 0 a node, 1 and 2 leaves, 3 and 4 locks
CHUNK_PAD       chunk                                 leaf << 60 | pair of people
CHUNK_MAC       (4 chunk + value) << 1 | bit          part, from 1
PRODUCT_SEED    product << 36 | chunk of the product  0 to 3 leaves, 4 and 5 locks
PRODUCT_PAD     product << 36 | chunk of the product  leaf << 60 | pair of columns
==============  ====================================  ============================================

A job has a hash key of its own, and so has each worker of a certification, under the job's delta,
and each run of a closing, under its garbler's delta: a plan holds for one key. The two extensions
of a training hash under one key, each under a delta of its own: RANDOM_OT holds for one extension.
The job that uses a prepared verification hashes under the key it was prepared with, and its
circuits count on from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS, HashDomain
from mpc_engine.kernels.keyed_product import LEAVES
from mpc_engine.kernels.row_sums import Tweaks
from mpc_engine.roles import OTDirection

_DIRECTION_SHIFT = 48
_BLOCK_BITS = 32

MODEL_WIRES = (1 << INSTANCE_BITS) - 1
"""Label instance of what the modeler enters first: model, nonce, bits for sums entered later."""
_ENTERED_SCORES = 1 << 55
SUMS_CHECK = 0
"""Check instance of the sums of a certification; parts of scores count from 1."""
MATRIX_LABELS = 0
"""Label instance of a training's sums over people, or of the state entered in place of them."""
_BATCH_LABELS = 1 << 55
PREPARED_CIRCUITS = 1
"""Circuit instances that a prepared verification has used up: its hash circuit."""
PRODUCTS_A_BLOCK = 5
"""Products of random values in the material of a block of training steps."""
CHUNK_NUMBER_BITS = 36
"""Bits of a chunk's number in a product of random values; the product's number has the others."""

SEED_NODE = 0
SEED_LEAF = 1
SEED_LOCK = 3
"""First indices of a chunk's seeds: the node, two leaves under it, two locks."""


def item_instances(
    direction: OTDirection, n_records: int, n_entries: int, first_record: int = 0
) -> NDArray[np.uint64]:
    """Return the hash instance of every item, uint64 (n_records * n_entries,), record-major.

    ``first_record`` is the place of the first of them in the cohort: no two blocks of a cohort
    share an instance.
    """
    places = np.arange(first_record, first_record + n_records, dtype=np.uint64)
    records = places | np.uint64(int(direction) << _DIRECTION_SHIFT)
    return np.repeat(records, n_entries)


def item_indices(n_records: int, entries: NDArray[np.uint64], block: int = 0) -> NDArray[np.uint64]:
    """Return the hash index (entry, block) of every item, uint64 (n_records * n_entries,)."""
    return np.tile((entries << np.uint64(_BLOCK_BITS)) | np.uint64(block), n_records)


def row_tweaks(direction: OTDirection, first_record: int, entry: int) -> Tweaks:
    """Return the tweaks of one entry's pads for records ``first_record ..``."""
    record = int(direction) << _DIRECTION_SHIFT | first_record
    return Tweaks(
        low=entry << _BLOCK_BITS,
        pad_high=int(HashDomain.PAD) << INSTANCE_BITS | record,
        mac_high=int(HashDomain.MAC) << INSTANCE_BITS | record,
    )


def score_labels(part: int) -> int:
    """Return the label instance under which a part's scores are entered; parts count from 1."""
    return _ENTERED_SCORES + part


def material_labels(block: int) -> int:
    """Return the label instance of a block of training steps; blocks count from 0."""
    return block + 1


def batch_labels(block: int) -> int:
    """Return the label instance of sums over the batches of a block of steps, counted from 0."""
    return _BATCH_LABELS + block


def material_products(block: int) -> range:
    """Return the numbers of the products of a block of training steps; blocks count from 0."""
    return range(block * PRODUCTS_A_BLOCK, (block + 1) * PRODUCTS_A_BLOCK)


def product_words(product: int) -> tuple[int, int]:
    """Return the high words of the seeds' and of the pads' tweaks of a product's chunk 0."""
    number = product << CHUNK_NUMBER_BITS
    return (
        int(HashDomain.PRODUCT_SEED) << INSTANCE_BITS | number,
        int(HashDomain.PRODUCT_PAD) << INSTANCE_BITS | number,
    )


def chunk_pad_word(chunk: int) -> int:
    """Return the high word of the tweaks of a chunk's streams."""
    return int(HashDomain.CHUNK_PAD) << INSTANCE_BITS | chunk


def chunk_mac_instances(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the instances uint64 (chunks,) of low bits' labels; high bits' are odd.

    ``values`` uint64 (chunks,): for which value of each chunk the pad is.
    """
    numbers = np.arange(len(values), dtype=np.uint64)
    return (numbers * np.uint64(LEAVES) + values) << np.uint64(1)


class Protocol(Enum):
    """What runs under one hash key."""

    CLOSING = "closing"
    CERTIFICATION = "certification"
    VERIFICATION = "verification"
    TRAINING = "training"


@dataclass(frozen=True)
class Use:
    """The tweaks of one step: any of ``instances`` with any of ``indices``, in one domain."""

    step: str
    domain: HashDomain
    instances: range
    indices: range = range(1 << 64)

    def has(self, low: int, high: int) -> bool:
        """Return whether the tweak of words ``low``, ``high`` is one of this step."""
        domain, instance = divmod(high, 1 << INSTANCE_BITS)
        return domain == self.domain and instance in self.instances and low in self.indices


_ALL = range(1 << INSTANCE_BITS)


def _people(direction: OTDirection) -> range:
    first = int(direction) << _DIRECTION_SHIFT
    return range(first, first + (1 << _DIRECTION_SHIFT))


_DEALT = _people(OTDirection.REGULATOR_SENDS)
_DEALT_BACK = _people(OTDirection.MODELER_SENDS)
_TRANSFERS = Use("random transfers", HashDomain.RANDOM_OT, _ALL)
_CIRCUITS = Use("circuits", HashDomain.GARBLE, _ALL)

PLAN: dict[Protocol, tuple[Use, ...]] = {
    Protocol.CLOSING: (
        _TRANSFERS,
        Use("people's keys", HashDomain.PERSON_KEY, _DEALT),
        Use("people's answers", HashDomain.LABEL, _DEALT),
        Use("people's keys, second run", HashDomain.PERSON_KEY, _DEALT_BACK),
        Use("people's answers, second run", HashDomain.LABEL, _DEALT_BACK),
        _CIRCUITS,
    ),
    Protocol.CERTIFICATION: (
        _TRANSFERS,
        Use("people's keys", HashDomain.PERSON_KEY, _DEALT),
        Use("people's answers", HashDomain.LABEL, _DEALT),
        Use("scores entered", HashDomain.LABEL, range(score_labels(1), MODEL_WIRES)),
        Use("model and sums", HashDomain.LABEL, range(MODEL_WIRES, MODEL_WIRES + 1)),
        Use("rows in sums", HashDomain.PAD, _DEALT),
        Use("MAC of rows in sums", HashDomain.MAC, _DEALT),
        Use("re-entry of sums", HashDomain.CHECK, range(SUMS_CHECK, SUMS_CHECK + 1)),
        Use("re-entry of scores", HashDomain.CHECK, range(SUMS_CHECK + 1, 1 << INSTANCE_BITS)),
        Use("nodes", HashDomain.CHUNK_SEED, _ALL, range(SEED_NODE, SEED_NODE + 1)),
        Use("leaves", HashDomain.CHUNK_SEED, _ALL, range(SEED_LEAF, SEED_LEAF + 2)),
        Use("locks of sums", HashDomain.CHUNK_SEED, _ALL, range(SEED_LOCK, SEED_LOCK + 2)),
        Use("rows in scores", HashDomain.CHUNK_PAD, _ALL),
        Use("MAC of scores", HashDomain.CHUNK_MAC, _ALL),
        _CIRCUITS,
    ),
    Protocol.VERIFICATION: (
        _TRANSFERS,
        Use("model", HashDomain.LABEL, range(MODEL_WIRES, MODEL_WIRES + 1)),
        Use("hash circuit", HashDomain.GARBLE, range(PREPARED_CIRCUITS)),
        Use("decisions", HashDomain.GARBLE, range(PREPARED_CIRCUITS, 1 << INSTANCE_BITS)),
    ),
    Protocol.TRAINING: (
        _TRANSFERS,
        Use("people's keys", HashDomain.PERSON_KEY, _DEALT_BACK),
        Use("rows in sums", HashDomain.PAD, _DEALT_BACK),
        Use("MAC of rows in sums", HashDomain.MAC, _DEALT_BACK),
        Use("sums, or a state", HashDomain.LABEL, range(MATRIX_LABELS, MATRIX_LABELS + 1)),
        Use("shares in steps", HashDomain.LABEL, range(material_labels(0), _BATCH_LABELS)),
        Use("sums over batches", HashDomain.LABEL, range(batch_labels(0), 1 << INSTANCE_BITS)),
        Use("leaves of products", HashDomain.PRODUCT_SEED, _ALL, range(4)),
        Use("locks of products", HashDomain.PRODUCT_SEED, _ALL, range(4, 6)),
        Use("rows of products", HashDomain.PRODUCT_PAD, _ALL),
        _CIRCUITS,
    ),
}
"""What each protocol hashes under one key."""


def steps_with_tweak(protocol: Protocol, low: int, high: int) -> list[str]:
    """Return the steps of a protocol that have a tweak, given by its two words."""
    return [use.step for use in PLAN[protocol] if use.has(low, high)]
