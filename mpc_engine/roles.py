"""The two parties, and the only place where a party is mapped to its part in a protocol.

The modeler has a reason to cheat, so in certification and verification it evaluates and receives
(protocols page, section "Trust"); the regulator garbles and sends. A closing is run once by each.
"""

from __future__ import annotations

from enum import Enum, StrEnum


class Role(StrEnum):
    """A party of the computation."""

    MODELER = "modeler"
    REGULATOR = "regulator"

    @property
    def peer(self) -> Role:
        """Return the other party."""
        return Role.REGULATOR if self is Role.MODELER else Role.MODELER


class OTDirection(int, Enum):
    """Which of a person's key sets a protocol uses; the value goes into key hashes and tweaks."""

    REGULATOR_SENDS = 0
    """Keys k0, k1: the modeler chooses by its bit a (certification, closing's first run)."""
    MODELER_SENDS = 1
    """Keys k'0, k'1: the regulator chooses by its bit b (training, closing's second run)."""

    @classmethod
    def sent_by(cls, role: Role) -> OTDirection:
        """Return the direction in which a party sends."""
        return cls.REGULATOR_SENDS if role is Role.REGULATOR else cls.MODELER_SENDS


GARBLER = Role.REGULATOR
