"""Message tags: every frame says what it is, and a receiver names what it expects.

Each enumeration of tags keeps to its ranges::

    0x0000 - 0x00ff  MessageTag   transport
    0x0100 - 0x01ff  MessageTag   oblivious transfer
    0x0200 - 0x02ff  OpTag        secure operations
    0x0300 - 0x03ff  ProtocolTag  protocols
    0x0800 - 0x08ff  PartyTag     party
    0xf000 - 0xffff  tests

Every tag with its layout, who sends it, and the functions that write and read it:
``docs/protocols/wire.md``.
"""

from __future__ import annotations

from enum import IntEnum


class MessageTag(IntEnum):
    """Tags of the transport and of oblivious transfer."""

    HELLO = 0x0001

    BASE_OT_OFFERS = 0x0101
    BASE_OT_ANSWERS = 0x0102
    OT_COLUMNS = 0x0103
    OT_CHALLENGE = 0x0104
    OT_CHECK = 0x0105
