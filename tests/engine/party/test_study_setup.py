from __future__ import annotations

import json
from typing import Any

import pytest

from mpc_engine.control.post.party_limits import limit_key
from mpc_engine.control.texts.canonical import canonical_text
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.party.studies.known_study import load_study
from mpc_engine.roles import Role
from tests.builders.sealing_keys import sealing_key
from tests.engine.party.world import M, R, World, record


def _acceptance(world: World, text: str, roles: tuple[Role, ...] = (M, R)) -> dict[str, Any]:
    return {
        "study_id": json.loads(text)["study_id"],
        "attempt_id": "a7" * 16,
        "text": text,
        "approvals": world.approvals("configuration", text, roles),
    }


def test_a_study_has_one_key_until_it_closes(world: World) -> None:
    order = {"study_id": "ab" * 16}
    first, again = (world.order(M, "make_study_key", order) for _ in range(2))
    assert first.values == again.values


def test_a_configuration_that_something_rests_on_is_accepted_once_and_for_all(
    world: World,
) -> None:
    study = world.open_study(n_invited=1)
    world.accept(study)
    changed = canonical_text({**json.loads(study.text), "title": "Other"})
    message = world.order(M, "accept_configuration", _acceptance(world, changed))
    assert message.text("code") == "CONFIGURATION_FIXED"


def test_another_approved_configuration_takes_the_place_of_an_unused_one(world: World) -> None:
    study = world.configure()
    world.accept(study)
    changed = canonical_text({**json.loads(study.text), "title": "Proposed anew"})
    message = world.order(M, "accept_configuration", _acceptance(world, changed))
    assert message.kind == "configuration_accepted"
    assert load_study(world.parties[M], study.study_id).configuration.title == "Proposed anew"


@pytest.mark.parametrize("role", list(Role))
def test_a_configuration_without_both_approvals_is_refused(world: World, role: Role) -> None:
    study = world.configure()
    message = world.order(M, "accept_configuration", _acceptance(world, study.text, (role,)))
    assert (message.kind, message.text("code")) == ("configuration_refused", "APPROVAL_MISSING")
    assert message.text("attempt_id") == "a7" * 16


def test_a_configuration_whose_sums_no_check_could_bind_is_refused(world: World) -> None:
    value = json.loads(world.configure().text)
    value |= {"theta_bits": 32, "x_frac_bits": 16}
    value["features"] = [
        {"name": f"f{i}", "title": "F", "unit": "1", "minimum": "-100", "maximum": "100"}
        for i in range(250)
    ]
    message = world.order(M, "accept_configuration", _acceptance(world, canonical_text(value)))
    assert (message.kind, message.text("code")) == ("configuration_refused", "SUM_TOO_WIDE")


@pytest.mark.parametrize("data_holder", list(Role))
def test_both_refuse_a_limit_that_one_operator_does_not_allow(
    world: World, data_holder: Role
) -> None:
    world.allow(R, **{limit_key(data_holder): 63})
    study = world.configure(data_holder=data_holder.value, question_bits_limit=64)
    for role in Role:
        said = world.order(role, "accept_configuration", _acceptance(world, study.text))
        assert said.text("code") == "QUESTION_LIMIT_ABOVE_PARTY"
        for words in ("Regulator's party", "63 bits", f'"{limit_key(data_holder)}"'):
            assert words in said.text("sentence")
    kept = world.configure(data_holder=data_holder.value, question_bits_limit=63)
    world.accept(kept)


def test_what_was_accepted_is_told_again_whatever_changed_since(world: World) -> None:
    study = world.configure(question_bits_limit=64)
    world.accept(study)
    order = _acceptance(world, study.text)
    world.allow(R, **{limit_key(R): 63})
    world.approvers[R] = P256SigningKey(12345)
    for repeated in (order, _acceptance(world, study.text)):
        assert world.order(M, "accept_configuration", repeated).kind == "configuration_accepted"


def test_both_refuse_a_study_that_could_not_train_once(world: World) -> None:
    held: dict[str, Any] = {"data_holder": "modeler", "question_bits_limit": 11}
    study = world.configure(**held)
    for role in Role:
        said = world.order(role, "accept_configuration", _acceptance(world, study.text))
        assert said.text("code") == "TRAINING_ABOVE_QUESTION_LIMIT"
    world.accept(world.configure(**{**held, "question_bits_limit": 12}))


def test_an_approval_by_a_stranger_is_refused(world: World) -> None:
    study = world.configure()
    world.approvers[R] = P256SigningKey(12345)
    message = world.order(M, "accept_configuration", _acceptance(world, study.text))
    assert message.text("code") == "APPROVER_UNKNOWN"


@pytest.mark.parametrize(
    ("role", "field", "value", "code"),
    [
        (M, "hpke_key", sealing_key().hex(), "CONFIGURATION_OTHER_STUDY_KEY"),
        (M, "key_id", "11" * 16, "CONFIGURATION_OTHER_STUDY_KEY"),
        (M, "signing_key", "11" * 32, "CONFIGURATION_OTHER_SIGNING_KEY"),
        (R, "signing_key", "11" * 32, "CONFIGURATION_OTHER_SIGNING_KEY"),
    ],
)
def test_a_configuration_with_a_foreign_key_is_refused(
    world: World, role: Role, field: str, value: str, code: str
) -> None:
    study = json.loads(world.configure().text)
    study[role.value][field] = value
    text = canonical_text(study)
    assert world.order(M, "accept_configuration", _acceptance(world, text)).text("code") == code


def test_a_configuration_under_another_studys_id_is_refused(world: World) -> None:
    order = {**_acceptance(world, world.configure().text), "study_id": "00" * 16}
    message = world.order(M, "accept_configuration", order)
    assert message.text("code") == "CONFIGURATION_OTHER_STUDY"


@pytest.mark.parametrize("text", ["", "{}", "nonsense"])
def test_what_is_no_configuration_is_refused(world: World, text: str) -> None:
    order = {"study_id": "ab" * 16, "attempt_id": "a7" * 16, "text": text, "approvals": []}
    assert world.order(M, "accept_configuration", order).kind == "configuration_refused"


def test_more_people_can_be_invited_but_no_code_changes(world: World) -> None:
    study = world.open_study(n_invited=2)
    world.codes[record(2)] = bytes(16)
    message = world.order(M, "invitations", world.invitations(study, M))
    assert (message.kind, message.integer("count")) == ("invitations_accepted", 3)
    world.codes[record(0)] = bytes(16)
    message = world.order(M, "invitations", world.invitations(study, M))
    assert message.text("code") == "INVITATION_CHANGED"
    assert record(0).hex() in message.text("sentence")


def test_the_list_of_the_other_party_is_refused(world: World) -> None:
    study = world.open_study()
    message = world.order(R, "invitations", world.invitations(study, M))
    assert message.text("code") == "INVITATIONS_OTHER_STUDY"


def test_only_the_inviter_invites(world: World) -> None:
    study = world.open_study()
    order = world.invitations(study, M)
    (order["approval"],) = world.approvals("invitations", order["text"], [R])
    assert world.order(M, "invitations", order).text("code") == "APPROVAL_MISSING"


def test_an_unknown_study_is_named(world: World) -> None:
    study = world.open_study()
    order = {**world.invitations(study, M), "study_id": "00" * 16}
    assert world.order(M, "invitations", order).text("code") == "STUDY_UNKNOWN"
