"""SHA-256 in circuits (FIPS 180-4), at most 22,271 AND gates a block.

A word is 32 bits and a byte 8 bits, least significant first; blocks and digests are lists of
big-endian words as in the standard. Constant bits fold away: a block that is public costs nothing,
a block with public padding costs less.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mpc_engine.circuits.arithmetic import constant_bits
from mpc_engine.circuits.builder import Bits, CircuitBuilder, Template, Wire, make_template
from mpc_engine.circuits.circuit import Circuit
from mpc_engine.circuits.column_sum import ColumnSum

Word = Sequence[Wire]

BLOCK_BYTES = 64
DIGEST_BYTES = 32
_WORD_BITS = 32
_STATE_WORDS = 8
_BLOCK_WORDS = 16
_LENGTH_BYTES = 8


def _primes(count: int) -> list[int]:
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found


def _root_fraction(value: int, degree: int) -> int:
    """Return the first 32 bits of the fraction of a root, by bisection on integers."""
    low, high = 0, value << 32
    scaled = value << 32 * degree
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= scaled else (low, middle)
    return low & 0xFFFFFFFF


ROUND_CONSTANTS = tuple(_root_fraction(prime, 3) for prime in _primes(64))
INITIAL_STATE = tuple(_root_fraction(prime, 2) for prime in _primes(_STATE_WORDS))


def initial_state() -> list[Bits]:
    """Return the constant state in which every hash starts."""
    return [constant_bits(word, _WORD_BITS) for word in INITIAL_STATE]


def midstate_of(public_block: bytes) -> list[Bits]:
    """Return the constant state after public blocks (a multiple of 64 bytes) at the start."""
    words = bytes_to_words(public_bytes(public_block))
    builder, state = CircuitBuilder(), initial_state()
    for start in range(0, len(words), _BLOCK_WORDS):
        state = compress(builder, state, words[start : start + _BLOCK_WORDS])
    return state


def compress(builder: CircuitBuilder, state: Sequence[Word], block: Sequence[Word]) -> list[Bits]:
    """Return the eight words after one block of sixteen."""
    wires = [bit for word in (*state, *block) for bit in word]
    if any(bit is True or bit is False for bit in wires):
        flat = _compress(builder, wires)
    else:
        flat = builder.place(_compress_template(), wires)
    return _words(flat)


def sha256_wires(
    builder: CircuitBuilder, message: Sequence[Bits], *, prefix: bytes = b""
) -> list[Bits]:
    """Return the 32 bytes of the hash of a public prefix and then the message's bytes.

    Whole blocks of the prefix cost nothing.
    """
    n_bytes = len(prefix) + len(message)
    zeros = -(n_bytes + 1 + _LENGTH_BYTES) % BLOCK_BYTES
    padding = b"\x80" + bytes(zeros) + (8 * n_bytes).to_bytes(_LENGTH_BYTES, "big")
    public = len(prefix) - len(prefix) % BLOCK_BYTES
    state = midstate_of(prefix[:public])
    words = bytes_to_words([*public_bytes(prefix[public:]), *message, *public_bytes(padding)])
    for start in range(0, len(words), _BLOCK_WORDS):
        state = compress(builder, state, words[start : start + _BLOCK_WORDS])
    return words_to_bytes(state)


def sha256_circuit(n_bytes: int) -> Circuit:
    """Return the circuit from ``message`` (n_bytes bytes) to ``digest`` (32 bytes)."""
    builder = CircuitBuilder()
    message = builder.input("message", 8 * n_bytes)
    digest = sha256_wires(builder, [message[at : at + 8] for at in range(0, len(message), 8)])
    builder.output("digest", [bit for byte in digest for bit in byte])
    return builder.build()


def public_bytes(data: bytes) -> list[Bits]:
    """Return public bytes as constants."""
    return [constant_bits(byte, 8) for byte in data]


def bytes_to_words(data: Sequence[Bits]) -> list[Bits]:
    """Return bytes, a multiple of four, as big-endian words."""
    return [
        [*data[at + 3], *data[at + 2], *data[at + 1], *data[at]] for at in range(0, len(data), 4)
    ]


def words_to_bytes(words: Sequence[Word]) -> list[Bits]:
    """Return big-endian words as bytes."""
    return [list(word[8 * byte : 8 * byte + 8]) for word in words for byte in (3, 2, 1, 0)]


def _words(bits: Sequence[Wire]) -> list[Bits]:
    return [list(bits[at : at + _WORD_BITS]) for at in range(0, len(bits), _WORD_BITS)]


@lru_cache(maxsize=1)
def _compress_template() -> Template:
    return make_template(_compress, (_STATE_WORDS + _BLOCK_WORDS) * _WORD_BITS)


def _compress(builder: CircuitBuilder, wires: Bits) -> Bits:
    words = _words(wires)
    state, schedule = words[:_STATE_WORDS], _schedule(builder, words[_STATE_WORDS:])
    a, b, c, d, e, f, g, h = state
    for constant, word in zip(ROUND_CONSTANTS, schedule, strict=True):
        mixed = [h, _mix(builder, e, (6, 11, 25)), _choose(builder, e, f, g), word]
        first = _sum(builder, mixed, constant)
        second = [_mix(builder, a, (2, 13, 22)), _majority(builder, a, b, c)]
        a, b, c, d, e, f, g, h = (
            _sum(builder, [first, *second]),
            a,
            b,
            c,
            _sum(builder, [d, first]),
            e,
            f,
            g,
        )
    ended = (a, b, c, d, e, f, g, h)
    return [bit for old, new in zip(state, ended, strict=True) for bit in _sum(builder, [old, new])]


def _schedule(builder: CircuitBuilder, block: Sequence[Word]) -> list[Word]:
    words = list(block)
    for at in range(_BLOCK_WORDS, len(ROUND_CONSTANTS)):
        older = _mix(builder, words[at - 15], (7, 18), shift=3)
        newer = _mix(builder, words[at - 2], (17, 19), shift=10)
        words.append(_sum(builder, [words[at - 16], older, words[at - 7], newer]))
    return words


def _sum(builder: CircuitBuilder, words: Sequence[Word], constant: int = 0) -> Bits:
    columns = ColumnSum(builder, _WORD_BITS)
    columns.add_constant(constant)
    for word in words:
        columns.add_unsigned(word)
    return columns.total()


def _mix(
    builder: CircuitBuilder, word: Word, rotations: Sequence[int], shift: int | None = None
) -> Bits:
    """Return the XOR of rotations to the right and perhaps a shift."""
    turned = [[*word[by:], *word[:by]] for by in rotations]
    if shift is not None:
        turned.append([*word[shift:], *[False] * shift])
    mixed: Bits = list(turned[0])
    for other in turned[1:]:
        mixed = [builder.xor(x, y) for x, y in zip(mixed, other, strict=True)]
    return mixed


def _choose(builder: CircuitBuilder, select: Word, if_one: Word, if_zero: Word) -> Bits:
    return [
        builder.mux(bit, [one], [zero])[0]
        for bit, one, zero in zip(select, if_one, if_zero, strict=True)
    ]


def _majority(builder: CircuitBuilder, a: Word, b: Word, c: Word) -> Bits:
    return [builder.full_adder(x, y, z)[1] for x, y, z in zip(a, b, c, strict=True)]
