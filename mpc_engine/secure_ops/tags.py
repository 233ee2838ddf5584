"""Message tags of the building blocks, one constant per message."""

from __future__ import annotations

from enum import IntEnum


class OpTag(IntEnum):
    """A message of `mpc_engine.secure_ops`."""

    LABEL_CORRECTIONS = 0x0201
    PERSON_LABEL_CORRECTIONS = 0x0202
    ROW_CORRECTIONS = 0x0203
    MAC_CORRECTIONS = 0x0204
    CHOICE_FLIPS = 0x0205
    CHECK_CORRECTIONS = 0x0206
    GARBLER_INPUT_SEED = 0x0207
    GARBLED_TABLES = 0x0208
    CHUNK_SEEDS = 0x0209
    CHUNK_CORRECTIONS = 0x020A
    CHUNK_MACS = 0x020B
    PRODUCT_SEEDS = 0x020C
    PRODUCT_CORRECTIONS = 0x020D
