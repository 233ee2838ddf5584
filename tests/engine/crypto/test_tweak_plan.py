"""No two steps of a protocol have a tweak in common, by the plan that both parties number by.

That runs of the protocols keep to the plan is shown in ``tests/engine/leakage`` (`test_tweaks`,
`test_training_no_repeat`), where every tweak noted must be one step's.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from mpc_engine.crypto import tweak_plan
from mpc_engine.crypto.tweak_plan import PLAN, Protocol, Use
from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS, HashDomain, make_tweaks
from mpc_engine.roles import OTDirection


def _meet(first: range, second: range) -> bool:
    return max(first.start, second.start) < min(first.stop, second.stop)


@pytest.mark.parametrize("protocol", Protocol)
def test_no_two_steps_of_a_protocol_share_a_tweak(protocol: Protocol) -> None:
    for first, second in combinations(PLAN[protocol], 2):
        if first.domain == second.domain:
            apart = not _meet(first.instances, second.instances)
            assert apart or not _meet(first.indices, second.indices), (first.step, second.step)


def test_steps_that_meet_are_noticed() -> None:
    assert _meet(range(3), range(2, 5))
    assert not _meet(range(3), range(3, 5))


@pytest.mark.parametrize("protocol", Protocol)
def test_every_range_fits_its_bits_and_is_not_empty(protocol: Protocol) -> None:
    for use in PLAN[protocol]:
        for numbers, bits in ((use.instances, INSTANCE_BITS), (use.indices, 64)):
            assert numbers.step == 1
            assert 0 <= numbers.start < numbers.stop <= 1 << bits, use.step


def test_every_domain_is_used_and_every_step_named_once() -> None:
    assert {use.domain for uses in PLAN.values() for use in uses} == set(HashDomain)
    for uses in PLAN.values():
        assert len({use.step for use in uses}) == len(uses)


def _steps(protocol: Protocol, domain: HashDomain, instances: object, indices: object) -> set[str]:
    """Return the steps that have any of some tweaks; each must be one step's."""
    numbers = np.atleast_1d(np.asarray(instances))
    found: set[str] = set()
    for low, high in make_tweaks(len(numbers), domain, numbers, np.asarray(indices)).tolist():
        (step,) = tweak_plan.steps_with_tweak(protocol, low, high)
        found.add(step)
    return found


@pytest.mark.parametrize(
    ("protocol", "direction"),
    [
        (Protocol.CLOSING, OTDirection.REGULATOR_SENDS),
        (Protocol.CERTIFICATION, OTDirection.REGULATOR_SENDS),
        (Protocol.TRAINING, OTDirection.MODELER_SENDS),
    ],
)
def test_items_of_the_first_and_the_last_person_are_peoples(
    protocol: Protocol, direction: OTDirection
) -> None:
    entries = np.array([0, 7], dtype=np.uint64)
    for first in (0, (1 << 48) - 1):
        instances = tweak_plan.item_instances(direction, 1, 2, first)
        indices = tweak_plan.item_indices(1, entries)
        assert _steps(protocol, HashDomain.PERSON_KEY, instances, indices) == {"people's keys"}


def test_each_number_of_a_call_is_its_steps() -> None:
    labels, check = HashDomain.LABEL, HashDomain.CHECK
    certification, training = Protocol.CERTIFICATION, Protocol.TRAINING
    scores = [tweak_plan.score_labels(part) for part in (1, 2, (1 << 54))]
    assert _steps(certification, labels, scores, 0) == {"scores entered"}
    assert _steps(certification, labels, tweak_plan.MODEL_WIRES, 0) == {"model and sums"}
    assert _steps(certification, check, tweak_plan.SUMS_CHECK, 0) == {"re-entry of sums"}
    assert _steps(certification, check, [1, 2], 0) == {"re-entry of scores"}
    blocks = [tweak_plan.material_labels(block) for block in (0, 1, 1 << 40)]
    assert len(set(blocks)) == len(blocks)
    assert _steps(training, labels, blocks, 0) == {"shares in steps"}
    assert _steps(training, labels, tweak_plan.MATRIX_LABELS, 0) == {"sums, or a state"}
    assert (
        tweak_plan.steps_with_tweak(Protocol.CLOSING, 0, int(HashDomain.PAD) << INSTANCE_BITS) == []
    )


def test_products_of_all_blocks_have_numbers_of_their_own() -> None:
    blocks = [tweak_plan.material_products(block) for block in range(4)]
    assert [number for block in blocks for number in block] == list(range(20))
    seeds, pads = zip(*(tweak_plan.product_words(number) for number in range(3)), strict=True)
    for words, domain in ((seeds, HashDomain.PRODUCT_SEED), (pads, HashDomain.PRODUCT_PAD)):
        assert words[0] == int(domain) << INSTANCE_BITS
        assert {b - a for a, b in pairwise(words)} == {1 << tweak_plan.CHUNK_NUMBER_BITS}


def test_pads_of_a_chunks_values_and_bits_have_instances_of_their_own() -> None:
    taken = [
        int(instance) | bit
        for value in range(4)
        for instance in tweak_plan.chunk_mac_instances(np.full(3, value, dtype=np.uint64))
        for bit in (0, 1)
    ]
    assert sorted(taken) == list(range(24))


def test_a_use_has_the_tweaks_of_its_ranges_and_no_others() -> None:
    use = Use("a step", HashDomain.LABEL, range(2, 4), range(5, 6))
    high = int(HashDomain.LABEL) << INSTANCE_BITS
    assert use.has(5, high | 2)
    assert use.has(5, high | 3)
    assert not use.has(5, high | 4)
    assert not use.has(6, high | 2)
    assert not use.has(5, int(HashDomain.PAD) << INSTANCE_BITS | 2)
