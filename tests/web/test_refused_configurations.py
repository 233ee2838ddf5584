"""A configuration that a party refuses is signed anew or declined."""

from __future__ import annotations

from typing import Any

import pytest

from blindjustice_web.post.models import OutgoingTask
from blindjustice_web.studies.models import Configuration, ImmutableError, PartyRefusal, Study
from mpc_engine.crypto.signatures import P256SigningKey
from tests.builders.sealing_keys import sealing_key
from tests.web.drafts import attempt_of, some_id
from tests.web.stories import World


def _refuses(
    world: World,
    study: Study,
    code: str = "APPROVER_UNKNOWN",
    *,
    who: str = "regulator",
    attempt: str = "",
) -> None:
    assert getattr(world.parties, who).says(
        "configuration_refused",
        study_id=study.id,
        attempt_id=attempt or attempt_of(study),
        code=code,
        sentence="This key is unknown.",
    )
    study.refresh_from_db()


def _accepted(world: World, study: Study) -> str:
    configuration = Configuration.objects.get(study=study)
    world.parties.both_say(
        "configuration_accepted",
        study_id=study.id,
        attempt_id=configuration.attempt_id,
        configuration=configuration.digest,
    )
    study.refresh_from_db()
    return str(study.state)


def test_a_refused_configuration_waits_for_both_signatures_again_and_they_count(
    world: World,
) -> None:
    study, proposal = world.proposed()
    world.approve_both(proposal)
    world.parties.modeler.says(
        "configuration_accepted",
        study_id=study.id,
        attempt_id=attempt_of(study),
        configuration=study.configuration.digest,
    )
    _refuses(world, study)
    for who in ("mo", "rae"):
        page = world.study_page(who, study)
        assert page.count("This key is unknown.") == 3, "on top, at the proposal, in the list"
        assert f"sign-{proposal.id}" in page
    assert world.approve("mo", proposal).json()["waiting_for"] == ["regulator"]
    assert len(world.broker.of_kind("accept_configuration")) == 2
    world.approve_both(proposal)
    assert len(world.broker.of_kind("accept_configuration")) == 4
    assert 'data-testid="refused"' not in world.study_page("mo", study)
    assert _accepted(world, study) == "OPEN"


@pytest.mark.database
def test_a_refused_configuration_can_be_declined_and_proposed_anew(world: World) -> None:
    study = world.submitted()
    world.approve_both(study.proposals.get())
    _refuses(world, study, "CONFIGURATION_OTHER_SIGNING_KEY")
    proposal = study.proposals.get()
    assert (
        world.post("mo", f"/proposals/{proposal.id}/decline", {"reason": "New key."}).json()[
            "state"
        ]
        == "DECLINED"
    )
    assert world.post("mo", f"/studies/{study.id}/submit", {}).status_code == 202
    for party in world.parties:
        party.says(
            "study_key",
            study_id=study.id,
            number=1,
            hpke_key=sealing_key(5).hex(),
            key_id=some_id(f"anew {party.role.value}"),
        )
    world.approve_both(study.proposals.get(state="OPEN"))
    assert _accepted(world, study) == "OPEN"


def test_an_order_that_a_refusal_overtook_is_not_sent_again(world: World) -> None:
    study = world.submitted()
    world.approve_both(study.proposals.get())
    assert OutgoingTask.objects.filter(kind="accept_configuration").count() == 2
    _refuses(world, study)
    assert not OutgoingTask.objects.filter(kind="accept_configuration").exists()


def test_a_second_refusal_of_the_same_orders_drops_no_signature_given_since(
    world: World,
) -> None:
    study, proposal = world.proposed()
    world.approve_both(proposal)
    _refuses(world, study, who="modeler")
    world.approve("mo", proposal)
    _refuses(world, study, who="regulator")
    assert [approval.role for approval in proposal.approvals.all()] == ["modeler"]
    assert study.refusals.filter(stands=True).count() == 2, "both reasons are shown"
    assert world.approve("rae", proposal).json()["state"] == "APPROVED"
    assert _accepted(world, study) == "OPEN"


def test_a_refusal_of_earlier_orders_is_passed_over_once_both_signed_anew(world: World) -> None:
    study, proposal = world.proposed()
    world.approve_both(proposal)
    earlier = attempt_of(study)
    _refuses(world, study, who="modeler")
    world.approve_both(proposal)
    _refuses(world, study, who="regulator", attempt=earlier)
    proposal.refresh_from_db()
    assert (proposal.state, proposal.approvals.count()) == ("APPROVED", 2)
    assert OutgoingTask.objects.filter(kind="accept_configuration").count() == 2
    assert not study.refusals.filter(stands=True).exists()
    world.parties.both_say(
        "configuration_accepted",
        study_id=study.id,
        attempt_id=earlier,
        configuration=study.configuration.digest,
    )
    study.refresh_from_db()
    assert study.state == "AWAITING_APPROVAL", "what answers earlier orders opens nothing"
    assert _accepted(world, study) == "OPEN"


def test_a_configuration_that_opened_is_not_reopened_by_a_late_refusal(world: World) -> None:
    study = world.opened()
    _refuses(world, study)
    assert study.state == "OPEN"
    assert study.proposals.get().state == "APPROVED"
    with pytest.raises(ImmutableError):
        Configuration.objects.get(study=study).reopen()


@pytest.mark.database
def test_a_key_replaced_between_two_signatures_is_asked_for_again(
    world: World, settings: Any
) -> None:
    study, proposal = world.proposed()
    world.approve("mo", proposal)
    modeler = world.parties.modeler
    modeler.approver = P256SigningKey.generate(modeler.rng)
    modeler.publish(settings.PUBLIC_DIR)
    assert world.approve("rae", proposal).json()["waiting_for"] == ["modeler"]
    assert not world.broker.of_kind("accept_configuration")
    page = world.study_page("mo", study)
    assert "approval-void" in page
    assert f"sign-{proposal.id}" in page
    assert "Approve or decline" in page
    assert world.approve("mo", proposal).json()["state"] == "APPROVED"
    (sent, _) = world.broker.of_kind("accept_configuration")
    keys = {row["role"]: row["key_id"] for row in sent.payload["approvals"]}
    assert keys["modeler"] == modeler.approver.key_id.hex()


def test_what_a_party_refused_shows_until_it_is_put_right(world: World) -> None:
    study = world.drafted()
    world.post("mo", f"/studies/{study.id}/submit", {})
    world.parties.regulator.says(
        "study_key_refused",
        study_id=study.id,
        code="RESOURCE_MISSING",
        sentence="The disk is full.",
    )
    page = world.study_page("mo", study)
    assert "The disk is full." in page
    assert "Submit it for approval again" in page
    assert 'id="submit-study"' in page
    world.parties.regulator.says(
        "study_key", study_id=study.id, number=1, hpke_key=sealing_key(5).hex(), key_id="66" * 16
    )
    assert 'data-testid="refused"' not in world.study_page("mo", study)
    assert PartyRefusal.objects.filter(study=study, stands=False).count() == 1
