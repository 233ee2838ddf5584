"""Invitations, submissions and data files: what is taken, what is refused, what goes to whom."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from blindjustice_web.enrolment.models import Invitation, InvitationBatch, Submission
from blindjustice_web.post.models import OutgoingTask
from tests.web.drafts import envelope, some_id, submission
from tests.web.stories import World

pytestmark = pytest.mark.database


def test_both_parties_get_their_list_and_the_site_keeps_record_ids(world: World) -> None:
    study, records = world.invited()
    sent = world.broker.of_kind("invitations")
    assert [task.role.value for task in sent] == ["modeler", "regulator"]
    assert all(f'"role":"{task.role.value}"' in task.payload["text"] for task in sent)
    assert set(Invitation.objects.values_list("record_id", flat=True)) == set(records)
    assert study.invitation_batches.get().count == 3


def test_parties_confirm_a_list(world: World) -> None:
    study, _ = world.invited()
    batch = study.invitation_batches.get()
    assert batch.modeler_accepted
    assert batch.regulator_accepted


def test_a_share_waits_until_its_party_knows_the_invitation(world: World) -> None:
    study = world.opened()
    record = some_id("early")
    world.post("mo", f"/studies/{study.id}/invitations", world.invitations(study, [record]))
    world.parties.regulator.says("invitations_accepted", study_id=study.id, count=1)
    sent = submission(record)
    assert world.submit(study, sent).status_code == 202
    assert [task.role.value for task in world.broker.of_kind("submission")] == ["regulator"]
    world.parties.modeler.says("invitations_accepted", study_id=study.id, count=1)
    tasks = world.broker.of_kind("submission")
    assert [task.role.value for task in tasks] == ["regulator", "modeler"]
    assert tasks[1].payload["envelope"] == sent["envelope_modeler"]


def test_sending_again_reaches_the_party_that_has_not_answered(world: World) -> None:
    study, records = world.invited()
    sent = submission(records[0])
    path = f"/studies/{study.id}/submissions"
    world.post("anonymous", path, sent)
    world.parties.modeler.says(
        "receipt",
        study_id=study.id,
        record_id=records[0],
        submission_id=sent["submission_id"],
        sequence=1,
        common_digest="ab" * 32,
    )
    Submission.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert world.post("anonymous", path, sent).status_code == 202
    roles = [task.role.value for task in world.broker.of_kind("submission")]
    assert roles == ["modeler", "regulator", "regulator"]


def test_a_list_that_a_party_refused_is_kept_and_can_be_sent_again(world: World) -> None:
    study = world.opened()
    lists = [[some_id(f"{name} {n}") for n in range(2)] for name in ("first", "second")]
    for records in lists:
        body = world.invitations(study, records)
        assert world.post("mo", f"/studies/{study.id}/invitations", body).status_code == 202
    modeler, regulator = world.parties
    for _ in lists:
        assert modeler.says("invitations_accepted", study_id=study.id, count=2)
    refusal = {"study_id": study.id, "code": "FILE_NOT_READABLE", "sentence": "No key to be read."}
    assert regulator.says("invitations_refused", **refusal)
    assert regulator.says("invitations_accepted", study_id=study.id, count=2)
    first, second = InvitationBatch.objects.order_by("created_at")
    assert (first.regulator_accepted, second.regulator_accepted) == (False, True)
    page = world.study_page("mo", study)
    assert "No key to be read." in page
    assert 'data-testid="send-again"' in page
    answer = world.clients["mo"].post(f"/modeler/studies/{study.id}/send-again/")
    assert answer.status_code == 302
    sent = world.broker.of_kind("invitations")
    assert [task.role.value for task in sent] == ["modeler", "regulator"] * 2 + ["regulator"]
    assert sent[-1].payload == sent[1].payload
    page = world.study_page("mo", study)
    assert 'data-testid="refused"' not in page
    assert regulator.says("invitations_accepted", study_id=study.id, count=2)
    first.refresh_from_db()
    assert first.regulator_accepted
    assert not OutgoingTask.objects.filter(kind="invitations").exists()


def test_only_the_inviter_invites(world: World) -> None:
    study = world.opened()
    body = world.invitations(study, [some_id("r")])
    answer = world.post("rae", f"/studies/{study.id}/invitations", body)
    assert (answer.status_code, answer.json()["code"]) == (403, "OTHER_ROLE_ACTS")


def test_lists_must_name_the_same_records(world: World) -> None:
    study = world.opened()
    body = world.invitations(study, [some_id("r")])
    other = world.invitations(study, [some_id("s")])
    body |= {name: other[name] for name in ("regulator_text", "regulator_signature")}
    answer = world.post("mo", f"/studies/{study.id}/invitations", body)
    assert answer.json()["code"] == "INVITATIONS_DIFFER"
    assert not Invitation.objects.exists()


def test_lists_of_the_wrong_party_or_study_are_refused(world: World) -> None:
    study = world.opened()
    body = world.invitations(study, [some_id("r")])
    swapped = body | {"modeler_text": body["regulator_text"]}
    answer = world.post("mo", f"/studies/{study.id}/invitations", swapped)
    assert answer.json()["code"] == "INVITATIONS_FOR_ANOTHER_STUDY"


def test_a_list_without_the_approver_s_signature_is_refused(world: World) -> None:
    study = world.opened()
    body = world.invitations(study, [some_id("r")])
    body["regulator_signature"] = body["modeler_signature"]
    answer = world.post("mo", f"/studies/{study.id}/invitations", body)
    assert answer.json()["code"] == "APPROVAL_SIGNATURE_INVALID"


def test_a_record_is_invited_once(world: World) -> None:
    study, records = world.invited()
    answer = world.post(
        "mo", f"/studies/{study.id}/invitations", world.invitations(study, records[:1])
    )
    assert (answer.status_code, answer.json()["code"]) == (409, "RECORD_INVITED_ALREADY")


def test_each_party_gets_its_envelope_and_the_other_s_hash(world: World) -> None:
    study, records = world.invited()
    sent = submission(records[0])
    assert world.submit(study, sent).status_code == 202
    tasks = {task.role.value: task.payload for task in world.broker.of_kind("submission")}
    for own, other in (("modeler", "regulator"), ("regulator", "modeler")):
        assert tasks[own]["envelope"] == sent[f"envelope_{own}"]
        raw = base64.b64decode(sent[f"envelope_{other}"])
        assert tasks[own]["other_envelope_digest"] == hashlib.sha256(raw).hexdigest()
        assert sent[f"envelope_{other}"] not in str(tasks[own])


def test_the_same_submission_again_changes_nothing(world: World) -> None:
    study, records = world.invited()
    sent = submission(records[0])
    for _ in range(2):
        assert world.submit(study, sent).status_code == 202
    assert Submission.objects.count() == 1
    assert len(world.broker.of_kind("submission")) == 2


def _refused(world: World, study: Any, body: dict[str, Any]) -> tuple[int, str]:
    answer = world.submit(study, body)
    return answer.status_code, answer.json()["code"]


def test_an_envelope_can_not_be_replayed_for_another_record(world: World) -> None:
    study, records = world.invited()
    sent = submission(records[0])
    world.submit(study, sent)
    replay = submission(records[1]) | {"envelope_modeler": sent["envelope_modeler"]}
    assert _refused(world, study, replay) == (409, "ENVELOPE_REPLAYED")
    share = submission(records[0], 2) | {"envelope_regulator": sent["envelope_regulator"]}
    assert _refused(world, study, share) == (409, "ENVELOPE_REPLAYED")


def test_a_sequence_number_is_used_once(world: World) -> None:
    study, records = world.invited()
    world.submit(study, submission(records[0]))
    other = submission(records[0], tag="other")
    assert _refused(world, study, other) == (409, "SEQUENCE_TAKEN")


OTHER_BROWSER = {"owner_key": "04" + "cd" * 64}


@pytest.mark.parametrize("receipts", [False, True])
@pytest.mark.parametrize("sequence", [1, 2])
def test_the_later_of_two_browsers_learns_that_another_answer_stands(
    world: World, sequence: int, *, receipts: bool
) -> None:
    study, records = world.invited()
    if receipts:
        world.answered(study, records[0])
    else:
        world.submit(study, submission(records[0]))
    later = submission(records[0], sequence, tag="other") | OTHER_BROWSER
    assert _refused(world, study, later) == (409, "OWNER_KEY_CHANGED")
    world.answered(study, records[0], 2)
    assert [one.sequence for one in study.submissions.order_by("sequence")] == [1, 2]


def test_an_answer_that_a_party_refused_keeps_nobody_else_out(world: World) -> None:
    study, records = world.invited()
    sent = submission(records[0])
    world.submit(study, sent)
    names = {name: sent[name] for name in ("record_id", "submission_id", "sequence")}
    world.parties.both_say(
        "submission_refused", study_id=study.id, **names, code="CREDENTIAL_WRONG", sentence="No."
    )
    body = submission(records[0], 2) | OTHER_BROWSER
    answer = world.submit(study, body)
    assert answer.status_code == 202


def test_a_stranger_s_record_is_refused(world: World) -> None:
    study, _ = world.invited()
    assert _refused(world, study, submission(some_id("stranger"))) == (409, "RECORD_NOT_INVITED")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("record_id", "ab"),
        ("record_id", "A" * 32),
        ("sequence", -1),
        ("sequence", 1 << 32),
        ("sequence", "1"),
        ("owner_key", "05" + "ab" * 64),
        ("signature", "short"),
        ("envelope_modeler", "x" * 50),
        ("envelope_regulator", None),
        ("submission_id", "\x00" * 32),
    ],
)
def test_a_malformed_submission_names_its_field(world: World, field: str, value: Any) -> None:
    study, records = world.invited()
    answer = world.submit(study, submission(records[0]) | {field: value})
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    assert field in answer.json()["detail"]


def test_an_envelope_must_be_base64(world: World) -> None:
    study, records = world.invited()
    body = submission(records[0]) | {"envelope_modeler": "!" * 200}
    assert _refused(world, study, body) == (422, "ENVELOPE_NOT_READABLE")


def test_receipts_and_refusals_are_shown_to_whoever_knows_the_record(world: World) -> None:
    study, records = world.invited()
    sent = submission(records[0])
    world.submit(study, sent)
    common = {
        "study_id": study.id,
        "record_id": records[0],
        "submission_id": sent["submission_id"],
        "sequence": 1,
    }
    world.parties.modeler.says("receipt", **common, common_digest="ab" * 32)
    world.parties.regulator.says(
        "submission_refused", **common, code="KEY_HASH_DIFFERENT", sentence="Send it again."
    )
    shown = world.get("anonymous", f"/studies/{study.id}/records/{records[0]}").json()
    (entry,) = shown["submissions"]
    assert [row["role"] for row in entry["receipts"]] == ["modeler"]
    assert "ab" * 32 in entry["receipts"][0]["body"]
    assert entry["refusals"] == [
        {"role": "regulator", "code": "KEY_HASH_DIFFERENT", "sentence": "Send it again."}
    ]
    stranger = world.get("anonymous", f"/studies/{study.id}/records/{some_id('x')}")
    assert stranger.status_code == 404


def test_nobody_is_told_how_often_an_answer_was_replaced(world: World) -> None:
    study, records = world.invited()
    address = f"/studies/{study.id}/records/{records[0]}"
    for sequence in (1, 2, 3):
        world.answered(study, records[0], sequence)
    sent = [row["sequence"] for row in world.get("anonymous", address).json()["submissions"]]
    assert sent == [3], "the version that counts, not those before it"
    newest = submission(records[0], 4)
    world.submit(study, newest)
    shown = world.get("anonymous", address).json()["submissions"]
    assert [row["sequence"] for row in shown] == [3, 4], "and the newest, while the other counts"
    assert shown[1]["submission_id"] == newest["submission_id"]


def test_a_receipt_tells_the_day_and_no_time(world: World) -> None:
    study, records = world.invited()
    world.answered(study, records[0])
    (shown,) = world.get("anonymous", f"/studies/{study.id}/records/{records[0]}").json()[
        "submissions"
    ]
    assert [json.loads(row["body"])["sent_at"][10:] for row in shown["receipts"]] == [
        "T00:00:00Z"
    ] * 2
    page = world.clients["anonymous"].get(f"/take-part/{study.id}/receipts/{records[0]}/")
    read = page.content.decode().split("<main")[1].split("<details")[0]
    assert not re.search(r"\d:\d\d(?!\d)|[ap]\.m\.", read)


def test_a_party_s_first_word_on_a_submission_stands(world: World) -> None:
    study, records = world.invited()
    sent = world.answered(study, records[0])
    world.parties.modeler.says(
        "submission_refused",
        study_id=study.id,
        record_id=records[0],
        submission_id=sent["submission_id"],
        sequence=1,
        code="CHANGED_MY_MIND",
        sentence="No.",
    )
    answers = Submission.objects.get().answers
    assert set(answers.values_list("accepted", flat=True)) == {True}


def test_a_record_counts_when_both_receipts_name_one_digest(world: World) -> None:
    study, records = world.invited()
    world.answered(study, records[0])
    sent = submission(records[1])
    world.submit(study, sent)
    for party, digest in zip(world.parties, ("11" * 32, "22" * 32), strict=True):
        party.says(
            "receipt",
            study_id=study.id,
            record_id=records[1],
            submission_id=sent["submission_id"],
            sequence=1,
            common_digest=digest,
        )
    counts = world.get("mo", f"/studies/{study.id}").json()["counts"]
    assert (counts["invited"], counts["submitted"], counts["readable"]) == (3, 2, 1)


def test_a_replacement_counts_its_record_once(world: World) -> None:
    study, records = world.invited()
    world.answered(study, records[0], 1)
    world.answered(study, records[0], 2)
    assert world.get("mo", f"/studies/{study.id}").json()["counts"]["readable"] == 1


def test_a_study_that_is_not_open_takes_no_answers(world: World) -> None:
    study = world.closed()
    record = study.invitations.all()[0].record_id
    assert _refused(world, study, submission(record, 7)) == (409, "STUDY_NOT_OPEN")


def test_a_study_nobody_approved_does_not_exist_for_people(world: World) -> None:
    study = world.submitted()
    assert _refused(world, study, submission(some_id("r")))[0] == 404


def test_data_goes_to_the_data_holder_only(world: World) -> None:
    study = world.opened(data_source="file")
    assert world.upload("mo", study).json()["code"] == "OTHER_ROLE_ACTS"
    assert world.upload("rae", study).json()["state"] == "RECEIVED"
    (task,) = world.broker.of_kind("data")
    assert task.role.value == "regulator"
    assert task.payload["envelope"] == envelope("upload")
    page = world.study_page("rae", study)
    assert 'data-testid="data-waits"' in page
    world.parties.regulator.says(
        "data_accepted", study_id=study.id, upload_id=some_id("upload"), rows=12
    )
    assert world.get("rae", f"/studies/{study.id}").json()["counts"]["data_rows"] == 12
    page = world.study_page("rae", study)
    assert 'data-testid="data-waits"' not in page


def test_a_table_with_a_record_that_nobody_was_invited_under_is_reported(world: World) -> None:
    study = world.opened(data_source="file")
    world.upload("rae", study)
    sentence = f"Row 3: nobody was invited under record {some_id('stranger')}."
    names = {"study_id": study.id, "upload_id": some_id("upload")}
    world.parties.regulator.says(
        "data_refused", **names, code="DATA_RECORD_UNKNOWN", sentence=sentence
    )
    path = f"/regulator/studies/{study.id}/"
    page = world.page("rae", path)
    assert 'data-testid="data-refused" data-code="DATA_RECORD_UNKNOWN"' in page
    assert "Row 3: nobody was invited" in page.partition('data-testid="data-refused"')[2]
    world.upload("rae", study, "corrected")
    world.parties.regulator.says(
        "data_accepted", study_id=study.id, upload_id=some_id("corrected"), rows=12
    )
    assert "data-refused" not in world.page("rae", path)


def test_where_people_enter_the_data_no_file_is_taken(world: World) -> None:
    study = world.opened()
    assert world.upload("rae", study).json()["code"] == "DATA_COMES_FROM_PEOPLE"
