"""What the parties say of their stock, damaged: a typed error, or the list that was said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.errors import PeerError
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.stock import item_choice
from mpc_engine.party.stock.filling import _decode, _encode, _Shelf
from mpc_engine.party.stock.item_choice import take_as_modeler, take_as_regulator
from mpc_engine.party.stock.store import Binding
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.wire.codec import u8
from tests.engine.hostile.mutations import damaged, fuzzing, read_or_refuse

_HELD = tuple(bytes([n]) * 32 for n in range(1, 4))
_SHELVES = {b"a" * 16: _Shelf(4, _HELD), b"b" * 16: _Shelf(2, ())}
_LIST = _encode(_SHELVES)
_OFFER = u8(3) + b"".join(_HELD)
_JOB = bytes(32)
_WORDS = {role: item_choice._word(role, _HELD[0], _JOB) for role in Role}
_CHOSEN = _HELD[0] + _WORDS[Role.REGULATOR]
_BOUND = Binding(b"c" * 16, bytes(32), bytes(32))


class _Store:
    """A party whose stock is a list, for the lines alone."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.spent: list[bytes] = []
        self.database = self
        patch.setattr(item_choice, "ready_items", lambda *_: list(_HELD))
        patch.setattr(item_choice, "spend_item", self._spend)

    def reading(self) -> _Store:
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None

    def _spend(self, party: Any, bound: Binding, stock_id: bytes) -> bytes:
        self.spent.append(stock_id)
        return b"side"


@fuzzing(200)
@given(damaged(_LIST, [_OFFER, _CHOSEN]) | st.binary(max_size=200))
def test_a_damaged_list_ends_typed_or_is_the_one_that_was_said(data: bytes) -> None:
    shelves = read_or_refuse(lambda: _decode(data), PeerError)
    if shelves is not None and len(_encode(shelves)) == len(data):
        assert _encode(shelves) == data


@fuzzing(150)
@given(damaged(_OFFER, [_LIST, _CHOSEN]) | st.binary(max_size=200), st.binary(max_size=40))
def test_a_damaged_offer_takes_an_item_that_was_offered_or_none(offer: bytes, word: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        party = _Store(patch)
        own, peer = memory_channel_pair(timeout_s=5.0)
        peer.send(PartyTag.STOCK_OFFER, offer)
        peer.send(PartyTag.STOCK_TAKEN, word)
        taken = read_or_refuse(
            lambda: take_as_regulator(party, own, _BOUND, _JOB),  # type: ignore[arg-type]
            PeerError,
        )
        if party.spent:
            assert party.spent[0] in offer
        if taken is not None:
            assert word == item_choice._word(Role.MODELER, taken[0], _JOB)


@fuzzing(150)
@given(damaged(_CHOSEN, [_OFFER]) | st.binary(min_size=64, max_size=64))
def test_a_damaged_choice_spends_nothing_that_was_not_chosen_for_this_job(chosen: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        party = _Store(patch)
        own, peer = memory_channel_pair(timeout_s=5.0)
        peer.send(PartyTag.STOCK_CHOSEN, chosen)
        taken = read_or_refuse(
            lambda: take_as_modeler(party, own, _BOUND, _JOB),  # type: ignore[arg-type]
            PeerError,
        )
        if taken is not None:
            assert party.spent == [taken[0]]
            assert chosen == taken[0] + item_choice._word(Role.REGULATOR, taken[0], _JOB)
        else:
            assert party.spent == []


def test_a_choice_for_this_job_that_was_not_offered_is_refused() -> None:
    other = bytes(range(32))
    with pytest.MonkeyPatch.context() as patch:
        party = _Store(patch)
        own, peer = memory_channel_pair(timeout_s=5.0)
        chosen = other + item_choice._word(Role.REGULATOR, other, _JOB)
        peer.send(PartyTag.STOCK_CHOSEN, chosen)
        with pytest.raises(PeerError):
            take_as_modeler(party, own, _BOUND, _JOB)  # type: ignore[arg-type]
        assert party.spent == []
