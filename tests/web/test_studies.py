"""Studies: from the draft to the approved, immutable configuration."""

from __future__ import annotations

import pytest

from blindjustice_web.studies.models import Configuration, ImmutableError
from tests.builders.policies import P_RULE, criterion, each_pair
from tests.builders.sealing_keys import sealing_key
from tests.web.drafts import attempt_of, draft
from tests.web.stories import World


def test_modeler_drafts_a_study(world: World) -> None:
    study = world.drafted()
    assert study.state == "DRAFT"
    assert study.modeler == world.organisations["bank"]
    assert study.regulator == world.organisations["authority"]


@pytest.mark.parametrize("who", ["rae", "uma"])
def test_only_a_modeler_drafts(world: World, who: str) -> None:
    answer = world.post(who, "/studies", draft())
    assert answer.status_code == 403
    assert answer.json()["code"] == "ONLY_MODELERS_DRAFT"


def test_a_faulty_draft_is_refused_by_name(world: World) -> None:
    answer = world.post("mo", "/studies", draft(retention_days=0))
    assert answer.status_code == 422
    assert answer.json()["code"] == "CONFIGURATION_INVALID"
    assert "retention_days" in answer.json()["detail"]


def test_a_policy_on_the_covariance_is_refused_with_the_reason(world: World) -> None:
    policy = each_pair(P_RULE, criterion("covariance", "0.1"))
    answer = world.post("mo", "/studies", draft(policy=policy))
    assert (answer.status_code, answer.json()["code"]) == (422, "POLICY_COVARIANCE")
    assert "read her answer" in answer.json()["detail"]


def test_a_limit_that_a_party_does_not_allow_is_refused_before_anybody_signs(world: World) -> None:
    kept = world.drafted(question_bits_limit=64)
    world.limits(question_bits_limit=63)
    path = f"/api/v1/studies/{kept.id}"
    for answer in (
        world.post("mo", "/studies", draft(question_bits_limit=64)),
        world.clients["mo"].put(path, draft(), content_type="application/json"),
        world.post("mo", f"/studies/{kept.id}/submit", {}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "QUESTION_LIMIT_ABOVE_PARTY")
        assert "Party of the regulator's party" in answer.json()["detail"]
        assert "63 bits" in answer.json()["detail"]
    assert not world.broker.of_kind("make_study_key")
    assert world.post("mo", "/studies", draft(question_bits_limit=63)).status_code == 201
    trains = draft(question_bits_limit=64, data_holder="modeler")
    assert world.post("mo", "/studies", trains).status_code == 201


def test_a_study_that_could_not_pay_for_one_training_is_refused(world: World) -> None:
    features = [{**draft()["features"][0], "name": f"amount_{n}"} for n in range(3)]
    trains = {"data_holder": "modeler", "features": features}
    least = 4 * (len(features) + 1)
    answer = world.post("mo", "/studies", draft(**trains, question_bits_limit=least - 1))
    assert answer.json()["code"] == "TRAINING_ABOVE_QUESTION_LIMIT"
    assert (
        world.post("mo", "/studies", draft(**trains, question_bits_limit=least)).status_code == 201
    )


def test_a_draft_names_its_regulator_where_there_are_several(world: World) -> None:
    from blindjustice_web.accounts.models import Organisation, Role

    Organisation.objects.create(name="Second Authority", role=Role.REGULATOR)
    assert world.post("mo", "/studies", draft()).json()["code"] == "REGULATOR_UNKNOWN"
    study = world.drafted(regulator={"name": "Second Authority"})
    assert study.regulator.name == "Second Authority"


def test_a_draft_can_be_replaced_until_it_is_submitted(world: World) -> None:
    study = world.drafted()
    path = f"/api/v1/studies/{study.id}"
    change = draft(title="Another title")
    answer = world.clients["mo"].put(path, change, content_type="application/json")
    assert answer.status_code == 200
    study.refresh_from_db()
    assert study.title == "Another title"
    world.post("mo", f"/studies/{study.id}/submit", {})
    answer = world.clients["mo"].put(path, change, content_type="application/json")
    assert answer.json()["code"] == "STUDY_NOT_A_DRAFT"


def test_submitting_asks_both_parties_for_keys(world: World) -> None:
    study = world.drafted()
    world.post("mo", f"/studies/{study.id}/submit", {})
    asked = world.broker.of_kind("make_study_key")
    assert {task.role.value for task in asked} == {"modeler", "regulator"}
    assert all(task.payload == {"study_id": study.id} for task in asked)


def test_submitting_waits_for_a_party_that_published_nothing(
    world: World, settings: object
) -> None:
    study = world.drafted()
    (settings.PUBLIC_DIR / "regulator.json").unlink()  # type: ignore[attr-defined]
    answer = world.post("mo", f"/studies/{study.id}/submit", {})
    assert answer.status_code == 409
    assert answer.json()["code"] == "PARTY_NOT_SET_UP"
    study.refresh_from_db()
    assert study.state == "DRAFT"


def test_both_keys_freeze_the_text_and_propose_it(world: World) -> None:
    study = world.submitted()
    assert study.state == "AWAITING_APPROVAL"
    proposal = study.proposals.get()
    assert proposal.text == study.configuration.text
    assert proposal.digest == study.configuration.digest
    assert world.parties.modeler.signing_key.public_bytes.hex() in proposal.text


def test_one_approval_is_not_enough(world: World) -> None:
    study, proposal = world.proposed()
    assert world.approve("mo", proposal).json()["waiting_for"] == ["regulator"]
    assert not world.broker.of_kind("accept_configuration")
    study.configuration.refresh_from_db()
    assert study.configuration.approved_at is None


def test_two_approvals_send_the_configuration_to_both(world: World) -> None:
    study = world.submitted()
    world.approve_both(study.proposals.get())
    sent = world.broker.of_kind("accept_configuration")
    assert len(sent) == 2
    assert {row["role"] for row in sent[0].payload["approvals"]} == {"modeler", "regulator"}
    assert sent[0].payload["text"] == study.configuration.text


def test_an_approval_is_checked_against_the_published_keys(world: World) -> None:
    _, proposal = world.proposed()
    path = f"/proposals/{proposal.id}/approvals"
    other = world.parties.regulator.approves("configuration", proposal.text)
    assert world.post("mo", path, other).json()["code"] == "APPROVER_UNKNOWN"
    wrong = world.parties.modeler.approves("closing", proposal.text)
    assert world.post("mo", path, wrong).json()["code"] == "APPROVAL_SIGNATURE_INVALID"
    assert not proposal.approvals.exists()


def test_approving_twice_changes_nothing(world: World) -> None:
    _, proposal = world.proposed()
    world.approve("mo", proposal)
    assert world.approve("mo", proposal).status_code == 200
    assert proposal.approvals.count() == 1


def test_an_approved_configuration_can_not_be_saved_or_deleted(world: World) -> None:
    study = world.opened()
    configuration = Configuration.objects.get(study=study)
    configuration.text = configuration.text.replace("Credit", "Debit")
    with pytest.raises(ImmutableError):
        configuration.save()
    fresh = Configuration.objects.get(study=study)
    fresh.approved_at = None
    with pytest.raises(ImmutableError):
        fresh.save()
    with pytest.raises(ImmutableError):
        Configuration.objects.get(study=study).delete()


def test_the_study_opens_only_when_both_parties_took_it(world: World) -> None:
    study = world.submitted()
    world.approve_both(study.proposals.get())
    said = {"study_id": study.id, "attempt_id": attempt_of(study)}
    digest = study.configuration.digest
    world.parties.modeler.says("configuration_accepted", configuration=digest, **said)
    study.refresh_from_db()
    assert study.state == "AWAITING_APPROVAL"
    world.parties.regulator.says("configuration_accepted", configuration="00" * 32, **said)
    study.refresh_from_db()
    assert study.state == "AWAITING_APPROVAL"
    world.parties.regulator.says("configuration_accepted", configuration=digest, **said)
    study.refresh_from_db()
    assert study.state == "OPEN"


def test_a_declined_configuration_becomes_a_draft_again(world: World) -> None:
    study, proposal = world.proposed()
    answer = world.post("rae", f"/proposals/{proposal.id}/decline", {"reason": "Ask sex, too."})
    assert answer.json()["state"] == "DECLINED"
    study.refresh_from_db()
    assert study.state == "DRAFT"
    assert not Configuration.objects.filter(study=study).exists()
    assert world.approve("mo", proposal).json()["code"] == "PROPOSAL_NOT_OPEN"


def test_a_key_that_comes_late_changes_nothing(world: World) -> None:
    study = world.opened()
    text = study.configuration.text
    world.parties.modeler.says(
        "study_key", study_id=study.id, number=1, hpke_key=sealing_key().hex(), key_id="22" * 16
    )
    study.refresh_from_db()
    assert study.configuration.text == text
    assert study.keys.get(role="modeler").key_id != "22" * 16


def test_configuration_is_public_once_approved(world: World) -> None:
    study = world.submitted()
    path = f"/studies/{study.id}/configuration"
    assert world.get("anonymous", path).status_code == 404
    assert world.get("rae", path).status_code == 200
    world.approve_both(study.proposals.get())
    answer = world.get("anonymous", path).json()
    assert (answer["text"], answer["digest"]) == (
        study.configuration.text,
        study.configuration.digest,
    )


def test_the_form_of_a_study_starts_from_the_engine_s_parameters() -> None:
    from blindjustice_web.studies.draft_defaults import DRAFT_DEFAULTS
    from mpc_engine import params

    assert DRAFT_DEFAULTS["x_frac_bits"] == params.DEFAULT_X_FRAC_BITS
    assert DRAFT_DEFAULTS["theta_bits"] == params.DEFAULT_THETA_BITS
    assert DRAFT_DEFAULTS["theta_frac_bits"] == params.DEFAULT_THETA_FRAC_BITS
