"""A verification with prepared material, cut at every message and tried again: nothing used twice.

An item's two transcripts, of its making and of its use, count as one; the next attempt must share
nothing with it but what was never used.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.stock import item_choice
from mpc_engine.party.stock.store import spend_item
from mpc_engine.party.worker.line_check import meet, own_versions
from mpc_engine.roles import Role
from tests.engine.leakage.transcripts import Attempts, Line, merged, repeats
from tests.engine.party.stories import (
    Reports,
    certified_study,
    challenge,
    compile_kernels,
    outcomes,
    untold,
    verify,
)
from tests.engine.party.world import World

R = Role.REGULATOR
Certified = tuple[Configuration, bytes]


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return both parties, which keep one item."""
    world = World(tmp_path)
    for party in world.parties.values():
        party.config = replace(party.config, stock_items=1, receive_limit_s=5)
    return world


@pytest.fixture
def certified(world: World) -> Certified:
    """Return a study with a certified model."""
    compile_kernels()
    return certified_study(world, typed_challenge_limit=1000)


def _prepared(attempts: Attempts) -> Line:
    """Let both meet; return what went over the line."""
    versions = own_versions()
    with attempts.noted() as line:
        threads = [
            threading.Thread(target=meet, args=(party, b"m" * 16, versions, untold), daemon=True)
            for party in attempts.world.parties.values()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    for party in attempts.world.parties.values():
        party.database.close()
    return line


def _ids(number: object) -> tuple[bytes, bytes]:
    challenge_id, job_id = (
        hashlib.sha256(f"{kind} {number}".encode()).digest()[:16] for kind in ("case", "job")
    )
    return challenge_id, job_id


def _answer(world: World, certified: Certified, number: object, attempt: int) -> Reports:
    challenge_id, job_id = _ids(number)
    if not attempt:
        accepted = challenge(world, *certified, challenge_id)
        assert accepted.kind == "challenge_accepted"
    return verify(world, *certified, [challenge_id], PRODUCTION, attempt, job_id=job_id)


def _whole(attempts: Attempts, certified: Certified) -> Line:
    """Let both meet and answer a challenge, uncut; return what the answer carried."""
    made = _prepared(attempts)
    assert made.transcript.labels
    with attempts.noted() as line:
        reports = _answer(attempts.world, certified, "whole", 0)
    assert outcomes(reports[R]) == ["CONFIRMED"]
    assert not line.transcript.hash_keys, "the job opened a session of its own"
    assert repeats(merged(made.transcript, line.transcript)) == {}
    return line


@pytest.mark.slow
def test_a_prepared_verification_cut_at_every_message_uses_nothing_twice(
    world: World, certified: Certified, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = Attempts(world, monkeypatch)
    n_messages = _whole(attempts, certified).n_messages
    assert n_messages > 8
    attempts.base_ots_are_ideal = True
    for cut_at in range(n_messages):
        made = _prepared(attempts)
        with attempts.noted(cut_at) as cut:
            first = _answer(world, certified, cut_at, 0)
        assert "job_failed" in {report.kind for report in first.values()}
        made_again = _prepared(attempts)
        with attempts.noted() as whole:
            second = _answer(world, certified, cut_at, 1)
        if first[R].kind == "job_failed":
            assert outcomes(second[R]) == ["CONFIRMED"]
        assert repeats(cut.transcript, whole.transcript) == {}, cut_at
        lines = (made, cut, made_again, whole)
        assert repeats(merged(*(line.transcript for line in lines))) == {}, cut_at


@pytest.mark.slow
def test_an_item_that_is_not_spent_is_noticed(
    world: World, certified: Certified, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above would fail if both parties kept an item after its use."""
    attempts = Attempts(world, monkeypatch)
    whole_line = _whole(attempts, certified)
    made = _prepared(attempts)
    copies: dict[tuple[Role, bytes], bytes] = {}

    def keeping(party: object, bound: object, stock_id: bytes) -> bytes | None:
        key = (party.role, stock_id)  # type: ignore[attr-defined]
        if key not in copies:
            side = spend_item(party, bound, stock_id)  # type: ignore[arg-type]
            copies[key] = side or b""
        return copies[key]

    def offering(party: object, *_: object) -> list[bytes]:
        role = party.role  # type: ignore[attr-defined]
        kept = [stock_id for owner, stock_id in copies if owner is role]
        return kept or ready(party, *_)  # type: ignore[arg-type]

    ready = item_choice.ready_items
    monkeypatch.setattr(item_choice, "spend_item", keeping)
    monkeypatch.setattr(item_choice, "ready_items", offering)
    with attempts.noted(whole_line.end_at) as cut:
        _answer(world, certified, "kept", 0)
    with attempts.noted() as whole:
        _answer(world, certified, "kept", 1)
    assert {"delta", "delta and tweak"} <= set(repeats(cut.transcript, whole.transcript))
    assert repeats(merged(made.transcript, cut.transcript, whole.transcript))
