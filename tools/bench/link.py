"""A network between the parties of a benchmark: ``--link RATE,RTT``, e.g. ``100mbit,40ms``.

A relay in a process of its own limits the bytes each way and delays them by half the round trip.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

from tests.relay import Address, Relay

_LOOPBACK = "127.0.0.1"
_FORM = re.compile(r"(\d+(?:\.\d+)?)(k|m|g)bit,(\d+(?:\.\d+)?)ms")
_BITS = {"k": 1e3, "m": 1e6, "g": 1e9}


@dataclass(frozen=True)
class Link:
    """Bytes a second each way, seconds of a round trip, and how the command line said it."""

    rate_bytes_s: float
    round_trip_s: float
    text: str

    @contextmanager
    def relayed(self, target: Address) -> Iterator[Address]:
        """Yield the address at which ``target`` is reached through this link."""
        fork = multiprocessing.get_context("fork")
        own, other = fork.Pipe()
        process = fork.Process(target=_relay, args=(self, target, other), daemon=True)
        process.start()
        try:
            yield _LOOPBACK, own.recv()
        finally:
            own.send(None)
            process.join()


def _relay(link: Link, target: Address, pipe: Connection) -> None:
    """Relay until told to stop."""
    relay = Relay(target, rate_bytes_s=link.rate_bytes_s, delay_s=link.round_trip_s / 2)
    pipe.send(relay.port)
    pipe.recv()
    relay.close()


def parse_link(text: str) -> Link:
    """Read ``RATE,RTT``: a number and kbit, mbit or gbit (a second), a number and ms."""
    found = _FORM.fullmatch(text)
    if not found or not float(found[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a link such as 100mbit,40ms.")
    return Link(float(found[1]) * _BITS[found[2]] / 8, float(found[3]) / 1000, text)


def add_link_argument(parser: argparse.ArgumentParser) -> None:
    """Take ``--link``; without it the parties talk over the loopback device as it is."""
    parser.add_argument(
        "--link", type=parse_link, metavar="RATE,RTT", help="limit and delay, e.g. 100mbit,40ms"
    )


def link_remark(link: Link | None) -> str:
    """Say over what the parties talked."""
    return f"Line between the parties: {link.text if link else 'loopback, not limited'}."
