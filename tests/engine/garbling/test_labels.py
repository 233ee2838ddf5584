from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.errors import ForgedLabelError, UsageError
from mpc_engine.garbling import check_output_labels, colour_bits, encode_bits
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
    opened = check_output_labels(labels, zero, delta)
    assert opened.dtype == np.uint8
    assert np.array_equal(opened, bits)
    assert np.array_equal(colour_bits(labels) ^ colour_bits(zero), bits)


@pytest.mark.parametrize("wire", [0, 17, 49])
@pytest.mark.parametrize("bit", range(0, 128, 9))
def test_a_label_with_one_wrong_bit_is_forged(wire: int, bit: int) -> None:
    zero, delta, bits = _batch(50)
    labels = encode_bits(zero, bits, delta)
    labels[wire, bit // 64] ^= np.uint64(1 << bit % 64)
    with pytest.raises(ForgedLabelError) as caught:
        check_output_labels(labels, zero, delta)
    assert caught.value.code == "FORGED_LABEL"
    assert not any(character.isdigit() for character in caught.value.sentence)


@pytest.mark.parametrize("half", [0, 1])
def test_half_of_the_other_label_is_forged(half: int) -> None:
    zero, delta, bits = _batch(4)
    labels = encode_bits(zero, bits, delta)
    labels[2, half] ^= delta[half]
    with pytest.raises(ForgedLabelError):
        check_output_labels(labels, zero, delta)


def test_labels_of_other_wires_are_forged() -> None:
    zero, delta, bits = _batch(4)
    with pytest.raises(ForgedLabelError):
        check_output_labels(encode_bits(zero, bits, delta)[::-1], zero, delta)


def test_arrays_of_another_kind_are_refused() -> None:
    zero, delta, bits = _batch(4)
    with pytest.raises(UsageError, match="one for each label"):
        encode_bits(zero, bits[:3], delta)
    with pytest.raises(UsageError, match="one for each label"):
        encode_bits(zero, bits.astype(np.int64), delta)
    with pytest.raises(UsageError, match="one returned label"):
        check_output_labels(zero[:1], zero, delta)
    with pytest.raises(UsageError, match="Labels are uint64"):
        colour_bits(zero.view(np.int64))
    with pytest.raises(UsageError, match="Labels are uint64"):
        colour_bits(zero[:, :1])
