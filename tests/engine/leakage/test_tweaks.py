"""No hash input recurs: one tweak serves at most the two labels or keys of one wire or item.

Every tweak is one step's in the plan of tweaks (`mpc_engine.crypto.tweak_plan`), and every step of
the plan has some. For training see `test_training_no_repeat`.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.tweak_plan import PLAN, Protocol, steps_with_tweak
from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash, make_tweaks
from mpc_engine.garbling import garbler
from mpc_engine.protocols.verification import protocol as verification
from mpc_engine.secure_ops import bound_reentry, keyed_product, row_sums
from mpc_engine.testing.twins import bound_reentry as reentry_twin
from mpc_engine.testing.twins import keyed_product as product_twin
from mpc_engine.testing.twins import row_sums as rows_twin
from mpc_engine.testing.twins import tweaked_hash as pairs_twin
from tests.engine.traces.protocol_runs import PROTOCOL_RUNS
from tests.engine.traces.recording import Recorder

Tweak = tuple[bytes, int, int]
"""Hash key, and the two words of a tweak under it."""


class _Noted:
    """What the regulator hashes and garbles."""

    def __init__(self) -> None:
        self.calls: Counter[Tweak] = Counter()
        self.blocks: dict[Tweak, set[bytes]] = defaultdict(set)
        self.circuits: Counter[tuple[bytes, int]] = Counter()
        """How often a circuit was garbled under a key and the first word of its tweaks."""
        self.gates: dict[str, set[int]] = defaultdict(set)
        """AND gates of the circuits of each step."""

    def hash(self, blocks: NDArray[np.uint64], tweaks: NDArray[np.uint64], keys: Any) -> None:
        """Note blocks uint64 (n, 2) and their tweaks uint64 (n, 2)."""
        if threading.current_thread().name.startswith("party-b"):
            key = keys.tobytes()
            for block, (low, high) in zip(blocks, tweaks.tolist(), strict=True):
                self.calls[key, low, high] += 1
                self.blocks[key, low, high].add(block.tobytes())

    def garble(self, protocol: Protocol, first: int, n_ands: int, n: int, key: bytes) -> None:
        """Note ``n`` circuits, the first of which has tweaks of the word ``first``."""
        for high in range(first, first + n):
            self.circuits[key, high] += 1
            for low in (0, 2 * n_ands - 1):
                (step,) = steps_with_tweak(protocol, low, high)
                self.gates[step].add(n_ands)


def _watch(monkeypatch: pytest.MonkeyPatch, protocol: Protocol) -> _Noted:
    """Note a run of a protocol. Kernels' twins stand in their place: they hash block by block."""
    noted = _Noted()
    honest_hash, honest_garble = TweakedHash.__call__, garbler.garble

    def hashing(
        self: TweakedHash, blocks: NDArray[np.uint64], domain: HashDomain, instance: Any, index: Any
    ) -> NDArray[np.uint64]:
        noted.hash(blocks, make_tweaks(len(blocks), domain, instance, index), self.round_keys)
        return honest_hash(self, blocks, domain, instance, index)

    def garbling(*args: Any) -> None:
        *_, first, schedule, tables, _ = args
        n, n_ands = tables.shape[:2]
        noted.garble(protocol, int(first), n_ands, n, schedule.tobytes())
        honest_garble(*args)

    monkeypatch.setattr(TweakedHash, "__call__", hashing)
    monkeypatch.setattr(TweakedHash, "pairs", pairs_twin.pairs)
    monkeypatch.setattr(garbler, "garble", garbling)
    for module, twin, names, inner in (
        (keyed_product, product_twin, ("send_chunks", "recv_chunks"), "stream"),
        (row_sums, rows_twin, ("send_rows", "recv_rows"), "stream"),
        (bound_reentry, reentry_twin, ("bind_wires", "take_wires"), "wire_hashes"),
    ):
        for name in names:
            monkeypatch.setattr(module, name, getattr(twin, name))
        honest = getattr(twin, inner)

        def watched(blocks: Any, tweaks: Any, keys: Any, honest: Any = honest) -> Any:
            noted.hash(blocks, tweaks, keys)
            return honest(blocks, tweaks, keys)

        monkeypatch.setattr(twin, inner, watched)
    return noted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "name"),
    [
        (Protocol.CLOSING, "closing"),
        (Protocol.CERTIFICATION, "certification: all kinds, blocks and parts"),
        (Protocol.CERTIFICATION, "certification: all kinds, 3 workers"),
        (Protocol.VERIFICATION, "verification: a batch"),
        (Protocol.VERIFICATION, "verification: a batch from stock"),
    ],
    ids=["closing", "certification", "workers", "verification", "stock"],
)
def test_no_tweak_is_used_for_more_than_two_blocks(
    protocol: Protocol, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over people, or cases, in several blocks."""
    monkeypatch.setattr(verification, "_BLOCK_CASES", 2)
    noted = _watch(monkeypatch, protocol)
    PROTOCOL_RUNS[name](Recorder())
    used = set(noted.gates)
    for _, low, high in noted.blocks:
        (step,) = steps_with_tweak(protocol, low, high)
        used.add(step)
    assert used == {use.step for use in PLAN[protocol]}
    assert max(noted.calls.values()) <= 2
    assert max(len(blocks) for blocks in noted.blocks.values()) <= 2
    assert max(noted.circuits.values()) == 1
    if protocol is Protocol.VERIFICATION:
        assert min(noted.gates["hash circuit"]) > max(noted.gates["decisions"])
