"""Public parameters of a verification."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class VerificationSpec:
    """What both parties know beforehand; ranges are inclusive, of the encoded features."""

    config_digest: bytes
    n_features: int
    x_frac_bits: int
    theta_bits: int
    feature_ranges: tuple[tuple[int, int], ...]
