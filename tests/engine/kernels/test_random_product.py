"""The kernels of products of random values equal their twins on every path."""

from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.kernels import random_product
from mpc_engine.kernels.aes import AesPath, expand_key
from mpc_engine.kernels.random_product import Elements, chunk_count, column_bytes
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.twins import random_product as twin
from tests.engine.kernels.paths import EVERY_AES_PATH
from tests.engine.kernels.twin_parts import assert_equal_parts

_KEYS = expand_key(bytes(range(16)))
_STEPS, _PER_STEP = 3, 2
WIDTHS = pytest.mark.parametrize("width", [8, 9, 45, 63, 64])
COLUMNS = pytest.mark.parametrize("n_columns", [1, 2, 7, 10, 33])


def _elements(width: int) -> Elements:
    """Return a block that starts in the middle of step 0 and ends in the middle of step 2."""
    return Elements(1, 4, _PER_STEP, width, 11 << 56 | 5 << 36, 12 << 56 | 5 << 36)


@pytest.mark.slow
@EVERY_AES_PATH
@WIDTHS
@COLUMNS
def test_sent_elements_equal_their_twin(path: AesPath, width: int, n_columns: int) -> None:
    rng, elements = seeded_randomness(width), _elements(width)
    keys = rng.words(elements.n * elements.chunks, 2, 2, 2)
    rows = rng.words(elements.n, n_columns)
    before = rng.words(_STEPS, n_columns)
    kept, expected_kept = before.copy(), before.copy()
    got = random_product.send_elements(keys, rows, elements, kept, _KEYS, path)
    expected = twin.send_elements(keys, rows, elements, expected_kept, _KEYS)
    assert np.array_equal(kept, expected_kept)
    assert_equal_parts(got, expected)


@pytest.mark.slow
@EVERY_AES_PATH
@WIDTHS
@COLUMNS
def test_received_elements_equal_their_twin(path: AesPath, width: int, n_columns: int) -> None:
    rng, elements = seeded_randomness(width), _elements(width)
    n_chunks = elements.n * elements.chunks
    values = rng.words(elements.n) & np.uint64((1 << width) - 1)
    payload = np.frombuffer(rng.bytes(elements.payload_bytes(n_columns)), dtype=np.uint8)
    given = (rng.words(n_chunks, 2, 2), values, elements, rng.words(n_chunks, 2, 2), payload)
    before = rng.words(_STEPS, n_columns)
    got, expected = before.copy(), before.copy()
    random_product.recv_elements(*given, got, _KEYS, path)
    twin.recv_elements(*given, expected, _KEYS)
    mask = np.uint64((1 << width) - 1)
    assert np.array_equal(got & mask, expected & mask)


@pytest.mark.parametrize(
    ("width", "chunks", "n_bytes"), [(8, 4, 4), (9, 5, 6), (50, 25, 91), (64, 32, 144)]
)
def test_a_value_has_these_chunks_and_bytes(width: int, chunks: int, n_bytes: int) -> None:
    assert (chunk_count(width), column_bytes(width)) == (chunks, n_bytes)
