"""Vectors, and randomness that follows them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import unpack_bits
from mpc_engine.roles import Role
from mpc_engine.sharing.layout import EnvelopeLayout

VECTORS = Path(__file__).resolve().parents[2] / "vectors"


def read_vectors(name: str) -> Any:
    """Return the content of one vector file."""
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="ascii"))


def layout_of(study: dict[str, Any]) -> EnvelopeLayout:
    """Return the layout of a study as vectors state it."""
    return EnvelopeLayout(
        study_id=bytes.fromhex(study["study_id"]),
        config_digest=bytes.fromhex(study["config_digest"]),
        category_counts=tuple(study["category_counts"]),
        data_holder=Role(study["data_holder"]),
        data_by_file=study["data_by_file"],
        feature_ranges=tuple((low, high) for low, high in study["feature_ranges"]),
    )


class ListedRandomness:
    """Gives out exactly the listed bytes, in order, and refuses to give more."""

    def __init__(self, listed: bytes) -> None:
        self._left = listed

    def bytes(self, n: int) -> bytes:
        """Return the next ``n`` listed bytes."""
        if n > len(self._left):
            raise ValueError("more randomness is drawn than the vector lists")
        taken, self._left = self._left[:n], self._left[n:]
        return taken

    def words(self, *shape: int) -> NDArray[np.uint64]:
        """Return the next listed bytes as little-endian words."""
        n_words = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self.bytes(8 * n_words), "<u8").astype(np.uint64).reshape(shape)

    def bits(self, n: int) -> NDArray[np.uint8]:
        """Return the next listed bytes as bits."""
        return unpack_bits(self.bytes((n + 7) // 8), n)

    @property
    def is_used_up(self) -> bool:
        """Return whether every listed byte was drawn."""
        return not self._left
