"""Twin of ``mpc_engine.kernels.aes`` on the block cipher of ``cryptography``."""

from __future__ import annotations

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray


def encrypt_blocks(blocks: NDArray[np.uint64], key: bytes) -> NDArray[np.uint64]:
    """Encrypt blocks uint64[n, 2] under a 16-byte key."""
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    data = encryptor.update(np.ascontiguousarray(blocks, "<u8").tobytes())
    return np.frombuffer(data, "<u8").astype(np.uint64).reshape(blocks.shape)


def hash_blocks(
    blocks: NDArray[np.uint64], tweaks: NDArray[np.uint64], key: bytes
) -> NDArray[np.uint64]:
    """Hash blocks uint64[n, 2] with their tweaks as pi(pi(x) ^ i) ^ pi(x)."""
    inner = encrypt_blocks(blocks, key)
    return encrypt_blocks(inner ^ tweaks, key) ^ inner
