"""Security parameters and format versions, each with its one definition."""

from __future__ import annotations

PROTOCOL_VERSION = "bj2"
BASE_OTS = "Masny-Rindal 2019 from edwards25519 and ML-KEM-768, version 1"
"""What the base OTs are made from, as certificates name it (`mpc_engine.ot.base_ot`)."""
ENVELOPE_VERSION = 2

RING_BITS = 64
KAPPA = 128
"""Computational security parameter in bits: labels, keys, base OTs."""
SIGMA = 40
"""Statistical security parameter in bits that every check must reach."""

MAC_PRIME = (1 << 61) - 1
"""Prime of the MAC column in bound re-entry; a forged sum passes with probability 1/MAC_PRIME."""

DEFAULT_X_FRAC_BITS = 8
DEFAULT_THETA_BITS = 24
DEFAULT_THETA_FRAC_BITS = 16
"""Encoded coefficients are signed integers; this many of their bits are fractional."""
