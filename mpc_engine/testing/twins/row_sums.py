"""Slow twin of ``mpc_engine.kernels.row_sums``: NumPy and Python integers.

`stream` is the only place that hashes for pads and MACs, so that a test can watch or weaken it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.aes import AES_PATH, AesPath, hash_blocks
from mpc_engine.kernels.field61 import block_residues_numpy, inner_products_numpy
from mpc_engine.kernels.row_sums import Tweaks
from mpc_engine.params import MAC_PRIME

Words = NDArray[np.uint64]


def stream(blocks: Words, tweaks: Words, round_keys: Words) -> Words:
    """Hash blocks uint64 (n, 2) under tweaks uint64 (n, 2)."""
    return hash_blocks(blocks, tweaks, round_keys)


def _hash(keys: Words, low: int, high: int, n_blocks: int, round_keys: Words) -> Words:
    m = len(keys)
    tweaks = np.empty((m, n_blocks, 2), dtype=np.uint64)
    tweaks[:, :, 0] = np.arange(low, low + n_blocks, dtype=np.uint64)
    tweaks[:, :, 1] = np.arange(high, high + m, dtype=np.uint64)[:, None]
    hashed = stream(np.repeat(keys, n_blocks, axis=0), tweaks.reshape(-1, 2), round_keys)
    return hashed.reshape(m, 2 * n_blocks)


def _pads(keys: Words, n_columns: int, tweaks: Tweaks, round_keys: Words) -> Words:
    n_blocks = (n_columns + 1) // 2
    return _hash(keys, tweaks.low, tweaks.pad_high, n_blocks, round_keys)[:, :n_columns]


def _macs(keys: Words, tweaks: Tweaks, round_keys: Words) -> list[int]:
    hashed = _hash(keys, tweaks.low, tweaks.mac_high, 1, round_keys)
    return [int(value) for value in block_residues_numpy(hashed)]


def send_rows(
    keys: Words,
    bits: NDArray[np.uint8],
    rows: Words,
    width: int,
    alpha: Words,
    tweaks: Tweaks,
    round_keys: Words,
    path: AesPath = AES_PATH,
    apart: bool = False,
) -> tuple[NDArray[np.uint8], Words, Words, int]:
    """Return payload, MAC corrections, r and beta, as the kernel does."""
    n_records, n_columns = rows.shape
    mask = np.uint64((1 << width) - 1)
    own = bits.astype(np.uint64)[:, None]
    zero = _pads(keys[:, 0], n_columns, tweaks, round_keys) & mask
    one = (zero + rows * (np.uint64(1) - np.uint64(2) * own)) & mask
    sent = (_pads(keys[:, 1], n_columns, tweaks, round_keys) - one) & mask
    raw = np.ascontiguousarray(sent).view(np.uint8).reshape(n_records, n_columns, 8)
    payload = np.ascontiguousarray(raw[:, :, : (width + 7) // 8]).reshape(-1)
    mac_zero, mac_one = (_macs(keys[:, bit], tweaks, round_keys) for bit in (0, 1))
    mu_zero = [int(value) for value in inner_products_numpy(zero, alpha)]
    mu_one = [int(value) for value in inner_products_numpy(one, alpha)]
    macs = [
        (m1 - m0 - u1 + u0) % MAC_PRIME
        for m0, m1, u0, u1 in zip(mac_zero, mac_one, mu_zero, mu_one, strict=True)
    ]
    r = zero - rows * own
    beta = (sum(mac_zero) - sum(mu_zero)) % MAC_PRIME
    kept = r if apart else r.sum(axis=0, dtype=np.uint64)
    return payload, np.array(macs, dtype=np.uint64), kept, beta


def recv_rows(
    keys: Words,
    bits: NDArray[np.uint8],
    n_columns: int,
    width: int,
    tweaks: Tweaks,
    payload: NDArray[np.uint8],
    macs: Words,
    round_keys: Words,
    path: AesPath = AES_PATH,
    apart: bool = False,
) -> tuple[Words, int]:
    """Return v and this block's part of t, as the kernel does."""
    raw = np.zeros((len(keys), n_columns, 8), dtype=np.uint8)
    raw[:, :, : (width + 7) // 8] = payload.reshape(len(keys), n_columns, -1)
    sent = raw.view(np.uint64)[:, :, 0] * bits.astype(np.uint64)[:, None]
    messages = (_pads(keys, n_columns, tweaks, round_keys) - sent) & np.uint64((1 << width) - 1)
    taken = sum(int(mac) * int(bit) for mac, bit in zip(macs, bits, strict=True))
    total = sum(_macs(keys, tweaks, round_keys)) - taken
    kept = messages if apart else messages.sum(axis=0, dtype=np.uint64)
    return kept, total % MAC_PRIME
