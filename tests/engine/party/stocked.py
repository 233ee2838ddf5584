"""Stocks of both parties: filled by a meeting, used up by cases."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.crypto.digests import sha256
from mpc_engine.party.jobs.protocol_table import PRODUCTION, ProtocolTable
from mpc_engine.party.stock import filling
from mpc_engine.party.stock.store import (
    Binding,
)
from mpc_engine.party.worker.line_check import meet, own_versions
from mpc_engine.protocols.verification.protocol import verify_as_modeler, verify_as_regulator
from mpc_engine.roles import Role
from tests.engine.party.stories import (
    challenge,
    outcomes,
    untold,
    verify,
)
from tests.engine.party.world import M, R, World

Taken = dict[Role, list[Any]]


def let_meet(world: World) -> None:
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


def ready_ids(world: World) -> dict[Role, list[bytes]]:
    """Return the ids of the items that each party may still offer, in their order."""
    query = "SELECT stock_id FROM stock WHERE state = 'READY' ORDER BY number"
    return {role: [row["stock_id"] for row in world.rows(role, query)] for role in Role}


def noting(used: Taken) -> ProtocolTable:
    """Return the real protocols, with the item that each run was given noted."""

    def as_modeler(*args: Any) -> None:
        used[M].append(args[-1] and args[-1].stock_id)
        verify_as_modeler(*args)

    def as_regulator(*args: Any) -> Any:
        used[R].append(args[-1] and args[-1].stock_id)
        return verify_as_regulator(*args)

    return replace(PRODUCTION, verify_as_modeler=as_modeler, verify_as_regulator=as_regulator)


def answer_case(
    world: World, certified: tuple[Configuration, bytes], number: int, used: Taken, **case: Any
) -> str:
    """Challenge a decision and return the outcome."""
    study, certificate_id = certified
    challenge_id, job_id = (sha256(kind + bytes([number]))[:16] for kind in (b"c", b"j"))
    assert challenge(world, study, certificate_id, challenge_id, **case).kind == (
        "challenge_accepted"
    )
    reports = verify(world, study, certificate_id, [challenge_id], noting(used), job_id=job_id)
    (outcome,) = outcomes(reports[R])
    assert reports[M].kind == "job_result"
    return outcome


def bound_of(world: World, certified: tuple[Configuration, bytes], role: Role = R) -> Binding:
    """Return what a party binds its items of a certified model to."""
    party = world.parties[role]
    return filling._purposes(party)[certified[1]].bound
