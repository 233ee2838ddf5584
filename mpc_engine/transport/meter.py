"""What a channel costs, counted where the bytes pass."""

from __future__ import annotations

from dataclasses import dataclass

from mpc_engine.transport.frame import HEADER_BYTES


@dataclass
class ChannelMeter:
    """Counters of one side of a channel.

    Bytes include the 11-byte frame headers and exclude what TLS and TCP add. ``rounds`` counts
    the times this side turned from sending (or from the start) to receiving: the number of answers
    it waited for, however many messages each had. ``seconds_waiting`` is time spent in receives.
    """

    bytes_sent: int = 0
    bytes_received: int = 0
    messages_sent: int = 0
    messages_received: int = 0
    rounds: int = 0
    seconds_waiting: float = 0.0
    _receiving: bool = False

    def count_sent(self, payload_bytes: int) -> None:
        """Count one sent message."""
        self.bytes_sent += HEADER_BYTES + payload_bytes
        self.messages_sent += 1
        self._receiving = False

    def add(self, other: ChannelMeter) -> None:
        """Add what another process counted on this line."""
        self.bytes_sent += other.bytes_sent
        self.bytes_received += other.bytes_received
        self.messages_sent += other.messages_sent
        self.messages_received += other.messages_received
        self.rounds += other.rounds
        self.seconds_waiting += other.seconds_waiting

    def count_received(self, payload_bytes: int, seconds: float) -> None:
        """Count one received message and the time spent waiting for it."""
        self.bytes_received += HEADER_BYTES + payload_bytes
        self.messages_received += 1
        self.seconds_waiting += seconds
        if not self._receiving:
            self.rounds += 1
            self._receiving = True
