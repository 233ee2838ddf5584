"""Message tags of the party layer, on the line that the protocol uses too."""

from __future__ import annotations

from enum import IntEnum


class PartyTag(IntEnum):
    """A message of `mpc_engine.party`."""

    HELLO = 0x0801
    CERTIFICATE = 0x0804
    CERTIFICATE_ANSWER = 0x0805
    CERTIFICATE_STORED = 0x0806
    LEDGER = 0x0807
    RECORDED_ANSWER = 0x0808
    TRAINING_BOUNDS = 0x0809
    MODEL_STORED = 0x080A
    CHECKPOINTS = 0x080B
    CHECKPOINT_CHOSEN = 0x080C
    LINE_CHECK = 0x080D
    STOCK_HELD = 0x080E
    STOCK_NEXT = 0x080F
    STOCK_OFFER = 0x0810
    STOCK_CHOSEN = 0x0811
    STOCK_TAKEN = 0x0812
