"""Messages of the parties: verified, taken once, and only from the party that may say them."""

from __future__ import annotations

from typing import Any

import pytest

from blindjustice_web.conduct.inbox import receive_message
from blindjustice_web.conduct.tasks import take_message
from blindjustice_web.enrolment.models import Answer
from blindjustice_web.post.models import OutgoingTask, PartyStatus, ReceivedMessage
from blindjustice_web.studies.models import Configuration, PartyRefusal
from mpc_engine.control.post.messages import sign_message
from mpc_engine.crypto.signatures import Ed25519SigningKey
from tests.web.drafts import some_id, submission
from tests.web.stories import World

pytestmark = pytest.mark.database


def _refusal(study_id: str) -> dict[str, str]:
    return {"study_id": study_id, "code": "NO", "sentence": "No."}


def test_a_message_is_acted_upon_once(world: World) -> None:
    study = world.opened()
    body, signature = world.parties.modeler.signs("invitations_refused", **_refusal(study.id))
    assert receive_message(body, signature)
    assert not receive_message(body, signature)
    assert PartyRefusal.objects.count() == 1


def test_the_task_takes_a_message(world: World) -> None:
    study = world.opened()
    body, signature = world.parties.modeler.signs("invitations_refused", **_refusal(study.id))
    take_message(body=body, signature=signature)
    assert PartyRefusal.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "signature"),
    [
        (None, None),
        (3, "00" * 64),
        ("", ""),
        ("{}", "00" * 64),
        ('{"format":"bj1 message"}', "zz" * 64),
        ("\ud800", "00" * 64),
        ("[" * 5000, "00" * 64),
    ],
)
def test_whatever_is_no_message_is_dropped(world: World, body: object, signature: object) -> None:
    take_message(body=body, signature=signature)
    assert not ReceivedMessage.objects.exists()


def test_a_forged_message_changes_nothing(world: World) -> None:
    study = world.opened()
    body, _ = world.parties.modeler.signs("invitations_refused", **_refusal(study.id))
    forged = sign_message(body, world.parties.regulator.signing_key).hex()
    assert not receive_message(body, forged)
    assert not PartyRefusal.objects.exists()


def test_an_altered_message_changes_nothing(world: World) -> None:
    study = world.opened()
    body, signature = world.parties.modeler.signs("invitations_refused", **_refusal(study.id))
    assert not receive_message(body.replace("No.", "Yes"), signature)


@pytest.mark.parametrize("kind", ["model_accepted", "model_deployed"])
def test_the_regulator_does_not_speak_of_models(world: World, kind: str) -> None:
    study = world.opened()
    model_id = some_id("model")
    body = {"model_id": model_id, "name": "Model", "envelope": "A" * 200}
    world.post("mo", f"/studies/{study.id}/models", body)
    assert not world.parties.regulator.says(kind, study_id=study.id, model_id=model_id)
    assert world.get("mo", f"/models/{model_id}").json()["state"] == "RECEIVED"


def test_the_modeler_does_not_speak_of_data(world: World) -> None:
    study = world.opened(data_source="file")
    world.upload("rae", study, "u")
    said = world.parties.modeler.says(
        "data_accepted", study_id=study.id, upload_id=some_id("u"), rows=3
    )
    assert not said
    assert study.data_uploads.get().state == "RECEIVED"


def test_a_message_about_nothing_known_is_dropped_and_may_come_again(world: World) -> None:
    assert not world.parties.modeler.says("invitations_refused", **_refusal(some_id("none")))
    assert not ReceivedMessage.objects.exists()


def test_a_refused_order_is_only_noted(world: World, caplog: pytest.LogCaptureFixture) -> None:
    assert world.parties.modeler.says(
        "order_refused", order="run_job", code="ORDER_INVALID", sentence="No."
    )
    assert "ORDER_INVALID" in caplog.text


def test_a_party_s_status_replaces_the_last(world: World) -> None:
    for disk in (1, 2):
        world.parties.regulator.says("status", status={"free_disk": disk})
    assert '"free_disk":2' in PartyStatus.objects.get().body


def test_a_receipt_that_comes_again_changes_nothing(world: World) -> None:
    study, records = world.invited()
    sent = submission(records[0])
    world.submit(study, sent)
    body, signature = world.parties.modeler.signs(
        "receipt",
        study_id=study.id,
        record_id=records[0],
        submission_id=sent["submission_id"],
        sequence=1,
        common_digest="ab" * 32,
    )
    for _ in range(2):
        take_message(body=body, signature=signature)
    assert Answer.objects.get().body == body


def _receipt(study_id: str, sent: dict[str, str]) -> dict[str, object]:
    return {
        "study_id": study_id,
        "record_id": sent["record_id"],
        "submission_id": sent["submission_id"],
        "sequence": 1,
        "common_digest": "ab" * 32,
    }


def test_a_receipt_by_another_key_than_the_study_names_does_not_count(
    world: World, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    study, records = world.invited()
    sent = submission(records[0])
    world.submit(study, sent)
    modeler = world.parties.modeler
    earlier, modeler.signing_key = modeler.signing_key, Ed25519SigningKey.generate(modeler.rng)
    modeler.publish(settings.PUBLIC_DIR)
    assert not modeler.says("receipt", **_receipt(study.id, sent))
    assert "SIGNING_KEY_OTHER" in caplog.text
    page = world.study_page("mo", study)
    assert "signs with another key than this study names" in page
    assert not Answer.objects.exists()
    assert modeler.says("status", status={"free_disk": 1})
    assert modeler.says("invitations_refused", **_refusal(study.id))
    modeler.signing_key = earlier
    assert modeler.says("receipt", **_receipt(study.id, sent))
    assert Answer.objects.get().accepted
    assert not PartyRefusal.objects.filter(code="SIGNING_KEY_OTHER", stands=True).exists()


def test_the_study_is_found_by_whatever_a_message_names(world: World, settings: Any) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    job = certificate.study.jobs.get(kind="closing")
    regulator = world.parties.regulator
    regulator.signing_key = Ed25519SigningKey.generate(regulator.rng)
    regulator.publish(settings.PUBLIC_DIR)
    progress = {"job_id": job.id, "attempt": 1, "stage": "s", "done": 1, "total": 2}
    assert not regulator.says("job_progress", **progress)
    assert not world.challenge_read(certificate, challenge_id)


def test_a_message_about_a_study_that_can_t_be_read_is_refused_and_asked_for_again(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    study, _ = world.invited()
    world.post("mo", f"/studies/{study.id}/invitations", world.invitations(study, [some_id("n")]))
    waiting = OutgoingTask.objects.filter(kind="invitations").count()
    readable = Configuration.objects.get(study=study).text
    Configuration.objects.update(text=readable.replace("configuration", "bj0 configuration", 1))
    body, signature = world.parties.modeler.signs("invitations_refused", **_refusal(study.id))
    assert not receive_message(body, signature)
    assert "CONFIGURATION_INVALID" in caplog.text
    assert OutgoingTask.objects.filter(kind="invitations").count() == waiting
    Configuration.objects.update(text=readable)
    assert receive_message(body, signature), "heard once the study can be read"
