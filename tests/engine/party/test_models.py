from __future__ import annotations

import json
from typing import Any

import pytest

from mpc_engine.control.files.model_file import parse_model
from mpc_engine.control.studies.study_texts import approved_body_text, deployment_text
from mpc_engine.control.texts.approvals import sign_approval
from mpc_engine.party.services.models import model_in_use, model_theta
from mpc_engine.roles import Role
from mpc_engine.sharing.sealed import Purpose
from tests.engine.party.world import M, R, World, model_body

FIRST, SECOND = b"1" * 16, b"2" * 16


def _deployment(world: World, study: Any, model_id: bytes, role: Role = M) -> dict[str, Any]:
    text = deployment_text(study.study_id, model_id, world.now)
    (approval,) = world.approvals("deployment", text, [role])
    return {"study_id": study.study_id.hex(), "text": text, "approval": approval}


def test_a_model_is_kept_as_exact_integers_and_encrypted(world: World) -> None:
    study = world.open_study()
    body = model_body(study, "-0.03", "0.0002", intercept="-1.25")
    message = world.order(M, "model", world.model_order(study, FIRST, body))
    assert (message.kind, message.text("model_id")) == ("model_accepted", FIRST.hex())
    party = world.parties[M]
    with party.database.reading() as connection:
        theta = model_theta(party, connection, study.study_id, FIRST)
        sealed = connection.execute("SELECT sealed FROM models").fetchone()[0]
    assert theta == parse_model(body, study)
    assert str(theta[0]).encode() not in sealed


def test_the_same_model_twice_is_accepted_and_another_under_its_number_is_not(world: World) -> None:
    study = world.open_study()
    order = world.model_order(study, FIRST, model_body(study, "1", "0.1"))
    assert [world.order(M, "model", order).kind for _ in range(2)] == ["model_accepted"] * 2
    other = world.model_order(study, FIRST, model_body(study, "2", "0.1"))
    assert world.order(M, "model", other).text("code") == "MODEL_ID_TAKEN"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"coefficients": {"duration": "1"}}, "MODEL_COEFFICIENT_MISSING"),
        (
            {"coefficients": {"duration": 1, "amount": 0, "x\n\u0000": 1}},
            "MODEL_COEFFICIENT_UNKNOWN",
        ),
        ({"coefficients": {"duration": 1, "amount": 0, "\ud800": 1}}, "MODEL_COEFFICIENT_UNKNOWN"),
        (
            {"coefficients": {"duration": float("nan"), "amount": 0}},
            "MODEL_COEFFICIENT_NOT_A_NUMBER",
        ),
        ({"coefficients": {"duration": 1e9, "amount": 0}}, "MODEL_COEFFICIENT_OUT_OF_RANGE"),
        ({"configuration": "00" * 32}, "MODEL_OTHER_CONFIGURATION"),
    ],
)
def test_a_bad_model_is_refused_by_its_id(world: World, change: dict[str, Any], code: str) -> None:
    study = world.open_study()
    body = json.dumps({**json.loads(model_body(study, "1", "1")), **change})
    message = world.order(M, "model", world.model_order(study, FIRST, body))
    assert (message.kind, message.text("code")) == ("model_refused", code)
    assert message.text("model_id") == FIRST.hex()


def test_a_model_without_the_modelers_approval_is_refused(world: World) -> None:
    study = world.open_study()
    body = model_body(study, "1", "0.1")
    approval = sign_approval("model", body + " ", M, world.approvers[M])
    envelope = world.sealed(study, M, Purpose.MODEL, FIRST, approved_body_text(body, approval))
    order = {"study_id": study.study_id.hex(), "model_id": FIRST.hex(), "envelope": envelope}
    assert world.order(M, "model", order).text("code") == "APPROVAL_SIGNATURE_INVALID"


@pytest.mark.parametrize("text", ["", "{}", "[1]", "nonsense"])
def test_a_sealed_text_that_is_no_model_is_refused(world: World, text: str) -> None:
    study = world.open_study()
    envelope = world.sealed(study, M, Purpose.MODEL, FIRST, text)
    order = {"study_id": study.study_id.hex(), "model_id": FIRST.hex(), "envelope": envelope}
    assert world.order(M, "model", order).kind == "model_refused"


def test_an_envelope_for_another_purpose_or_model_does_not_open(world: World) -> None:
    study = world.open_study()
    body = model_body(study, "1", "0.1")
    order = world.model_order(study, FIRST, body)
    order["model_id"] = SECOND.hex()
    assert world.order(M, "model", order).text("code") == "ENVELOPE_NOT_OPENED"
    order["envelope"] = world.sealed(study, M, Purpose.DATA, SECOND, body)
    assert world.order(M, "model", order).text("code") == "ENVELOPE_NOT_OPENED"


def test_the_regulators_party_takes_no_models(world: World) -> None:
    study = world.open_study()
    order = world.model_order(study, FIRST, model_body(study, "1", "0.1"))
    for kind, payload in (("model", order), ("deploy_model", _deployment(world, study, FIRST))):
        assert world.order(R, kind, payload).text("code") == "NOT_FOR_THIS_PARTY"


def test_the_last_deployed_model_is_in_use(world: World) -> None:
    study = world.open_study()
    for model_id in (FIRST, SECOND):
        world.order(M, "model", world.model_order(study, model_id, model_body(study, "1", "0.1")))
    with world.parties[M].database.reading() as connection:
        assert model_in_use(connection, study.study_id, FIRST) == FIRST
    old = _deployment(world, study, FIRST)
    world.later(hours=1)
    assert (
        world.order(M, "deploy_model", _deployment(world, study, SECOND)).kind == "model_deployed"
    )
    assert world.order(M, "deploy_model", old).text("code") == "DEPLOYMENT_OUTDATED"
    with world.parties[M].database.reading() as connection:
        assert model_in_use(connection, study.study_id, FIRST) == SECOND


def test_a_deployment_needs_the_modelers_approval_and_a_known_model(world: World) -> None:
    study = world.open_study()
    order = _deployment(world, study, FIRST, role=R)
    assert world.order(M, "deploy_model", order).text("code") == "APPROVAL_MISSING"
    order = _deployment(world, study, FIRST)
    message = world.order(M, "deploy_model", order)
    assert (message.kind, message.text("code")) == ("deployment_refused", "MODEL_UNKNOWN")
