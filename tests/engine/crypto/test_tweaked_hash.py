"""The tweaked hash equals its definition, written with another AES and plain integers."""

from __future__ import annotations

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB

from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash, make_tweaks
from mpc_engine.errors import UsageError
from mpc_engine.kernels.aes import expand_key

KEY = bytes(range(100, 116))


def encrypt(block: int) -> int:
    cipher = Cipher(AES(KEY), ECB()).encryptor().update(block.to_bytes(16, "little"))
    return int.from_bytes(cipher, "little")


def defined_hash(block: int, domain: int, instance: int, index: int) -> int:
    inner = encrypt(block)
    tweak = domain << 120 | instance << 64 | index
    return encrypt(inner ^ tweak) ^ inner


def integers(blocks: np.ndarray) -> list[int]:
    return [int.from_bytes(block.tobytes(), "little") for block in blocks]


@pytest.mark.parametrize("domain", list(HashDomain))
@pytest.mark.parametrize("n", [0, 1, 2, 5, 9])
def test_the_hash_equals_its_definition(domain: HashDomain, n: int) -> None:
    rng = np.random.default_rng(n)
    blocks = rng.integers(0, 2**64, (n, 2), dtype=np.uint64)
    instances = rng.integers(0, 2**56, n, dtype=np.uint64)
    indices = rng.integers(0, 2**64, n, dtype=np.uint64)
    expected = [
        defined_hash(block, domain, int(instance), int(index))
        for block, instance, index in zip(integers(blocks), instances, indices, strict=True)
    ]
    assert integers(TweakedHash(KEY)(blocks, domain, instances, indices)) == expected


def test_single_numbers_stand_for_all_blocks() -> None:
    blocks = np.arange(6, dtype=np.uint64).reshape(3, 2)
    top = 2**56 - 1, 2**64 - 1
    assert integers(TweakedHash(KEY)(blocks, HashDomain.PAD, *top)) == [
        defined_hash(block, HashDomain.PAD, *top) for block in integers(blocks)
    ]


def test_tweaks_of_different_domains_instances_and_indices_differ() -> None:
    tweaks = {
        make_tweaks(1, domain, instance, index).tobytes()
        for domain in HashDomain
        for instance in (0, 1, 2**56 - 1)
        for index in (0, 1, 2**64 - 1)
    }
    assert len(tweaks) == 9 * len(HashDomain)


@pytest.mark.parametrize(
    ("instance", "index"),
    [
        (2**56, 0),
        (-1, 0),
        (0, 2**64),
        (0, -1),
        (np.array([0, 2**56], np.uint64), 0),
        (0, np.array([0, -1])),
        (0, np.array([0.5, 1.0])),
        (2**70, 0),
    ],
)
def test_counters_that_do_not_fit_are_refused(instance: int, index: int) -> None:
    with pytest.raises(UsageError):
        make_tweaks(2, HashDomain.PAD, instance, index)


def test_a_key_of_another_length_is_refused() -> None:
    with pytest.raises(UsageError):
        TweakedHash(bytes(15))


def test_kernels_get_the_expanded_key() -> None:
    assert np.array_equal(TweakedHash(KEY).round_keys, expand_key(KEY))
