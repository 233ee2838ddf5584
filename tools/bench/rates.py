"""The two rates of this machine that no protocol can beat: bytes over TLS, and AES blocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.kernels.aes import encrypt_blocks, expand_key
from mpc_engine.protocols.session import JobContext
from tools.bench.link import Link
from tools.bench.parties import Pair

_PIECE_BYTES, _PIECES, _PIECES_LINKED, _PIECE = 1 << 22, 64, 4, 0x7F02
_AES_BLOCKS, _AES_REPEATS = 1 << 14, 64


def _send_pieces(ctx: JobContext, n_pieces: int) -> None:
    piece = np.zeros(_PIECE_BYTES, dtype=np.uint8)
    for _ in range(n_pieces):
        ctx.channel.send_array(_PIECE, piece)
    ctx.channel.recv(_PIECE, size=0)


def _receive_pieces(ctx: JobContext, n_pieces: int) -> None:
    for _ in range(n_pieces):
        ctx.channel.recv_array(_PIECE, np.uint8, (_PIECE_BYTES,))
    ctx.channel.send(_PIECE, b"")


@dataclass(frozen=True)
class Rates:
    """Bytes a second over TLS one way, AES blocks a second of one core."""

    line: float
    aes: float

    @classmethod
    def measured(cls, pair: Pair, link: Link | None) -> Rates:
        """Measure both; ``link`` is that of the pair."""
        return cls(bytes_a_second(pair, link), aes_blocks_a_second())

    def least_seconds(self, n_bytes: int, n_blocks: int) -> float:
        """Return the time that bytes and AES blocks would take, one after the other."""
        return n_bytes / self.line + n_blocks / self.aes

    def __str__(self) -> str:
        return (
            f"TLS: {self.line / 1e6:.0f} MB/s one way; AES: {self.aes / 1e6:.0f} million blocks a "
            "second on one core. AES blocks of a run are derived from its circuits and shapes "
            "(tools/bench/aes_costs.py), not counted."
        )


def bytes_a_second(pair: Pair, link: Link | None) -> float:
    """Return the bytes a second that one party gets to the other over TLS."""
    n_pieces = _PIECES if link is None else _PIECES_LINKED
    send = partial(_send_pieces, n_pieces=n_pieces)
    receive = partial(_receive_pieces, n_pieces=n_pieces)
    pair.run(send, receive)
    return n_pieces * _PIECE_BYTES / pair.run(send, receive).seconds


def aes_blocks_a_second() -> float:
    """Return the AES blocks a second of one core on blocks in its cache: the best of many.

    Kernels make and use their blocks in cache too, so blocks that come from memory would make the
    least time too long and the efficiency too good.
    """
    rng = system_randomness()
    round_keys, blocks = expand_key(rng.bytes(16)), rng.words(_AES_BLOCKS, 2)
    least = min(_seconds(lambda: encrypt_blocks(blocks, round_keys)) for _ in range(_AES_REPEATS))
    return _AES_BLOCKS / least


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
