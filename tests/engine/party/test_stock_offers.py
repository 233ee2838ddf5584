"""What parties say of their stock binds the job, and a cheat spends the item."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import PeerError, ProtocolViolationError
from mpc_engine.ot.extension import RandomOTReceiver
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.stock import filling, item_choice
from mpc_engine.party.stock.item_choice import take_as_modeler, take_as_regulator
from mpc_engine.party.stock.store import ready_items
from mpc_engine.protocols.verification.protocol import verify_as_modeler
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel
from mpc_engine.wire.codec import u8
from tests.engine.hostile.cheating import never_stop
from tests.engine.party.stocked import Taken, answer_case, bound_of, let_meet, ready_ids
from tests.engine.party.stories import (
    challenge,
    outcomes,
    verify,
)
from tests.engine.party.world import M, R, World

pytestmark = pytest.mark.usefixtures("ideal_base_ots")


JOB = bytes(range(32))


@pytest.mark.slow
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
        let_meet(world)
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
        party, bound = world.parties[role], bound_of(world, certified, role)

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
    let_meet(world)
    first, second = ready_ids(world)[R]
    taken, _ = _agree(world, certified)
    assert taken[0] == first

    def replaying(channel: Channel) -> bytes:
        channel.send(PartyTag.STOCK_OFFER, u8(2) + first + first)
        return channel.recv(PartyTag.STOCK_CHOSEN, size=64)

    answer, nothing = _agree(world, certified, modeler=replaying)
    assert answer == bytes(64)
    assert nothing is None
    assert ready_ids(world)[R] == [second]


def test_words_of_another_job_end_it_and_the_item_with_it(
    world: World, certified: tuple[Configuration, bytes]
) -> None:
    let_meet(world)
    first, second = ready_ids(world)[R]

    def for_another_job(channel: Channel) -> None:
        party, bound = world.parties[M], bound_of(world, certified, M)
        with party.database.reading() as connection:
            offered = ready_items(party, connection, bound)
        channel.send(PartyTag.STOCK_OFFER, u8(1) + offered[0])
        channel.recv(PartyTag.STOCK_CHOSEN, size=64)
        channel.send(PartyTag.STOCK_TAKEN, item_choice._word(M, offered[0], bytes(32)))
        party.database.close()

    with pytest.raises(ProtocolViolationError):
        _agree(world, certified, modeler=for_another_job)
    assert ready_ids(world)[R] == [second]
    assert first in ready_ids(world)[M]

    def taking_for_another_job(channel: Channel) -> None:
        channel.recv(PartyTag.STOCK_OFFER, limit=2000)
        channel.send(PartyTag.STOCK_CHOSEN, second + item_choice._word(R, second, bytes(32)))

    with pytest.raises(ProtocolViolationError):
        _agree(world, certified, regulator=taking_for_another_job)


@pytest.mark.parametrize("answer", [b"\x01" * 64, bytes(32) + b"\x01" * 32])
def test_an_answer_that_was_not_offered_is_refused_or_means_none(
    world: World, certified: tuple[Configuration, bytes], answer: bytes
) -> None:
    let_meet(world)

    def answering(channel: Channel) -> None:
        channel.recv(PartyTag.STOCK_OFFER, limit=2000)
        channel.send(PartyTag.STOCK_CHOSEN, answer)

    if any(answer[:32]):
        with pytest.raises(ProtocolViolationError):
            _agree(world, certified, regulator=answering)
    else:
        assert _agree(world, certified, regulator=answering)[0] is None
    assert len(ready_ids(world)[M]) == 2


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
        let_meet(world)
    assert ready_ids(world) == {M: [], R: []}
    assert world.parties[R].stock_epoch.is_spoilt
    let_meet(world)
    assert ready_ids(world) == {M: [], R: []}
    used: Taken = {M: [], R: []}
    assert answer_case(world, certified, 0, used) == "CONFIRMED"


def test_a_wrong_label_with_stock_leaves_the_case_not_answered_and_the_item_dead(
    world: World, certified: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    let_meet(world)
    study, certificate_id = certified
    challenge(world, study, certificate_id, b"1" * 16)
    never_stop(monkeypatch)

    def forging(*args: Any) -> None:
        *rest, item = args
        given: Any = (*rest, replace(item, labels=item.labels ^ item.labels[::-1]))
        verify_as_modeler(*given)

    table = replace(PRODUCTION, verify_as_modeler=forging)
    first = ready_ids(world)[R][0]
    reports = verify(world, study, certificate_id, [b"1" * 16], table)
    assert outcomes(reports[R]) == ["NOT_ANSWERED"]
    assert first not in ready_ids(world)[R]
    assert first not in ready_ids(world)[M]
