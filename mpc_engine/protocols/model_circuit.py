"""The model inside a circuit: its words, and SHA-256 of its canonical bytes."""

from __future__ import annotations

from mpc_engine.circuits import Bits, CircuitBuilder, arithmetic, sha256
from mpc_engine.protocols.model_encoding import COEFFICIENT_BYTES, NONCE_BYTES, public_block

WORD_BITS = 32


def model_inputs(
    builder: CircuitBuilder, n_features: int, theta_bits: int
) -> tuple[list[Bits], Bits]:
    """Declare the inputs ``theta`` and ``nonce``, in the order of `model_inputs.model_bits`."""
    theta = builder.input("theta", (n_features + 1) * theta_bits)
    return split_coefficients(theta, theta_bits), builder.input("nonce", 8 * NONCE_BYTES)


def split_coefficients(theta: Bits, theta_bits: int) -> list[Bits]:
    """Return the wires of every coefficient, intercept first."""
    return [theta[i : i + theta_bits] for i in range(0, len(theta), theta_bits)]


def model_hash(
    builder: CircuitBuilder, config_digest: bytes, coefficients: list[Bits], nonce: Bits
) -> Bits:
    """Return the 256 wires of ``s(theta)``, most significant bit of each byte first.

    Coefficients are sign-extended to 32 bits here, so that each model has one encoding.
    """
    message = [list(reversed(nonce[i : i + WORD_BITS])) for i in range(0, len(nonce), WORD_BITS)]
    message += [list(arithmetic.sign_extend(bits, WORD_BITS)) for bits in coefficients]
    block = public_block(config_digest)
    n_bytes = len(block) + NONCE_BYTES + COEFFICIENT_BYTES * len(coefficients)
    message.append(_constant_word(1 << (WORD_BITS - 1)))
    while len(message) % 16 != 14:
        message.append(_constant_word(0))
    message += [_constant_word(8 * n_bytes >> WORD_BITS), _constant_word(8 * n_bytes & 0xFFFFFFFF)]
    state = sha256.midstate_of(block)
    for start in range(0, len(message), 16):
        state = sha256.compress(builder, state, message[start : start + 16])
    return [bit for word in state for bit in reversed(word)]


def _constant_word(value: int) -> Bits:
    return [bool((value >> i) & 1) for i in range(WORD_BITS)]
