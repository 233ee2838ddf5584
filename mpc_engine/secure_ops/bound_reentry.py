"""Bound re-entry: the modeler enters the sums it received, or is caught.

The modeler enters the B bits of each sum V as labels. For the wire of bit j of sum k the regulator
sends ``H(L_1) - H(L_0) - alpha_k 2^j``; adding its hashes, the modeler obtains
``t' = beta' + <alpha, V'>``. Its proof ``t' - t`` must be ``beta' - beta``, before anything is
decoded: the modeler commits to its own before it sees the other (`protocols.ending`). For V' other
than V (as integers) the difference ``<alpha, V' - V>`` is uniform in F_q to the modeler, so that a
wrong V' passes with probability 1/q = 2^-61.
Source: the project's constructions page, section "Bound re-entry"; the argument is that of
information-theoretic MACs (Bendlin, Damgard, Orlandi, Zakarias 2011).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash, counted_tweak
from mpc_engine.errors import UsageError
from mpc_engine.kernels.bound_reentry import bind_wires, take_wires
from mpc_engine.params import MAC_PRIME
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.channel import Channel

PROOF_BYTES = 8
_MAX_SUM_BITS = 60


def sum_width_bits(message_bits: int, n_messages: int) -> int:
    """Return B, the bits of an integer sum of ``n_messages`` messages below 2^l.

    Raises UsageError ``SUM_TOO_WIDE`` when B is not below 61, where the check would not be sound.
    """
    width = message_bits + max(n_messages, 1).bit_length()
    if width > _MAX_SUM_BITS:
        raise UsageError(
            f"The sums over this cohort need {width} bits; at most {_MAX_SUM_BITS} can be "
            "checked. Use fewer fractional bits or smaller feature ranges.",
            code="SUM_TOO_WIDE",
        )
    return width


def send_check_corrections(
    channel: Channel,
    hash_: TweakedHash,
    zero_labels: NDArray[np.uint64],
    delta: NDArray[np.uint64],
    alpha: NDArray[np.uint64],
    width_bits: int,
    instance: int,
) -> int:
    """Send one residue per wire; return this part of beta'.

    ``zero_labels`` uint64 (s * B, 2), sum-major, low bit first; ``alpha`` uint64 (s,);
    ``instance`` is another one for every call of a session.
    """
    first = counted_tweak(len(zero_labels), HashDomain.CHECK, instance, range(len(zero_labels)))
    corrections, zero = bind_wires(zero_labels, delta, alpha, width_bits, first, hash_.round_keys)
    channel.send_array(OpTag.CHECK_CORRECTIONS, corrections)
    return zero


def recv_check_corrections(
    channel: Channel,
    hash_: TweakedHash,
    labels: NDArray[np.uint64],
    bits: NDArray[np.uint8],
    instance: int,
) -> int:
    """Return this part of t', a residue, for ``labels`` uint64 (m, 2) of ``bits`` uint8 (m,)."""
    corrections = channel.recv_array(OpTag.CHECK_CORRECTIONS, np.uint64, (len(bits),))
    first = counted_tweak(len(labels), HashDomain.CHECK, instance, range(len(labels)))
    return take_wires(labels, bits, corrections, first, hash_.round_keys)


def make_proof(difference: int) -> bytes:
    """Return a residue as the 8 bytes of a proof: ``t' - t`` and ``beta' - beta`` must be equal."""
    return (difference % MAC_PRIME).to_bytes(PROOF_BYTES, "little")
