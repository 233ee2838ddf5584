"""The kernels of keyed products, row sums and bound re-entry equal their twins on every path."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.kernels import bound_reentry, keyed_product, row_sums
from mpc_engine.kernels.aes import AesPath, expand_key
from mpc_engine.kernels.field61 import block_residues
from mpc_engine.params import MAC_PRIME
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.twins import bound_reentry as reentry_twin
from mpc_engine.testing.twins import keyed_product as product_twin
from mpc_engine.testing.twins import row_sums as rows_twin
from tests.engine.kernels.paths import EVERY_AES_PATH
from tests.engine.kernels.twin_parts import assert_equal_parts

_KEYS = expand_key(bytes(range(16)))


def _table(widths: list[int]) -> keyed_product.ChunkTable:
    top = max(widths)
    values = [[0, 1, 2, 3]] * (len(widths) - 1) + [[0, 1, 2**64 - 2, 2**64 - 1]]
    return keyed_product.ChunkTable(
        high=np.array([9 << 56 | c for c in range(len(widths))], dtype=np.uint64),
        ring_bits=np.array(widths, dtype=np.uint64),
        positions=np.array([top - width for width in widths], dtype=np.uint64),
        values=np.array(values, dtype=np.uint64),
    )


def _alpha(n: int, seed: int) -> NDArray[np.uint64]:
    alpha = block_residues(seeded_randomness(seed).words(n, 2))
    alpha[0] = MAC_PRIME - 1
    return alpha


@pytest.mark.slow
@EVERY_AES_PATH
@pytest.mark.parametrize("n_people", [1, 2, 7, 8, 64, 65, 131])
@pytest.mark.parametrize("widths", [[60, 58], [17, 9, 8, 1]])
def test_sent_chunks_equal_their_twin(path: AesPath, n_people: int, widths: list[int]) -> None:
    rng = seeded_randomness(n_people)
    leaves, column = rng.words(len(widths), 4, 2), rng.words(n_people)
    given = (leaves, _table(widths), column, 37, _alpha(n_people, 3), _KEYS)
    got, expected = keyed_product.send_chunks(*given, path), product_twin.send_chunks(*given)
    assert_equal_parts(got, expected)


@pytest.mark.slow
@EVERY_AES_PATH
@pytest.mark.parametrize("n_people", [1, 2, 7, 8, 64, 65, 131])
@pytest.mark.parametrize("widths", [[60, 58], [17, 9, 8, 1]])
def test_received_chunks_equal_their_twin(path: AesPath, n_people: int, widths: list[int]) -> None:
    rng, c, table = seeded_randomness(n_people), len(widths), _table(widths)
    numbers = np.array([[1, 2, 3], [2, 3, 0], [3, 0, 1], [0, 1, 2]], dtype=np.uint64)[:c]
    given = (
        *(rng.words(c, 3, 2), numbers, rng.words(c, 3), rng.words(c), table),
        np.frombuffer(rng.bytes(table.payload_bytes(n_people)), dtype=np.uint8),
        *(n_people, 37, _KEYS),
    )
    got = keyed_product.recv_chunks(*given, path)
    assert np.array_equal(got, product_twin.recv_chunks(*given))


@pytest.mark.slow
@EVERY_AES_PATH
@pytest.mark.parametrize("n_columns", [1, 4, 5, 70, 257])
@pytest.mark.parametrize("width", [59, 24, 1])
def test_rows_equal_their_twin_in_both_directions(
    path: AesPath, n_columns: int, width: int
) -> None:
    rng, n = seeded_randomness(n_columns), 6
    mask = np.uint64((1 << width) - 1)
    keys, bits, rows = rng.words(n, 2, 2), rng.bits(n), rng.words(n, n_columns) & mask
    rows[0] = mask
    tweaks = row_sums.Tweaks(low=5 << 32, pad_high=5 << 56 | 70, mac_high=6 << 56 | 70)
    given = (keys, bits, rows, width, _alpha(n_columns, 4), tweaks, _KEYS)
    sent, expected = row_sums.send_rows(*given, path), rows_twin.send_rows(*given)
    assert_equal_parts(sent, expected)
    macs = sent[1].copy()
    macs[0] = 2**64 - 1
    taken = (np.ascontiguousarray(keys[:, 1]), bits, n_columns, width, tweaks, sent[0], macs, _KEYS)
    got, twin = row_sums.recv_rows(*taken, path), rows_twin.recv_rows(*taken)
    assert np.array_equal(got[0], twin[0])
    assert got[1] == twin[1]


@pytest.mark.slow
@EVERY_AES_PATH
@pytest.mark.parametrize(("n_sums", "width"), [(1, 1), (3, 5), (2, 60)])
def test_bound_wires_equal_their_twin_on_both_sides(path: AesPath, n_sums: int, width: int) -> None:
    rng, m = seeded_randomness(width), n_sums * width
    labels, first = rng.words(m, 2), (11, 7 << 56 | 3)
    given = (labels, rng.words(2), _alpha(n_sums, 5), width, first, _KEYS)
    corrections, total = bound_reentry.bind_wires(*given, path)
    expected, expected_total = reentry_twin.bind_wires(*given)
    assert np.array_equal(corrections, expected)
    assert total == expected_total
    corrections[0] = 2**64 - 1
    taken = (labels, rng.bits(m), corrections, first, _KEYS)
    assert bound_reentry.take_wires(*taken, path) == reentry_twin.take_wires(*taken)
