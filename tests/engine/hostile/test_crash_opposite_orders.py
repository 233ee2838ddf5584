"""Twenty jobs that reach the two parties in opposite orders, with one slot each: all finish."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.control.files.descriptor import PartyDescriptor
from mpc_engine.control.policies.policy import MAX_QUESTIONS
from mpc_engine.control.post.jobs import attempt_digest
from mpc_engine.errors import BusyError, PeerTimeoutError
from mpc_engine.party.line.lines import open_lines, open_worker_lines
from mpc_engine.party.worker.receive import receive
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role
from mpc_engine.transport.channel import StreamChannel
from tests.engine.party.plain_protocols import PLAIN
from tests.engine.party.stories import certification_spec_text, closed_study, hand_in
from tests.engine.party.world import M, R, World

N_JOBS = 20
LIMIT_S = 300
"""Twenty times what all of them take on a machine that does nothing else."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return both parties, freshly made."""
    return World(tmp_path)


def _one_slot(world: World, role: Role, orders: deque[dict[str, Any]], until: float) -> None:
    """Work as a worker with one slot does: an order whose turn has not come goes to the end."""
    while orders and time.monotonic() < until:
        order = orders.popleft()
        if not receive(world.parties[role], "run_job", order, PLAIN):
            orders.append(order)


# Where a peer resets a line before it is wrapped, Python's wrap_socket drops its socket unclosed.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")
@pytest.mark.parametrize("apart", [0, 7], ids=["opposite", "shifted"])
def test_twenty_jobs_in_different_orders_all_finish(world: World, apart: int) -> None:
    for party in world.parties.values():
        party.config = replace(party.config, question_bits_limit=10_000)
    study, record_set = closed_study(world, question_bits_limit=10_000)
    orders: list[dict[str, Any]] = []
    for number in range(MAX_QUESTIONS):
        hand_in(world, study, bytes([number]) * 16, "0", "0")
    for number in range(N_JOBS):
        model_id = bytes([number % MAX_QUESTIONS]) * 16
        ids = {"model_id": model_id, "job_id": bytes([99 - number]) * 16}
        spec = certification_spec_text(world, study, record_set, time_limit_s=LIMIT_S, **ids)
        approvals = world.approvals("certification", spec)
        orders.append({"spec": spec, "attempt": 0, "approvals": approvals, "receipts": []})
    at_regulator = [*orders[apart:], *orders[:apart]] if apart else orders[::-1]
    until = time.monotonic() + LIMIT_S
    slots = [
        threading.Thread(
            target=_one_slot, args=(world, role, deque(queue), until), name=role.value, daemon=True
        )
        for role, queue in ((M, orders), (R, at_regulator))
    ]
    for slot in slots:
        slot.start()
    for slot in slots:
        slot.join(LIMIT_S + 20)
    for role in Role:
        reports = [
            message
            for message in world.messages(role)
            if message.kind == "job_failed"
            or (message.kind == "job_result" and message.text("job_kind") == "certification")
        ]
        failures = [message.text("code") for message in reports if message.kind == "job_failed"]
        assert failures == []
        assert len(reports) == N_JOBS


def _opened(world: World, role: Role, session: bytes, wait_s: float) -> Any:
    party = world.parties[role]
    try:
        return open_lines(party, party.peer(), session, 1, wait_s=wait_s, receive_limit_s=5)
    except Exception as error:
        return error


@pytest.mark.parametrize("first", Role)
def test_of_two_jobs_the_later_in_the_common_order_gives_way(world: World, first: Role) -> None:
    sessions = {first: attempt_digest("a job", 0), first.peer: attempt_digest("a job", 1)}
    low, high = sorted(sessions.values())
    sessions = {first: low, first.peer: high}
    found: dict[Role, Any] = {}

    def run(role: Role) -> None:
        found[role] = _opened(world, role, sessions[role], 2.0)

    threads = [threading.Thread(target=run, args=(role,), daemon=True) for role in Role]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert isinstance(found[first.peer], BusyError)
    assert isinstance(found[first], PeerTimeoutError)


def test_two_jobs_of_the_regulator_do_not_listen_at_once(world: World) -> None:
    waiting = threading.Thread(target=_opened, args=(world, R, bytes(32), 2.0), daemon=True)
    waiting.start()
    time.sleep(0.5)
    refused = _opened(world, R, b"\1" * 32, 1.0)
    waiting.join(20)
    assert isinstance(refused, BusyError)
    assert refused.code == "ADDRESS_IN_USE"


@pytest.mark.slow
def test_a_job_put_off_keeps_its_deadline_and_then_fails(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, b"m" * 16, "0", "0")
    spec = certification_spec_text(world, study, record_set, time_limit_s=2)
    approvals = world.approvals("certification", spec)
    order = {"spec": spec, "attempt": 0, "approvals": approvals, "receipts": []}
    party = world.parties[M]
    serving = threading.Thread(target=_opened, args=(world, R, bytes(32), 5.0), daemon=True)
    serving.start()
    put_off = 0
    while not receive(party, "run_job", order, PLAIN):
        put_off += 1
        with party.database.reading() as connection:
            query = "SELECT 1 FROM attempts WHERE job_id = ?"
            assert connection.execute(query, (b"c" * 16,)).fetchone() is None
        time.sleep(0.1)
    assert put_off > 3
    assert world.messages(M)[-1].kind == "job_failed"
    assert world.messages(M)[-1].text("code") in ("PARTY_BUSY", "PEER_TIMEOUT")
    serving.join(20)


def test_who_waits_for_a_job_gives_way_to_the_shares_of_one_that_runs(world: World) -> None:
    given_way: list[BusyError] = []
    lines: dict[Role, list[StreamChannel]] = {}

    def wait_in_vain() -> None:
        with pytest.raises(BusyError) as caught:
            open_lines(*_ends(world, R), b"\1" * 32, 1, wait_s=20, receive_limit_s=5)
        given_way.append(caught.value)

    def open_shares(role: Role) -> None:
        lines[role] = open_worker_lines(
            *_ends(world, role), b"\2" * 32, 2, wait_s=20, receive_limit_s=5
        )

    waiting = threading.Thread(target=wait_in_vain)
    waiting.start()
    time.sleep(0.3)
    threads = [threading.Thread(target=open_shares, args=(role,)) for role in Role]
    for thread in threads:
        thread.start()
    for thread in (*threads, waiting):
        thread.join(30)
    assert [error.code for error in given_way] == ["PARTY_BUSY"]
    for number in range(2):
        lines[M][number].send(0xF001, bytes([number]))
        assert lines[R][number].recv(0xF001) == bytes([number])
    for line in (*lines[M], *lines[R]):
        line.close()


def _ends(world: World, role: Role) -> tuple[Party, PartyDescriptor]:
    """Return a party and what it knows of the other one."""
    return world.parties[role], world.parties[role].peer()
