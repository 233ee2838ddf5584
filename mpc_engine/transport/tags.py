"""Message tags: every frame says what it is, and a receiver names what it expects.

Upper layers define their own ``IntEnum`` inside their range::

    0x0000 - 0x00ff  transport
    0x0100 - 0x01ff  oblivious transfer
    0x0200 - 0x02ff  garbling
    0x0300 - 0x03ff  secure operations
    0x0400 - 0x07ff  protocols
    0x0800 - 0x08ff  party
    0xf000 - 0xffff  tests
"""

from __future__ import annotations

from enum import IntEnum


class MessageTag(IntEnum):
    """Tags of the transport and of oblivious transfer."""

    HELLO = 0x0001

    BASE_OT_POINTS = 0x0101
    BASE_OT_ANSWERS = 0x0102
    OT_COLUMNS = 0x0103
    OT_CHALLENGE = 0x0104
    OT_CHECK = 0x0105
