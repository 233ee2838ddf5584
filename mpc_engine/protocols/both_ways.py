"""What either party of a session may do as sender or as receiver: sums and products with people.

The regulator sends in certification, the modeler in training, each of them once in a closing. Who
sends says which of a person's two sets of keys a step is under, and that is part of its tweaks: a
step is given no direction, it follows from the side and from whether it sends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.garbling.labels import BitArray, Labels
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.person_locks import chooser_item_keys, sender_item_keys
from mpc_engine.secure_ops.random_product import recv_random_products, send_random_products
from mpc_engine.secure_ops.row_sums import (
    ReceiverSums,
    SenderSums,
    recv_row_sums,
    send_row_sums,
)
from mpc_engine.transport.channel import Channel


class BothWays:
    """A line with the hash key of a session. What goes over it is said in `mpc_engine.secure_ops`.

    ``sends``, ``takes``: which keys of people a step is under in which this side sends or takes.
    """

    sends: OTDirection
    takes: OTDirection

    def __init__(self, channel: Channel, rng: Randomness, hash_key: bytes) -> None:
        self.channel = channel
        self.rng = rng
        self.hash_key = hash_key
        self.hash = TweakedHash(hash_key)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<secret>)"

    def sender_keys(
        self, ot_keys: Labels, person_keys: Labels, entries: Labels, first_record: int = 0
    ) -> Labels:
        """Return item keys uint64 (n, e, 2, 2) under two locks; see `sender_item_keys`."""
        return sender_item_keys(self.hash, self.sends, ot_keys, person_keys, entries, first_record)

    def chooser_keys(
        self, ot_keys: Labels, person_keys: Labels, entries: Labels, first_record: int = 0
    ) -> Labels:
        """Return item keys uint64 (n, e, 2) of this side's bits; see `chooser_item_keys`."""
        return chooser_item_keys(self.hash, self.takes, ot_keys, person_keys, entries, first_record)

    def send_sums(
        self,
        item_keys: Labels,
        entries: Labels,
        own_bits: BitArray,
        rows: NDArray[np.int64],
        width_bits: int,
        alpha: Labels,
        first_record: int = 0,
        apart: bool = False,
    ) -> SenderSums:
        """Send what makes the peer's sums over people; see `send_row_sums`."""
        return send_row_sums(
            self.channel,
            self.hash,
            self.sends,
            item_keys,
            entries,
            own_bits,
            rows,
            width_bits,
            alpha,
            first_record,
            apart,
        )

    def recv_sums(
        self,
        item_keys: Labels,
        entries: Labels,
        own_bits: BitArray,
        n_columns: int,
        width_bits: int,
        first_record: int = 0,
        apart: bool = False,
    ) -> ReceiverSums:
        """Receive sums over people; see `recv_row_sums`."""
        return recv_row_sums(
            self.channel,
            self.hash,
            self.takes,
            item_keys,
            entries,
            own_bits,
            n_columns,
            width_bits,
            first_record,
            apart,
        )

    def send_products(
        self, ot: RandomOTSender, rows: Labels, width_bits: int, product: int
    ) -> Labels:
        """Return shares of products with the peer's random values; see `send_random_products`.

        ``product`` is the call's number, from `crypto.tweak_plan`.
        """
        return send_random_products(self.channel, ot, self.hash, rows, width_bits, product)

    def recv_products(
        self, ot: RandomOTReceiver, values: Labels, n_columns: int, width_bits: int, product: int
    ) -> Labels:
        """Return shares of products of random ``values``; see `recv_random_products`."""
        return recv_random_products(
            self.channel, ot, self.hash, values, n_columns, width_bits, product
        )
