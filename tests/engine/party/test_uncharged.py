"""What can be known before a question is asked is refused before it is charged, at both parties."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.crypto.signatures import Ed25519SigningKey
from mpc_engine.party.jobs import runner
from mpc_engine.party.jobs.certificate_exchange import CLOCK_LIMIT
from mpc_engine.roles import Role
from tests.engine.party.charges import NO_PROTOCOL, charged, codes
from tests.engine.party.charges import never as unexpected
from tests.engine.party.plain_protocols import PLAIN
from tests.engine.party.stories import (
    MODEL_ID,
    certification_spec_text,
    certify,
    closed_study,
    hand_in,
    train,
    trainable_study,
    with_protocols,
)
from tests.engine.party.world import M, R, World

Spoil = Callable[[World, pytest.MonkeyPatch], None]


def _clock(role: Role, ahead: timedelta) -> Spoil:
    def spoil(world: World, _: pytest.MonkeyPatch) -> None:
        world.parties[role].now = lambda: world.now + ahead

    return spoil


def _other_signing_key(role: Role) -> Spoil:
    def spoil(world: World, _: pytest.MonkeyPatch) -> None:
        party = world.parties[role]
        party.keys = replace(party.keys, signing=Ed25519SigningKey.generate(world.rng))

    return spoil


def _change(role: Role, statement: str) -> Spoil:
    def spoil(world: World, _: pytest.MonkeyPatch) -> None:
        with closing(sqlite3.connect(world.parties[role].database.path)) as connection:
            connection.execute(statement)
            connection.commit()

    return spoil


def _other_code(_: World, patched: pytest.MonkeyPatch) -> None:
    digests = iter((b"m" * 32, b"r" * 32))
    patched.setattr(runner, "code_digest", lambda: next(digests))


def _lower_limit(role: Role) -> Spoil:
    def spoil(world: World, _: pytest.MonkeyPatch) -> None:
        world.allow(role, question_bits_limit=3)

    return spoil


_HOUR = timedelta(hours=1)
_CASES: dict[str, tuple[Spoil, set[str]]] = {
    "modeler-clock-ahead": (_clock(M, _HOUR), {"CLOCKS_DIFFER"}),
    "modeler-clock-behind": (_clock(M, -_HOUR), {"CLOCKS_DIFFER"}),
    "regulator-clock-ahead": (_clock(R, _HOUR), {"CLOCKS_DIFFER"}),
    "modeler-signing-key": (_other_signing_key(M), {"SIGNING_KEY_OTHER", "PEER_REFUSED"}),
    "regulator-signing-key": (_other_signing_key(R), {"SIGNING_KEY_OTHER", "PEER_REFUSED"}),
    "other-code": (_other_code, {"OTHER_CODE"}),
    "no-model": (_change(M, "DELETE FROM models"), {"MODEL_UNKNOWN", "PEER_REFUSED"}),
    "half-a-store": (
        _change(R, "DELETE FROM closed_records"),
        {"STORE_INCOMPLETE", "PEER_REFUSED"},
    ),
    "operator-limit": (_lower_limit(M), {"PARTY_BITS_SPENT", "PEER_REFUSED"}),
}


def _ready(world: World) -> tuple[Configuration, bytes]:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0", "0.001", intercept="-1")
    return study, record_set


@pytest.mark.parametrize("what", _CASES)
def test_nothing_is_charged_for_what_could_be_known_before(
    world: World, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    study, record_set = _ready(world)
    spoil, expected = _CASES[what]
    spec = certification_spec_text(world, study, record_set)
    approvals = world.approvals("certification", spec)
    spoil(world, monkeypatch)
    reports = world.run_job(spec, kind="certification", table=NO_PROTOCOL, approvals=approvals)
    assert {report.kind for report in reports.values()} == {"job_failed"}
    assert set(codes(reports).values()) == expected
    assert charged(world, M) == charged(world, R) == []


@pytest.mark.parametrize("role", list(Role))
def test_a_training_with_another_signing_key_is_not_charged(
    world: World, monkeypatch: pytest.MonkeyPatch, role: Role
) -> None:
    study, record_set = trainable_study(world, 3)
    _other_signing_key(role)(world, monkeypatch)
    never = with_protocols(train_as_modeler=unexpected, train_as_regulator=unexpected)
    reports = train(world, study, record_set, never)
    assert codes(reports) == {role: "SIGNING_KEY_OTHER", role.peer: "PEER_REFUSED"}
    assert charged(world, M) == charged(world, R) == []


def test_clocks_that_pass_in_the_beginning_pass_in_the_end(world: World) -> None:
    study, record_set = _ready(world)
    world.parties[M].now = lambda: world.now + CLOCK_LIMIT
    reports = certify(world, study, record_set, PLAIN)
    assert {report.kind for report in reports.values()} == {"job_result"}
