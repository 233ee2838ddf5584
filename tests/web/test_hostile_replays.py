"""Sent twice, by another, in another order, with one envelope exchanged: one row, one meaning."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from blindjustice_web.accounts.models import Role
from blindjustice_web.certificates.models import CandidateModel
from blindjustice_web.challenges.models import Challenge
from blindjustice_web.enrolment.models import Answer, DataUpload, InvitationBatch, Submission
from blindjustice_web.studies.models import Study, StudyState
from tests.web import hostile
from tests.web.drafts import announced, envelope, some_id, submission
from tests.web.stories import World

pytestmark = pytest.mark.database

ENVELOPES = ("envelope_modeler", "envelope_regulator")


def _submit(world: World, study: Study, body: dict[str, Any]) -> Any:
    return world.submit(study, body)


def test_an_answer_sent_again_is_one_row_and_one_task_a_party(world: World) -> None:
    study, records = world.invited()
    body = submission(records[0])
    for _ in range(5):
        assert _submit(world, study, body).status_code == 202
    assert Submission.objects.count() == 1
    assert len(world.broker.of_kind("submission")) == 2


@pytest.mark.parametrize(
    "part", [*ENVELOPES, "owner_key", "signature", "submission_id", "sequence"]
)
def test_an_answer_with_one_part_exchanged_is_refused(world: World, part: str) -> None:
    study, records = world.invited()
    first, second = submission(records[0]), submission(records[0], 2)
    second |= {"owner_key": "04" + "cd" * 64, "signature": "A" * 86 + "=="}
    assert _submit(world, study, first).status_code == 202
    before = hostile.counts(world)
    answer = _submit(world, study, first | {part: second[part]})
    assert answer.status_code == 409
    assert answer.json()["code"] in {"ENVELOPE_REPLAYED", "SEQUENCE_TAKEN", "OWNER_KEY_CHANGED"}
    assert hostile.counts(world) == before


@pytest.mark.parametrize("envelopes", [ENVELOPES, ENVELOPES[:1], ENVELOPES[1:]])
def test_an_envelope_of_one_record_is_not_taken_for_another(
    world: World, envelopes: tuple[str, ...]
) -> None:
    study, records = world.invited()
    first, second = submission(records[0]), submission(records[1])
    assert _submit(world, study, first).status_code == 202
    stolen = second | {name: first[name] for name in envelopes}
    answer = _submit(world, study, stolen)
    assert (answer.status_code, answer.json()["code"]) == (409, "ENVELOPE_REPLAYED")
    assert Submission.objects.count() == 1


def test_an_answer_for_another_study_is_refused_there(world: World) -> None:
    study, records = world.invited()
    other, _ = world.invited(title="Another study")
    body = submission(records[0])
    assert _submit(world, study, body).status_code == 202
    answer = _submit(world, other, body)
    assert (answer.status_code, answer.json()["code"]) == (409, "RECORD_NOT_INVITED")


@pytest.mark.parametrize("order", tuple(itertools.permutations((1, 2, 3))))
def test_the_order_in_which_replacements_arrive_changes_nothing(
    world: World, order: tuple[int, ...]
) -> None:
    study, records = world.invited()
    for sequence in order:
        assert _submit(world, study, submission(records[0], sequence)).status_code == 202
    shown = world.get("anonymous", f"/studies/{study.id}/records/{records[0]}").json()
    assert [row["sequence"] for row in shown["submissions"]] == [3]


def test_a_strangers_largest_number_neither_hides_nor_hinders_her_answer(world: World) -> None:
    study, records = world.invited()
    made_up = submission(records[0], (1 << 32) - 1, tag="made up") | {"owner_key": "04" + "cd" * 64}
    assert _submit(world, study, made_up).status_code == 202
    for role in Role:
        Answer.objects.create(submission=study.submissions.get(), role=role, accepted=False)
    assert _submit(world, study, submission(records[0], 7)).status_code == 202
    shown = world.get("anonymous", f"/studies/{study.id}/records/{records[0]}").json()
    assert [row["sequence"] for row in shown["submissions"]] == [7]


def test_a_model_sent_again_is_one_model_and_its_id_can_not_be_taken(world: World) -> None:
    study = world.opened()
    path = f"/studies/{study.id}/models"
    body = {"model_id": some_id("m"), "name": "M", "envelope": envelope("m")}
    for _ in range(2):
        assert world.post("mo", path, body).status_code == 202
    other = world.post("mo", path, body | {"envelope": envelope("another")})
    assert (other.status_code, other.json()["code"]) == (409, "MODEL_ID_TAKEN")
    elsewhere = world.opened(title="Another study")
    there = world.post("mo", f"/studies/{elsewhere.id}/models", body)
    assert (there.status_code, there.json()["code"]) == (409, "MODEL_ID_TAKEN")
    assert CandidateModel.objects.count() == 1
    assert len(world.broker.of_kind("model")) == 1


def test_a_data_file_sent_again_is_one_file(world: World) -> None:
    study = world.opened(data_source="file")
    assert world.upload("rae", study, "u").json()["state"] == "RECEIVED"
    assert world.upload("rae", study, "u").json()["state"] == "RECEIVED"
    content = envelope("u")
    for changes, code in (
        ({"digest": "0" * 64}, "UPLOAD_ID_TAKEN"),
        ({"size_bytes": 400}, "UPLOAD_ID_TAKEN"),
        ({"upload_id": some_id("v")}, "UPLOAD_REPEATED"),
    ):
        again = announced(content, "u") | changes
        answer = world.post("rae", f"/studies/{study.id}/data", again)
        assert (answer.status_code, answer.json()["code"]) == (409, code)
    assert DataUpload.objects.count() == 1
    assert len(world.broker.of_kind("data")) == 1


def test_invitations_that_were_taken_are_known_after_the_study_and_the_key_have_gone(
    world: World,
) -> None:
    study = world.opened()
    body, new = (world.invitations(study, [some_id(name)]) for name in ("one", "two"))
    path = f"/studies/{study.id}/invitations"
    taken = world.post("mo", path, body)
    Study.objects.update(state=StudyState.CLOSING)
    again = world.post("mo", path, body | {"key_id": "ab" * 16})
    assert (again.status_code, again.json()) == (202, taken.json())
    assert world.post("rae", path, body).status_code == 403
    refused = world.post("mo", path, new)
    assert (refused.status_code, refused.json()["code"]) == (409, "STUDY_NOT_OPEN")
    assert len(world.broker.of_kind("invitations")) == 2


def test_invitations_sent_again_or_for_another_study_invite_nobody(world: World) -> None:
    study = world.opened()
    other = world.opened(title="Another study")
    body = world.invitations(study, [some_id("one"), some_id("two")])
    assert world.post("mo", f"/studies/{study.id}/invitations", body).status_code == 202
    again = world.post("mo", f"/studies/{study.id}/invitations", body)
    assert again.status_code == 202
    assert study.invitation_batches.count() == 1
    assert len(world.broker.of_kind("invitations")) == 2
    there = world.post("mo", f"/studies/{other.id}/invitations", body)
    assert (there.status_code, there.json()["code"]) == (422, "INVITATIONS_FOR_ANOTHER_STUDY")
    swapped = {
        **body,
        "modeler_text": body["regulator_text"],
        "regulator_text": body["modeler_text"],
    }
    assert world.post("mo", f"/studies/{study.id}/invitations", swapped).status_code == 422
    assert InvitationBatch.objects.count() == 1
    assert len(world.broker.of_kind("invitations")) == 2


def test_a_challenge_sent_again_shows_the_one_there_is(world: World) -> None:
    certificate = world.certified()
    body = {
        "challenge_id": some_id("case"),
        "certificate_id": certificate.id,
        "envelope": envelope("case"),
        "source": "record",
    }
    first = world.post("uma", "/challenges", body)
    again = world.post("uma", "/challenges", body | {"envelope": envelope("sealed anew")})
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json() == again.json()
    stolen = world.post("umar", "/challenges", body)
    assert (stolen.status_code, stolen.json()["code"]) == (409, "CHALLENGE_ID_TAKEN")
    assert Challenge.objects.count() == 1
    assert len(world.broker.of_kind("challenge")) == 1


def test_an_approval_sent_again_counts_once_and_only_for_its_text(world: World) -> None:
    study, other = world.submitted(), world.submitted(title="Another study")
    proposal = study.proposals.get(kind="configuration")
    signed = world.parties.modeler.approves("configuration", proposal.text)
    for _ in range(2):
        assert world.post("mo", f"/proposals/{proposal.id}/approvals", signed).status_code == 200
    assert proposal.approvals.count() == 1
    elsewhere = other.proposals.get(kind="configuration")
    for who in ("mo", "rae"):
        answer = world.post(who, f"/proposals/{elsewhere.id}/approvals", signed)
        assert answer.status_code == 422
    assert elsewhere.approvals.count() == 0
