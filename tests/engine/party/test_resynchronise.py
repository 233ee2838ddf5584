"""A party tells the web again what it holds: an older copy of the web was restored."""

from __future__ import annotations

import base64

import pytest

from mpc_engine.roles import Role
from tests.engine.party.stories import certified_study
from tests.engine.party.world import World

M = Role.MODELER


def _before(world: World, role: Role, kind: str) -> int:
    return len(world.messages(role, kind))


@pytest.mark.parametrize("role", list(Role))
def test_studies_keys_questions_and_certificates_are_told_again(world: World, role: Role) -> None:
    study, certificate_id = certified_study(world)
    (question,) = {message.text("entry") for message in world.messages(role, "question")}
    result = world.messages(role, "job_result")[-1].object("outcome")
    n_questions = _before(world, role, "question")
    last = world.order(role, "resynchronise", {})
    assert (last.kind, last.integer("studies"), last.integer("certificates")) == (
        "resynchronised",
        1,
        1,
    )
    (held,) = world.messages(role, "study_held")
    assert held.text("configuration") == study.text
    assert held.text("closing") == "CLOSED"
    assert held.object("cohort")["n_records"] == 3
    announced = world.messages(role, "study_key")
    assert announced[-1].values == announced[-2].values
    assert announced[-1].integer("number") == 2
    assert world.messages(role, "question")[n_questions:][0].text("entry") == question
    (certificate,) = world.messages(role, "certificate_held")
    assert certificate.text("certificate_id") == certificate_id.hex()
    assert certificate.text("text") == result["certificate"]
    assert certificate.object("revocation") == {}


def test_a_study_that_is_open_is_told_without_a_cohort(world: World) -> None:
    world.open_study()
    world.order(M, "resynchronise", {})
    (held,) = world.messages(M, "study_held")
    assert (held.text("closing"), held.object("cohort")) == ("OPEN", {})


@pytest.mark.parametrize(
    ("role", "state", "standing"),
    [
        (M, "KEPT", "OPEN"),
        (Role.REGULATOR, "KEPT", "WAITS"),
        (M, "OPENED", "WAITS"),
        (M, "DISAGREED", "ENDED"),
        (Role.REGULATOR, "NOBODY_VALID", "ENDED"),
        (M, "UNFINISHED", "ENDED"),
    ],
)
def test_how_a_closing_stands_is_told(world: World, role: Role, state: str, standing: str) -> None:
    study = world.open_study()
    with world.parties[role].database.transaction() as connection:
        connection.execute(
            "INSERT INTO closings VALUES (?, x'', ?, '', x'')", (study.study_id, state)
        )
    world.order(role, "resynchronise", {})
    (held,) = world.messages(role, "study_held")
    assert (held.text("closing"), held.object("cohort")) == (standing, {})


def test_a_seal_for_a_destroyed_key_is_answered_with_the_present_one(world: World) -> None:
    study, _certificate = certified_study(world)
    first = study.modeler.key_id
    envelope = b"\2\0" + first + bytes(1200)
    order = {"study_id": study.study_id.hex(), "model_id": "99" * 16}
    n_keys = _before(world, M, "study_key")
    world.order(M, "model", {**order, "envelope": base64.b64encode(envelope).decode()})
    refused = world.messages(M, "model_refused")[-1]
    assert refused.text("code") == "KEY_RETIRED"
    assert _before(world, M, "study_key") == n_keys + 1
    assert world.messages(M, "study_key")[-1].text("key_id") != first.hex()
