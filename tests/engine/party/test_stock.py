"""Prepared items between two parties: made at meetings, used once, or lost; never used again."""

from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import ChannelClosedError, PeerError, ProtocolViolationError
from mpc_engine.ot.extension import RandomOTReceiver
from mpc_engine.party.jobs.protocol_table import PRODUCTION, ProtocolTable
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.stock import agreement, filling, store
from mpc_engine.party.stock.agreement import take_as_modeler, take_as_regulator
from mpc_engine.party.stock.store import (
    Binding,
    alone_at_the_stock,
    forget_all,
    ready_items,
    spend,
)
from mpc_engine.party.worker.line_check import meet, own_versions
from mpc_engine.party.worker.status import read_status
from mpc_engine.party.zone.party import open_party
from mpc_engine.party.zone.stock_epoch import MAX_MARKS, StockEpoch
from mpc_engine.protocols.verification.protocol import verify_as_modeler, verify_as_regulator
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel
from mpc_engine.wire.codec import u8
from tests.engine.party.stories import (
    certified_study,
    challenge,
    compile_kernels,
    outcomes,
    untold,
    verify,
)
from tests.engine.party.world import M, R, World

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

JOB = bytes(range(32))
Taken = dict[Role, list[Any]]


@pytest.fixture
def certified(world: World) -> tuple[Configuration, bytes]:
    """Return a study with a certified model, whose parties keep two items."""
    compile_kernels()
    for party in world.parties.values():
        party.config = replace(party.config, stock_items=2)
    return certified_study(world, typed_challenge_limit=1000)


def _meet(world: World) -> None:
    """Let both meet, as the site asks them to when nothing runs."""
    versions = own_versions()
    threads = [
        threading.Thread(target=meet, args=(party, b"m" * 16, versions, untold), daemon=True)
        for party in world.parties.values()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    for party in world.parties.values():
        party.database.close()


def _rows(world: World, role: Role, query: str) -> list[sqlite3.Row]:
    with world.parties[role].database.reading() as connection:
        return connection.execute(query).fetchall()


def _ready(world: World) -> dict[Role, list[bytes]]:
    query = "SELECT stock_id FROM stock WHERE state = 'READY' ORDER BY number"
    return {role: [row["stock_id"] for row in _rows(world, role, query)] for role in Role}


def _noting(used: Taken) -> ProtocolTable:
    """Return the real protocols, with the item that each run was given noted."""

    def as_modeler(*args: Any) -> None:
        used[M].append(args[-1] and args[-1].stock_id)
        verify_as_modeler(*args)

    def as_regulator(*args: Any) -> Any:
        used[R].append(args[-1] and args[-1].stock_id)
        return verify_as_regulator(*args)

    return replace(PRODUCTION, verify_as_modeler=as_modeler, verify_as_regulator=as_regulator)


def _answer(
    world: World, certified: tuple[Configuration, bytes], number: int, used: Taken, **case: Any
) -> str:
    """Challenge a decision and return the outcome."""
    study, certificate_id = certified
    challenge_id, job_id = (sha256(kind + bytes([number]))[:16] for kind in (b"c", b"j"))
    assert challenge(world, study, certificate_id, challenge_id, **case).kind == (
        "challenge_accepted"
    )
    reports = verify(world, study, certificate_id, [challenge_id], _noting(used), job_id=job_id)
    (outcome,) = outcomes(reports[R])
    assert reports[M].kind == "job_result"
    return outcome


def test_a_meeting_makes_items_that_challenges_use_up(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    _meet(world)
    ready = _ready(world)
    assert len(ready[M]) == 2
    assert ready[M] == ready[R]
    assert [read_status(world.parties[role])["n_stock_items"] for role in Role] == [2, 2]
    used: Taken = {M: [], R: []}
    said = [
        _answer(world, certified, number, used, decision=int(number != 1)) for number in range(3)
    ]
    assert said == ["CONFIRMED", "DIFFERENT_DECISION", "CONFIRMED"]
    assert used[M] == used[R] == [*ready[M], None]
    assert _ready(world) == {M: [], R: []}
    for role in Role:
        assert _rows(world, role, "SELECT 1 FROM stock_sides") == []
    _meet(world)
    refilled = _ready(world)
    assert refilled[M] == refilled[R]
    assert len(set(refilled[M]) - set(ready[M])) == 2


def test_a_full_stock_is_left_alone_and_0_makes_none(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    _meet(world)
    ready = _ready(world)
    _meet(world)
    assert _ready(world) == ready
    world.parties[M].config = replace(world.parties[M].config, stock_items=0)
    forget_all(world.parties[M])
    _meet(world)
    assert _ready(world) == {M: [], R: []}


@pytest.mark.parametrize("busy", list(Role))
def test_of_two_meetings_at_one_time_only_one_makes_or_deletes_items(
    world: World, certified: tuple[Configuration, bytes], busy: Role
) -> None:
    _meet(world)
    ready = _ready(world)
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE stock SET state = 'SPENT' WHERE number = 1")
    with alone_at_the_stock(world.parties[busy]) as alone:
        assert alone
        _meet(world)
    assert _ready(world) == {M: ready[M][1:], R: ready[R]}
    _meet(world)
    refilled = _ready(world)
    assert refilled[M] == refilled[R]
    assert len(refilled[M]) == 2


def test_nothing_is_made_while_a_job_runs_or_above_the_limit_of_megabytes(
    world: World, certified: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE attempts SET state = 'RUNNING'")
    _meet(world)
    assert _ready(world) == {M: [], R: []}
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE attempts SET state = 'DONE'")
    monkeypatch.setattr(filling, "stored_bytes", lambda connection: 256 << 20)
    _meet(world)
    assert _ready(world) == {M: [], R: []}


@pytest.mark.parametrize("lost_at", list(Role))
def test_what_one_party_lost_the_other_deletes_and_the_job_does_without(
    world: World, certified: tuple[Configuration, bytes], lost_at: Role
) -> None:
    _meet(world)
    forget_all(world.parties[lost_at])
    used: Taken = {M: [], R: []}
    assert _answer(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}
    before = _ready(world)[lost_at.peer]
    _meet(world)
    ready = _ready(world)
    assert ready[M] == ready[R]
    assert not set(before) & set(ready[M])


@pytest.mark.parametrize("altered_at", list(Role))
def test_an_altered_side_is_spent_and_the_job_does_without(
    world: World, certified: tuple[Configuration, bytes], altered_at: Role
) -> None:
    _meet(world)
    with world.parties[altered_at].database.transaction() as connection:
        connection.execute("UPDATE stock_sides SET sealed = zeroblob(LENGTH(sealed))")
    used: Taken = {M: [], R: []}
    assert _answer(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}
    assert len(_ready(world)[altered_at]) == 1


def test_items_of_another_code_party_or_certificate_are_not_offered(
    world: World, certified: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    _meet(world)
    used: Taken = {M: [], R: []}
    with monkeypatch.context() as patch:
        patch.setattr(store, "code_digest", lambda: bytes(32))
        assert _answer(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}
    with world.parties[R].database.transaction() as connection:
        connection.execute("UPDATE stock SET certificate_id = zeroblob(16)")
    assert _answer(world, certified, 1, used) == "CONFIRMED"
    assert used == {M: [None, None], R: [None, None]}


def test_old_items_and_those_of_ended_certificates_are_deleted(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    _meet(world)
    ready = _ready(world)
    world.later(days=8)
    used: Taken = {M: [], R: []}
    assert _answer(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}
    _meet(world)
    renewed = _ready(world)
    assert len(renewed[M]) == 2
    assert not set(renewed[M]) & set(ready[M])
    world.later(days=400)
    _meet(world)
    assert _ready(world) == {M: [], R: []}


def test_a_revoked_certificate_keeps_no_stock_and_its_cases_are_answered_without(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    _meet(world)
    with world.parties[M].database.transaction() as connection:
        connection.execute(
            "INSERT INTO revocations (certificate_id, text, signature) VALUES (?, '', '')",
            (certified[1],),
        )
    _meet(world)
    assert _ready(world) == {M: [], R: []}
    used: Taken = {M: [], R: []}
    assert _answer(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}


def _new_worker(world: World, role: Role) -> None:
    """Let a party's worker start anew, without the deletion at its start."""
    old = world.parties[role]
    old.database.close()
    world.parties[role] = open_party(old.config, old.outbox._send, now=old.now)


@pytest.mark.parametrize("role", list(Role))
def test_no_item_outlives_its_worker(
    world: World, certified: tuple[Configuration, bytes], role: Role
) -> None:
    _meet(world)
    _new_worker(world, role)
    used: Taken = {M: [], R: []}
    assert _answer(world, certified, 0, used) == "CONFIRMED"
    assert used == {M: [None], R: [None]}


@pytest.mark.parametrize("role", list(Role))
def test_a_party_that_dies_after_spending_has_lost_the_item(
    world: World,
    certified: tuple[Configuration, bytes],
    role: Role,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _meet(world)
    first, second = _ready(world)[M]
    study, certificate_id = certified
    challenge(world, study, certificate_id, b"1" * 16)

    def dying(party: Any, *args: Any) -> Any:
        side = spend(party, *args)
        if party.role is role:
            raise ChannelClosedError("died")
        return side

    with monkeypatch.context() as patch:
        patch.setattr(agreement, "spend", dying)
        reports = verify(world, study, certificate_id, [b"1" * 16], PRODUCTION)
    assert {report.kind for report in reports.values()} == {"job_failed"}
    assert first not in _ready(world)[role]
    used: Taken = {M: [], R: []}
    again = verify(world, study, certificate_id, [b"1" * 16], _noting(used), attempt=1)
    assert outcomes(again[R]) == ["CONFIRMED"]
    assert used == {M: [second], R: [second]}


def _copy(world: World, role: Role, target: Path) -> None:
    world.parties[role].database.close()
    shutil.copytree(world.parties[role].config.data_dir, target)


def _put_back(world: World, role: Role, source: Path) -> None:
    world.parties[role].database.close()
    shutil.rmtree(world.parties[role].config.data_dir)
    shutil.copytree(source, world.parties[role].config.data_dir)


@pytest.mark.parametrize("restored", [(M,), (R,), (M, R)], ids=lambda roles: "+".join(roles))
@pytest.mark.parametrize("restarted", [True, False], ids=["new worker", "same worker"])
def test_a_store_set_back_uses_no_item_again(
    world: World,
    certified: tuple[Configuration, bytes],
    restored: tuple[Role, ...],
    restarted: bool,
) -> None:
    _meet(world)
    ready = _ready(world)[M]
    for role in restored:
        _copy(world, role, world.folder / f"copy of {role.value}")
    used: Taken = {M: [], R: []}
    _answer(world, certified, 0, used)
    for role in restored:
        _put_back(world, role, world.folder / f"copy of {role.value}")
        if restarted:
            _new_worker(world, role)
    for number in range(1, 4):
        assert _answer(world, certified, number, used) == "CONFIRMED"
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
    _meet(world)
    party, bound = world.parties[R], _bound(world, certified)
    (first, _) = _ready(world)[R]
    sides: list[bytes | None] = []

    def take() -> None:
        sides.append(spend(party, bound, first))
        party.database.close()

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(sides) == 8
    assert sum(side is not None for side in sides) == 1


def _bound(world: World, certified: tuple[Configuration, bytes], role: Role = R) -> Binding:
    party = world.parties[role]
    return filling._purposes(party)[certified[1]].bound


def test_sides_lie_encrypted_and_nothing_of_them_in_the_clear(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    made: dict[Role, list[bytes]] = {role: [] for role in Role}
    keep = filling.keep

    def noting(party: Any, bound: Any, stock_id: bytes, side: bytes) -> None:
        made[party.role].append(side)
        keep(party, bound, stock_id, side)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filling, "keep", noting)
        _meet(world)
    for role in Role:
        directory = world.parties[role].config.data_dir
        stored = b"".join(path.read_bytes() for path in directory.rglob("*") if path.is_file())
        assert len(made[role]) == 2
        for side in made[role]:
            windows = [side[at : at + 16] for at in range(0, min(len(side), 1 << 16) - 16, 16)]
            random = [window for window in windows if len(set(window)) > 8]
            assert len(random) > len(windows) / 2
            assert not [window for window in random if window in stored]
        assert world.parties[role].stock_epoch.epoch_id not in stored


def _agree(
    world: World,
    certified: tuple[Configuration, bytes],
    modeler: Any = None,
    regulator: Any = None,
) -> tuple[Any, Any]:
    """Let both take an item; a side may be played by something else."""

    def honest(role: Role) -> Any:
        take = take_as_modeler if role is M else take_as_regulator
        party, bound = world.parties[role], _bound(world, certified, role)

        def run(channel: Channel) -> Any:
            try:
                return take(party, channel, bound, JOB)
            finally:
                party.database.close()

        return run

    pair = memory_channel_pair(timeout_s=20)
    return run_two_parties(modeler or honest(M), regulator or honest(R), channels=pair)


def test_an_item_the_modeler_names_again_is_not_taken_again(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    _meet(world)
    first, second = _ready(world)[R]
    taken, _ = _agree(world, certified)
    assert taken[0] == first

    def replaying(channel: Channel) -> bytes:
        channel.send(PartyTag.STOCK_OFFER, u8(2) + first + first)
        return channel.recv(PartyTag.STOCK_CHOSEN, size=64)

    answer, nothing = _agree(world, certified, modeler=replaying)
    assert answer == bytes(64)
    assert nothing is None
    assert _ready(world)[R] == [second]


def test_words_of_another_job_end_it_and_the_item_with_it(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    _meet(world)
    first, second = _ready(world)[R]

    def for_another_job(channel: Channel) -> None:
        party, bound = world.parties[M], _bound(world, certified, M)
        with party.database.reading() as connection:
            offered = ready_items(party, connection, bound)
        channel.send(PartyTag.STOCK_OFFER, u8(1) + offered[0])
        channel.recv(PartyTag.STOCK_CHOSEN, size=64)
        channel.send(PartyTag.STOCK_TAKEN, agreement._word(M, offered[0], bytes(32)))
        party.database.close()

    with pytest.raises(ProtocolViolationError):
        _agree(world, certified, modeler=for_another_job)
    assert _ready(world)[R] == [second]
    assert first in _ready(world)[M]

    def taking_for_another_job(channel: Channel) -> None:
        channel.recv(PartyTag.STOCK_OFFER, limit=2000)
        channel.send(PartyTag.STOCK_CHOSEN, second + agreement._word(R, second, bytes(32)))

    with pytest.raises(ProtocolViolationError):
        _agree(world, certified, regulator=taking_for_another_job)


@pytest.mark.parametrize("answer", [b"\x01" * 64, bytes(32) + b"\x01" * 32])
def test_an_answer_that_was_not_offered_is_refused_or_means_none(
    world: World, certified: tuple[Configuration, bytes], answer: bytes
) -> None:
    _meet(world)

    def answering(channel: Channel) -> None:
        channel.recv(PartyTag.STOCK_OFFER, limit=2000)
        channel.send(PartyTag.STOCK_CHOSEN, answer)

    if any(answer[:32]):
        with pytest.raises(ProtocolViolationError):
            _agree(world, certified, regulator=answering)
    else:
        assert _agree(world, certified, regulator=answering)[0] is None
    assert len(_ready(world)[M]) == 2


@pytest.mark.parametrize(
    "offer", [b"", u8(1), u8(2) + bytes(32), u8(1) + bytes(33), u8(33) + bytes(32 * 33)]
)
def test_an_offer_that_does_not_parse_is_refused(
    world: World, certified: tuple[Configuration, bytes], offer: bytes
) -> None:
    with pytest.raises(PeerError):
        _agree(world, certified, modeler=lambda channel: channel.send(PartyTag.STOCK_OFFER, offer))


def test_a_modeler_that_cheats_in_a_preparation_gets_no_item_and_no_further_one(
    world: World, certified: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = RandomOTReceiver._columns

    def contradicting(self: Any, packed: Any) -> Any:
        columns, corrections = honest(self, packed)
        corrections[:64] ^= 1
        return columns, corrections

    with monkeypatch.context() as patch:
        patch.setattr(RandomOTReceiver, "_columns", contradicting)
        _meet(world)
    assert _ready(world) == {M: [], R: []}
    assert world.parties[R].stock_epoch.is_spoilt
    _meet(world)
    assert _ready(world) == {M: [], R: []}
    used: Taken = {M: [], R: []}
    assert _answer(world, certified, 0, used) == "CONFIRMED"


def test_a_wrong_label_with_stock_leaves_the_case_not_answered_and_the_item_dead(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    _meet(world)
    study, certificate_id = certified
    challenge(world, study, certificate_id, b"1" * 16)

    def forging(*args: Any) -> None:
        *rest, item = args
        given: Any = (*rest, replace(item, labels=item.labels ^ item.labels[::-1]))
        verify_as_modeler(*given)

    table = replace(PRODUCTION, verify_as_modeler=forging)
    first = _ready(world)[R][0]
    reports = verify(world, study, certificate_id, [b"1" * 16], table)
    assert outcomes(reports[R]) == ["NOT_ANSWERED"]
    assert first not in _ready(world)[R]
    assert first not in _ready(world)[M]
