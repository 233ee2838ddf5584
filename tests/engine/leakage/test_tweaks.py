"""No hash input recurs: one tweak serves at most the two labels or keys of one wire or item.

Every tweak is one step's in the plan of tweaks (`mpc_engine.crypto.tweak_plan`).
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.tweak_plan import Protocol, steps_with_tweak
from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS, HashDomain, TweakedHash, make_tweaks
from mpc_engine.protocols import instances
from mpc_engine.protocols.certification import people
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.secure_ops import bound_reentry, keyed_product, row_sums
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.twins import bound_reentry as reentry_twin
from mpc_engine.testing.twins import keyed_product as product_twin
from mpc_engine.testing.twins import row_sums as rows_twin
from mpc_engine.testing.twins import tweaked_hash as pairs_twin
from tests.builders.certification_specs import SMALL_SPEC
from tests.engine.protocols.running import run_protocol


def _watch_kernels(monkeypatch: pytest.MonkeyPatch, note: Any) -> None:
    """Put the fused kernels' twins in their place, which hash block by block under given tweaks."""
    for module, twin, names, hashing in (
        (keyed_product, product_twin, ("send_chunks", "recv_chunks"), "stream"),
        (row_sums, rows_twin, ("send_rows", "recv_rows"), "stream"),
        (bound_reentry, reentry_twin, ("bind_wires", "take_wires"), "wire_hashes"),
    ):
        for name in names:
            monkeypatch.setattr(module, name, getattr(twin, name))
        honest = getattr(twin, hashing)

        def watched(blocks: Any, tweaks: Any, round_keys: Any, honest: Any = honest) -> Any:
            note(blocks, tweaks, round_keys)
            return honest(blocks, tweaks, round_keys)

        monkeypatch.setattr(twin, hashing, watched)


@pytest.mark.parametrize("workers", [1, 3])
def test_no_tweak_is_used_for_more_than_two_blocks_in_a_certification(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "PART_RECORDS", 2)
    monkeypatch.setattr(instances, "BLOCK_ITEMS", 12)
    calls: dict[str, Counter[tuple[bytes, int, int]]] = defaultdict(Counter)
    blocks_of: dict[tuple[bytes, int, int], set[bytes]] = defaultdict(set)
    honest = TweakedHash.__call__

    def note(
        blocks: NDArray[np.uint64], tweaks: NDArray[np.uint64], round_keys: NDArray[Any]
    ) -> None:
        if threading.current_thread().name.startswith("party-b"):
            key = round_keys.tobytes()
            for block, (low, high) in zip(blocks, tweaks.tolist(), strict=True):
                domain = HashDomain(high >> INSTANCE_BITS).name
                calls[domain][(key, low, high)] += 1
                blocks_of[(key, low, high)].add(block.tobytes())

    def recording(
        self: TweakedHash, blocks: NDArray[np.uint64], domain: HashDomain, instance: Any, index: Any
    ) -> NDArray[np.uint64]:
        note(blocks, make_tweaks(len(blocks), domain, instance, index), self.round_keys)
        return honest(self, blocks, domain, instance, index)

    monkeypatch.setattr(TweakedHash, "__call__", recording)
    monkeypatch.setattr(TweakedHash, "pairs", pairs_twin.pairs)
    _watch_kernels(monkeypatch, note)
    n = 14
    choices = (np.arange(n) % 2)[:, None]
    features = np.random.default_rng(1).integers(-64, 64, (n, 1))
    modeler, regulator = deal_records(one_hot(choices, (3,)), features, seeded_randomness(4))
    spec = replace(SMALL_SPEC, criteria=SMALL_SPEC.criteria[::-1])
    run_protocol(
        lambda ctx: certify_as_modeler(ctx, spec, modeler, [5, 1], bytes(32)),
        lambda ctx: certify_as_regulator(ctx, spec, regulator),
        workers=workers,
    )
    elsewhere = {HashDomain.GARBLE, HashDomain.PRODUCT_SEED, HashDomain.PRODUCT_PAD}
    used = {domain.name for domain in HashDomain if domain not in elsewhere}
    assert set(calls) == used
    for name, counter in calls.items():
        assert max(counter.values()) <= 2, name
    assert max(len(blocks) for blocks in blocks_of.values()) <= 2
    for _, low, high in blocks_of:
        assert len(steps_with_tweak(Protocol.CERTIFICATION, low, high)) == 1, hex(high)
