"""No item of the stock is used twice: not after a death, a copy put back, or by two at once."""

from __future__ import annotations

import multiprocessing
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import ChannelClosedError
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.stock import item_choice
from mpc_engine.party.stock.store import (
    spend_item,
)
from mpc_engine.party.zone.party import open_party
from mpc_engine.party.zone.stock_epoch import MAX_MARKS, StockEpoch
from mpc_engine.roles import Role
from tests.engine.party.stocked import Taken, answer_case, bound_of, let_meet, noting, ready_ids
from tests.engine.party.stories import (
    challenge,
    outcomes,
    verify,
)
from tests.engine.party.world import M, R, World

pytestmark = pytest.mark.usefixtures("ideal_base_ots")


def _new_worker(world: World, role: Role) -> None:
    """Let a party's worker start anew, without the deletion at its start."""
    old = world.parties[role]
    old.database.close()
    world.parties[role] = open_party(old.config, old.outbox._send, now=old.now)


@pytest.mark.parametrize("role", list(Role))
def test_no_item_outlives_its_worker(
    world: World, certified: tuple[Configuration, bytes], role: Role
) -> None:
    let_meet(world)
    _new_worker(world, role)
    used: Taken = {M: [], R: []}
    assert answer_case(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}


@pytest.mark.parametrize("role", list(Role))
def test_a_party_that_dies_after_spending_has_lost_the_item(
    world: World,
    certified: tuple[Configuration, bytes],
    role: Role,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    let_meet(world)
    first, second = ready_ids(world)[M]
    study, certificate_id = certified
    challenge(world, study, certificate_id, b"1" * 16)

    def dying(party: Any, *args: Any) -> Any:
        side = spend_item(party, *args)
        if party.role is role:
            raise ChannelClosedError("died")
        return side

    with monkeypatch.context() as patch:
        patch.setattr(item_choice, "spend_item", dying)
        reports = verify(world, study, certificate_id, [b"1" * 16], PRODUCTION)
    assert {report.kind for report in reports.values()} == {"job_failed"}
    assert first not in ready_ids(world)[role]
    used: Taken = {M: [], R: []}
    again = verify(world, study, certificate_id, [b"1" * 16], noting(used), attempt=1)
    assert outcomes(again[R]) == ["CONFIRMED"]
    assert used == {M: [second], R: [second]}


def _copy(world: World, role: Role, target: Path) -> None:
    world.parties[role].database.close()
    shutil.copytree(world.parties[role].config.data_dir, target)


def _put_back(world: World, role: Role, source: Path) -> None:
    world.parties[role].database.close()
    shutil.rmtree(world.parties[role].config.data_dir)
    shutil.copytree(source, world.parties[role].config.data_dir)


@pytest.mark.slow
@pytest.mark.parametrize("restored", [(M,), (R,), (M, R)], ids=lambda roles: "+".join(roles))
@pytest.mark.parametrize("restarted", [True, False], ids=["new worker", "same worker"])
def test_a_store_set_back_uses_no_item_again(
    world: World,
    certified: tuple[Configuration, bytes],
    restored: tuple[Role, ...],
    restarted: bool,
) -> None:
    let_meet(world)
    ready = ready_ids(world)[M]
    for role in restored:
        _copy(world, role, world.folder / f"copy of {role.value}")
    used: Taken = {M: [], R: []}
    answer_case(world, certified, 0, used)
    for role in restored:
        _put_back(world, role, world.folder / f"copy of {role.value}")
        if restarted:
            _new_worker(world, role)
    for number in range(1, 4):
        assert answer_case(world, certified, number, used) == "CONFIRMED"
    items = [item for item in used[R] if item is not None]
    assert len(items) == len(set(items))
    assert used[M] == used[R]
    assert items[0] == ready[0]


def test_forked_slots_share_the_mark() -> None:
    epoch, one, other = StockEpoch(), b"1" * 16, b"2" * 16
    assert not epoch.is_spoilt

    def in_a_slot() -> None:
        assert epoch.claim(one, 5)
        epoch.spoil()

    slot = multiprocessing.get_context("fork").Process(target=in_a_slot)
    slot.start()
    slot.join(60)
    assert slot.exitcode == 0
    assert (epoch.last_used(one), epoch.last_used(other)) == (5, 0)
    assert epoch.is_spoilt
    assert not epoch.claim(one, 5)
    assert not epoch.claim(one, 4)
    assert epoch.claim(other, 4)
    assert epoch.claim(one, 6)
    assert str(epoch.epoch_id) not in repr(epoch)


def test_of_more_certificates_than_marks_none_is_used_again() -> None:
    epoch = StockEpoch()
    for number in range(1, 3 * MAX_MARKS):
        assert epoch.claim(number.to_bytes(16), number)
    for number in range(1, 3 * MAX_MARKS):
        assert not epoch.claim(number.to_bytes(16), number)
        assert epoch.last_used(number.to_bytes(16)) >= number
    assert epoch.claim(b"n" * 16, 3 * MAX_MARKS)


def test_two_jobs_at_one_moment_never_get_one_item(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    let_meet(world)
    party, bound = world.parties[R], bound_of(world, certified)
    (first, _) = ready_ids(world)[R]
    sides: list[bytes | None] = []

    def take() -> None:
        sides.append(spend_item(party, bound, first))
        party.database.close()

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(sides) == 8
    assert sum(side is not None for side in sides) == 1
