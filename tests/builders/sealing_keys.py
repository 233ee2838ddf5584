"""Public keys that can be sealed to, and that nobody in a test opens with."""

from __future__ import annotations

from functools import lru_cache

from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.testing.randomness import seeded_randomness


@lru_cache
def sealing_key(number: int = 1) -> bytes:
    """Return the public key, 1,216 bytes, that a number draws."""
    return HpkePrivateKey.generate(seeded_randomness(number)).public_bytes
