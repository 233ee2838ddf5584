"""ML-KEM-768 encapsulation with given randomness, so that sealed vectors can be made again.

Written from FIPS 203, algorithms 4 to 7, 9 to 11, 14, 17 and 20, for vectors only: a library draws
the message itself, and a repeated one protects nothing.
"""

from __future__ import annotations

import hashlib

N, Q, K = 256, 3329, 3
DU, DV = 10, 4
ROOT = 17
POLY_BYTES = 384

Poly = list[int]


def encapsulate(public_key: bytes, message: bytes) -> tuple[bytes, bytes]:
    """Return (shared secret 32, ciphertext 1088) of a public key of 1184 bytes (algorithm 17)."""
    derived = hashlib.sha3_512(message + hashlib.sha3_256(public_key).digest()).digest()
    return derived[:32], _encrypt(public_key, message, derived[32:])


def _encrypt(public_key: bytes, message: bytes, randomness: bytes) -> bytes:
    """Algorithm 14 (K-PKE.Encrypt)."""
    packed, rho = public_key[: K * POLY_BYTES], public_key[K * POLY_BYTES :]
    t = [_decode(packed[POLY_BYTES * i :][:POLY_BYTES], 12) for i in range(K)]
    noise = [_centred(randomness, n) for n in range(2 * K + 1)]
    y = [_ntt(poly) for poly in noise[:K]]
    encoded = b""
    for i in range(K):
        column = [_uniform(rho + bytes([i, j])) for j in range(K)]
        u = _added(_inverse_ntt(_dot(column, y)), noise[K + i])
        encoded += _encode(_compressed(u, DU), DU)
    mu = [bit * ((Q + 1) // 2) for bit in _decode(message, 1)]
    v = _added(_added(_inverse_ntt(_dot(t, y)), noise[2 * K]), mu)
    return encoded + _encode(_compressed(v, DV), DV)


def _decode(data: bytes, bits: int) -> Poly:
    """Algorithm 6, without the reduction."""
    whole = int.from_bytes(data, "little")
    return [(whole >> (bits * i)) & ((1 << bits) - 1) for i in range(N)]


def _encode(poly: Poly, bits: int) -> bytes:
    """Algorithm 5."""
    whole = sum(value << (bits * i) for i, value in enumerate(poly))
    return whole.to_bytes(32 * bits, "little")


def _compressed(poly: Poly, bits: int) -> Poly:
    return [((value << bits) + Q // 2) // Q % (1 << bits) for value in poly]


def _uniform(seed: bytes) -> Poly:
    """Algorithm 7: what is drawn is already in the transformed domain."""
    stream = hashlib.shake_128(seed).digest(3 * N)
    found: Poly = []
    for a, b, c in zip(stream[::3], stream[1::3], stream[2::3], strict=True):
        found += [value for value in (a + 256 * (b % 16), b // 16 + 16 * c) if value < Q]
    if len(found) < N:
        raise ValueError("too few values under q in what was drawn")
    return found[:N]


def _centred(seed: bytes, number: int) -> Poly:
    """Algorithm 8 with eta = 2."""
    bits = _decode_bits(hashlib.shake_256(seed + bytes([number])).digest(2 * N // 4))
    return [
        (bits[4 * i] + bits[4 * i + 1] - bits[4 * i + 2] - bits[4 * i + 3]) % Q for i in range(N)
    ]


def _decode_bits(data: bytes) -> list[int]:
    return [byte >> bit & 1 for byte in data for bit in range(8)]


def _reversed_bits(value: int) -> int:
    return int(f"{value:07b}"[::-1], 2)


ZETAS = [pow(ROOT, _reversed_bits(i), Q) for i in range(128)]


def _ntt(poly: Poly) -> Poly:
    """Algorithm 9."""
    f, i, length = list(poly), 1, N // 2
    while length >= 2:
        for start in range(0, N, 2 * length):
            zeta = ZETAS[i]
            i += 1
            for j in range(start, start + length):
                t = zeta * f[j + length] % Q
                f[j + length] = (f[j] - t) % Q
                f[j] = (f[j] + t) % Q
        length //= 2
    return f


def _inverse_ntt(poly: Poly) -> Poly:
    """Algorithm 10."""
    f, i, length = list(poly), 127, 2
    while length <= N // 2:
        for start in range(0, N, 2 * length):
            zeta = ZETAS[i]
            i -= 1
            for j in range(start, start + length):
                t = f[j]
                f[j] = (t + f[j + length]) % Q
                f[j + length] = zeta * (f[j + length] - t) % Q
        length *= 2
    return [value * pow(128, -1, Q) % Q for value in f]


def _dot(left: list[Poly], right: list[Poly]) -> Poly:
    """Algorithms 11 and 12, summed over the vectors."""
    total = [0] * N
    for f, g in zip(left, right, strict=True):
        for i in range(N // 2):
            gamma = pow(ROOT, 2 * _reversed_bits(i) + 1, Q)
            a, b = 2 * i, 2 * i + 1
            total[a] = (total[a] + f[a] * g[a] + f[b] * g[b] * gamma) % Q
            total[b] = (total[b] + f[a] * g[b] + f[b] * g[a]) % Q
    return total


def _added(left: Poly, right: Poly) -> Poly:
    return [(a + b) % Q for a, b in zip(left, right, strict=True)]
