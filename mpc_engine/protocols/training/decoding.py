"""Circuit outputs that only the modeler reads: the garbler's decoding bits, packed."""

from __future__ import annotations

import numpy as np

from mpc_engine.garbling import colour_bits
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.training.shares import Bits, Words
from mpc_engine.transport.channel import Channel


def send_decoding(channel: Channel, zero_labels: Words) -> None:
    """Let the evaluator read outputs: the colours of ``zero_labels`` (m, w, 2), a bit each."""
    packed = np.packbits(colour_bits(zero_labels).reshape(-1), bitorder="little")
    channel.send_array(ProtocolTag.DECODING_BITS, packed)


def recv_decoded(channel: Channel, labels: Words) -> Bits:
    """Return the values uint8 (m, w) of output ``labels`` (m, w, 2)."""
    colours = colour_bits(labels)
    packed = channel.recv_array(ProtocolTag.DECODING_BITS, np.uint8, ((colours.size + 7) // 8,))
    decoding = np.unpackbits(packed, count=colours.size, bitorder="little")
    opened: Bits = colours ^ decoding.reshape(colours.shape)
    return opened
