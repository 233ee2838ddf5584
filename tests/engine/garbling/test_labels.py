from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.errors import UsageError
from mpc_engine.garbling import colour_bits, encode_bits
from mpc_engine.testing.randomness import seeded_randomness


def _batch(*shape: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return zero labels, a delta and random bits."""
    rng = seeded_randomness(7)
    zero, delta = rng.words(*shape, 2), rng.words(2)
    delta[0] |= np.uint64(1)
    return zero, delta, rng.bits(int(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize("shape", [(0,), (1,), (50,), (3, 4), (2, 0)])
def test_encoded_bits_come_back(shape: tuple[int, ...]) -> None:
    zero, delta, bits = _batch(*shape)
    labels = encode_bits(zero, bits, delta)
    assert np.array_equal(labels ^ zero, bits[..., None] * delta)
    assert colour_bits(labels).dtype == np.uint8
    assert np.array_equal(colour_bits(labels) ^ colour_bits(zero), bits)


def test_arrays_of_another_kind_are_refused() -> None:
    zero, delta, bits = _batch(4)
    with pytest.raises(UsageError, match="one for each label"):
        encode_bits(zero, bits[:3], delta)
    with pytest.raises(UsageError, match="one for each label"):
        encode_bits(zero, bits.astype(np.int64), delta)
    with pytest.raises(UsageError, match="Labels are uint64"):
        colour_bits(zero.view(np.int64))
    with pytest.raises(UsageError, match="Labels are uint64"):
        colour_bits(zero[:, :1])
