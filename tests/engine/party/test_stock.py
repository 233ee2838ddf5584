"""Prepared items between two parties: made at meetings, used once, or lost; never used again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.party.stock import filling, store
from mpc_engine.party.stock.store import (
    alone_at_the_stock,
    forget_all,
)
from mpc_engine.party.worker.status import read_status
from mpc_engine.roles import Role
from tests.engine.party.stocked import Taken, answer_case, let_meet, ready_ids
from tests.engine.party.world import M, R, World

pytestmark = pytest.mark.usefixtures("ideal_base_ots")


def test_a_meeting_makes_items_that_challenges_use_up(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    let_meet(world)
    ready = ready_ids(world)
    assert len(ready[M]) == 2
    assert ready[M] == ready[R]
    assert [read_status(world.parties[role])["n_stock_items"] for role in Role] == [2, 2]
    used: Taken = {M: [], R: []}
    said = [
        answer_case(world, certified, number, used, decision=int(number != 1))
        for number in range(3)
    ]
    assert said == ["CONFIRMED", "DIFFERENT_DECISION", "CONFIRMED"]
    assert used[M] == used[R] == [*ready[M], None]
    assert ready_ids(world) == {M: [], R: []}
    for role in Role:
        assert world.rows(role, "SELECT 1 FROM stock_sides") == []
    let_meet(world)
    refilled = ready_ids(world)
    assert refilled[M] == refilled[R]
    assert len(set(refilled[M]) - set(ready[M])) == 2


def test_a_full_stock_is_left_alone_and_0_makes_none(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    let_meet(world)
    ready = ready_ids(world)
    let_meet(world)
    assert ready_ids(world) == ready
    world.parties[M].config = replace(world.parties[M].config, stock_items=0)
    forget_all(world.parties[M])
    let_meet(world)
    assert ready_ids(world) == {M: [], R: []}


@pytest.mark.parametrize("busy", list(Role))
def test_of_two_meetings_at_one_time_only_one_makes_or_deletes_items(
    world: World, certified: tuple[Configuration, bytes], busy: Role
) -> None:
    let_meet(world)
    ready = ready_ids(world)
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE stock SET state = 'SPENT' WHERE number = 1")
    with alone_at_the_stock(world.parties[busy]) as alone:
        assert alone
        let_meet(world)
    assert ready_ids(world) == {M: ready[M][1:], R: ready[R]}
    let_meet(world)
    refilled = ready_ids(world)
    assert refilled[M] == refilled[R]
    assert len(refilled[M]) == 2


def test_nothing_is_made_while_a_job_runs_or_above_the_limit_of_megabytes(
    world: World, certified: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE attempts SET state = 'RUNNING'")
    let_meet(world)
    assert ready_ids(world) == {M: [], R: []}
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE attempts SET state = 'DONE'")
    monkeypatch.setattr(filling, "stored_bytes", lambda connection: 256 << 20)
    let_meet(world)
    assert ready_ids(world) == {M: [], R: []}


@pytest.mark.parametrize("lost_at", list(Role))
def test_what_one_party_lost_the_other_deletes_and_the_job_does_without(
    world: World, certified: tuple[Configuration, bytes], lost_at: Role
) -> None:
    let_meet(world)
    forget_all(world.parties[lost_at])
    used: Taken = {M: [], R: []}
    assert answer_case(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}
    before = ready_ids(world)[lost_at.peer]
    let_meet(world)
    ready = ready_ids(world)
    assert ready[M] == ready[R]
    assert not set(before) & set(ready[M])


@pytest.mark.parametrize("altered_at", list(Role))
def test_an_altered_side_is_spent_and_the_job_does_without(
    world: World, certified: tuple[Configuration, bytes], altered_at: Role
) -> None:
    let_meet(world)
    with world.parties[altered_at].database.transaction() as connection:
        connection.execute("UPDATE stock_sides SET sealed = zeroblob(LENGTH(sealed))")
    used: Taken = {M: [], R: []}
    assert answer_case(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}
    assert len(ready_ids(world)[altered_at]) == 1


def test_items_of_another_code_party_or_certificate_are_not_offered(
    world: World, certified: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    let_meet(world)
    used: Taken = {M: [], R: []}
    with monkeypatch.context() as patch:
        patch.setattr(store, "code_digest", lambda: bytes(32))
        assert answer_case(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}
    with world.parties[R].database.transaction() as connection:
        connection.execute("UPDATE stock SET certificate_id = zeroblob(16)")
    assert answer_case(world, certified, 1, used) == "CONFIRMED"
    assert used == {M: [None, None], R: [None, None]}


def test_old_items_and_those_of_ended_certificates_are_deleted(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    let_meet(world)
    ready = ready_ids(world)
    world.later(days=8)
    used: Taken = {M: [], R: []}
    assert answer_case(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}
    let_meet(world)
    renewed = ready_ids(world)
    assert len(renewed[M]) == 2
    assert not set(renewed[M]) & set(ready[M])
    world.later(days=400)
    let_meet(world)
    assert ready_ids(world) == {M: [], R: []}


def test_a_revoked_certificate_keeps_no_stock_and_its_cases_are_answered_without(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    let_meet(world)
    with world.parties[M].database.transaction() as connection:
        connection.execute(
            "INSERT INTO revocations (certificate_id, text, signature) VALUES (?, '', '')",
            (certified[1],),
        )
    let_meet(world)
    assert ready_ids(world) == {M: [], R: []}
    used: Taken = {M: [], R: []}
    assert answer_case(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}
