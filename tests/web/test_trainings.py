"""Training a model: asked for, approved by both, run, held by the modeler's party."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.utils import timezone

from blindjustice_web.certificates.models import CandidateModel, SealedModel
from blindjustice_web.certificates.trainings import trained_name
from blindjustice_web.conduct.inbox import receive_message
from blindjustice_web.jobs.models import Job
from blindjustice_web.lib.labels import Constraint
from blindjustice_web.presentation.figures.curve import curve_of
from blindjustice_web.studies.models import Study
from mpc_engine.control.studies.training_terms import OUTPUT_INT_BITS
from tests.builders.sealing_keys import sealing_key
from tests.web.drafts import RECIPIENT, TRAINING, draft, envelope
from tests.web.stories import World


def _refused(world: World, study: Study, **changes: Any) -> tuple[int, str]:
    answer = world.post("mo", f"/studies/{study.id}/trainings", {**TRAINING, **changes})
    return answer.status_code, answer.json()["code"]


def test_the_job_says_what_both_sign(world: World) -> None:
    study = world.trainable()
    job = world.training_job(study, points=[["0.05"]], preset="paper", output_frac_bits=12)
    spec = json.loads(job.spec)
    assert spec["kind"] == "training"
    assert spec["record_set"] == study.record_set
    assert spec["model_ids"] == [job.subject_id]
    assert len(bytes.fromhex(spec["training"].pop("order_seed"))) == 16
    assert spec["training"] == {
        "preset": "paper",
        "steps": 300,
        "batch_size": 64,
        "points": [["0.05"]],
        "output_frac_bits": 12,
        "constraint": "acceptance_rate",
    }
    tasks = [task for task in world.broker.of_kind("run_job") if task.payload["spec"] == job.spec]
    assert sorted(task.role.value for task in tasks) == ["modeler", "regulator"]


def test_a_model_trained_under_another_constraint_says_so(world: World) -> None:
    study = world.trainable()
    page = world.study_page("mo", study, live=True)
    form = page.split('<select id="training-constraint"')[1].split("</select>")[0]
    assert re.findall(r'<option value="(\w+)"', form) == [name.value for name in Constraint]
    assert form.count("selected") == 1
    job = world.training_job(study, constraint="true_positive_rate")
    assert json.loads(job.spec)["training"]["constraint"] == "true_positive_rate"
    world.trained(job)
    answer = world.get("mo", f"/models/{job.subject_id}").json()
    assert answer["constraint"] == "true_positive_rate"
    assert answer["name"] == "True positive rates (equal opportunity), trained with c = 0.01"
    assert curve_of(study) is None, "c of other constraints is not on the curve of the p%-rule"
    other = world.training_job(world.trainable())
    world.trained(other)
    assert curve_of(other.study) is not None


def test_a_long_name_keeps_its_constraint_and_shortens_its_bounds() -> None:
    bounds = [f"0.{number:09}" for number in range(1, 9)]
    name = trained_name(Constraint.EQUALISED_ODDS, bounds)
    assert name.startswith(
        "True positive and negative rates (equalised odds), trained with c = 0.0"
    )
    assert (len(name), name[-1]) == (100, "…")
    assert trained_name(Constraint.ACCEPTANCE_RATE, bounds).startswith("Trained with c = 0.0")


@pytest.mark.database
def test_models_trained_before_there_was_a_choice_kept_acceptance_rates_alike(
    world: World,
) -> None:
    job = world.training_job(world.trainable())
    world.trained(job)
    handed_in = world.held_model(world.closed())
    CandidateModel.objects.update(constraint="")
    migration = import_module("blindjustice_web.certificates.migrations.0009_constraint")
    migration.name_constraint(apps, None)
    assert curve_of(job.study) is not None
    assert dict(CandidateModel.objects.values_list("id", "constraint")) == {
        job.subject_id: Constraint.ACCEPTANCE_RATE.value,
        handed_in: "",
    }


def _says_trained(world: World, job: Job, about: str, **changes: Any) -> None:
    values = {"right_per_mille": 753, "n_rows": 3, **changes}
    ids = {"study_id": job.study_id, "job_id": job.id, "model_id": about}
    world.parties.modeler.says("model_trained", **{**ids, **values})


def test_each_model_of_a_sweep_is_listed_as_soon_as_its_party_has_it(world: World) -> None:
    study = world.trainable(question_bits_limit=200)
    job = world.training_job(study, points=[["0.1"], ["0.01"], ["0.001"]])
    ids = json.loads(job.spec)["model_ids"]
    assert len(set(ids)) == 3
    assert job.subject_id == ids[0]
    _says_trained(world, job, ids[1])
    (model,) = CandidateModel.objects.all()
    assert (model.id, model.bounds, model.right_per_mille, model.n_rows) == (
        ids[1],
        ["0.01"],
        753,
        3,
    )
    assert model.state == "ACCEPTED"
    world.trained(job)
    assert job.state == "DONE"
    names = {model.id: model.name for model in CandidateModel.objects.all()}
    assert names == {
        ids[0]: "Trained with c = 0.1",
        ids[1]: "Trained with c = 0.01",
        ids[2]: "Trained with c = 0.001",
    }
    assert CandidateModel.objects.get(pk=ids[1]).right_per_mille == 753


def test_models_of_a_sweep_that_failed_stay(world: World) -> None:
    study = world.trainable(question_bits_limit=200)
    job = world.training_job(study, points=[["0.1"], ["0.01"]])
    first, _ = json.loads(job.spec)["model_ids"]
    _says_trained(world, job, first)
    world.parties.both_say(
        "job_failed", job_id=job.id, attempt=job.attempt, code="X", sentence="Something broke."
    )
    assert [model.id for model in CandidateModel.objects.all()] == [first]


@pytest.mark.parametrize("strange", ["model_id", "job_id", "study_id"])
def test_word_of_a_model_that_no_training_names_is_passed_over(world: World, strange: str) -> None:
    _, job = world.training()
    _says_trained(world, job, job.subject_id, **{strange: "ab" * 16})
    assert not CandidateModel.objects.exists()


def test_the_regulators_party_has_no_word_about_a_trained_model(world: World) -> None:
    _, job = world.training()
    ids = {"study_id": job.study_id, "job_id": job.id, "model_id": job.subject_id}
    world.parties.regulator.says("model_trained", **ids, right_per_mille=1000, n_rows=3)
    assert not CandidateModel.objects.exists()


def test_both_see_which_model_of_a_sweep_is_trained(world: World) -> None:
    study = world.trainable(question_bits_limit=200)
    job = world.training_job(study, points=[["0.1"], ["0.01"]])
    world.parties.modeler.says(
        "job_progress",
        job_id=job.id,
        attempt=job.attempt,
        stage="point 2 of 2, epoch 3 of 10",
        done=375,
        total=600,
    )
    for who in ("mo", "rae"):
        page = world.study_page(who, study, live=True)
        assert "Model 2 of 2, epoch 3 of 10" in page
        assert "Step 375 of 600." in page


def test_a_sweep_is_refused_where_its_points_together_tell_too_much(world: World) -> None:
    study = world.trainable(question_bits_limit=2 * 38)
    points = [["0.1"], ["0.01"], ["0.001"]]
    assert _refused(world, study, points=points) == (409, "QUESTION_BITS_SPENT")
    answer = world.post("mo", f"/studies/{study.id}/trainings", {**TRAINING, "points": points[:2]})
    assert answer.status_code == 201


def test_nothing_runs_before_both_approved(world: World) -> None:
    study = world.trainable()
    answer = world.post("mo", f"/studies/{study.id}/trainings", TRAINING)
    proposal = study.proposals.get(pk=answer.json()["id"])
    assert not Job.objects.filter(kind="training").exists()
    assert world.approve("mo", proposal).status_code == 200
    assert not Job.objects.filter(kind="training").exists()
    assert world.approve("rae", proposal).status_code == 200
    assert Job.objects.get(kind="training").state == "RUNNING"


def test_a_done_training_is_a_model_that_the_modelers_party_holds(world: World) -> None:
    study, job = world.training()
    world.trained(job)
    assert job.state == "DONE"
    model = CandidateModel.objects.get(pk=job.subject_id)
    assert (model.state, model.name) == ("ACCEPTED", "Trained with c = 0.01")
    for who in ("mo", "rae"):
        page = world.study_page(who, study, live=True)
        assert f'data-model="{model.id}"' in page
        assert 'data-act="certify"' not in page
        assert 'data-act="deploy"' not in page


@pytest.mark.parametrize("changes", [{"model_ids": ["ab" * 16]}, {"steps": 299}])
def test_the_end_of_another_training_is_refused(world: World, changes: dict[str, Any]) -> None:
    _, job = world.training()
    world.trained(job, **changes)
    assert (job.state, job.failure_code) == ("FAILED", "OTHER_MODEL_TRAINED")
    assert not CandidateModel.objects.exists()


def test_both_see_epoch_step_and_time_left(world: World) -> None:
    study, job = world.training()
    _has_come(world, job, 1, 0)
    Job.objects.filter(pk=job.pk).update(paced_at=timezone.now() - timedelta(seconds=60))
    _has_come(world, job, 3, 75)
    for who in ("mo", "rae"):
        page = world.study_page(who, study, live=True)
        assert "Epoch 3 of 10" in page
        assert "Step 75 of 300." in page
        assert re.search(r"About 1[89]\d seconds left\.", page)


def _has_come(world: World, job: Job, epoch: int, done: int) -> None:
    ids = {"job_id": job.id, "attempt": job.attempt}
    stage = f"epoch {epoch} of 10"
    world.parties.modeler.says("job_progress", **ids, stage=stage, done=done, total=300)


def test_a_resumed_training_tells_its_pace_from_where_it_went_on(world: World) -> None:
    study, job = world.training()
    _has_come(world, job, 9, 270)
    assert "seconds left" not in world.study_page("mo", study, live=True)
    Job.objects.filter(pk=job.pk).update(paced_at=timezone.now() - timedelta(seconds=60))
    _has_come(world, job, 10, 280)
    assert re.search(r"About 1[23]\d seconds left\.", world.study_page("mo", study, live=True))
    _has_come(world, job, 10, 300)
    assert "seconds left" not in world.study_page("mo", study, live=True)


@pytest.mark.slow
def test_only_the_modeler_has_the_form(world: World) -> None:
    study = world.trainable()
    page = world.study_page("mo", study, live=True)
    assert 'data-testid="training-form"' in page
    assert page.count("data-bound") == 1
    assert "c for Age group: Over 25" in page
    assert 'value="2560"' in page
    assert "38 bits" in page
    assert 'data-testid="training-form"' not in world.study_page("rae", study, live=True)
    certifying = world.closed()
    assert "training-title" not in world.study_page("mo", certifying, live=True)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"preset": "quick"}, "TRAINING_INVALID"),
        ({"constraint": "positive_predictive_value"}, "TRAINING_INVALID"),
        ({"steps": 0}, "TRAINING_INVALID"),
        ({"batch_size": 48}, "TRAINING_INVALID"),
        ({"points": [["1e-2"]]}, "TRAINING_INVALID"),
        ({"points": [["0.01"], ["0.01", "0.01"]]}, "TRAINING_BOUND_COUNT"),
        ({"points": []}, "TRAINING_INVALID"),
        ({"points": [["0.01"], ["0.01"]]}, "TRAINING_INVALID"),
        ({"output_frac_bits": 23}, "TRAINING_INVALID"),
    ],
)
def test_a_wrong_setting_is_named(world: World, changes: dict[str, Any], code: str) -> None:
    assert _refused(world, world.trainable(), **changes) == (422, code)


@pytest.mark.slow
def test_why_a_study_cannot_be_trained_on(world: World) -> None:
    policy = {**draft()["policy"], "minimum_answers": 3}
    at_modeler = {"data_holder": "modeler", "policy": policy}
    assert _refused(world, world.closed()) == (409, "TRAINING_NEEDS_MODELER_DATA")
    assert _refused(world, world.opened(**at_modeler)) == (409, "STUDY_NOT_CLOSED")
    few = world.closed(data_holder="modeler")
    assert _refused(world, few) == (409, "TRAINING_TOO_FEW_PEOPLE")
    tight = world.trainable(question_bits_limit=37)
    assert _refused(world, tight) == (409, "QUESTION_BITS_SPENT")
    page = world.study_page("mo", tight, live=True)
    assert "38 bits, and 37 are left" in page


def test_one_training_waits_for_approval_at_a_time(world: World) -> None:
    study = world.trainable()
    assert world.post("mo", f"/studies/{study.id}/trainings", TRAINING).status_code == 201
    assert _refused(world, study) == (409, "TRAINING_PROPOSED_ALREADY")


def test_a_model_is_not_certified_where_the_modeler_holds_the_data(world: World) -> None:
    study, job = world.training()
    world.trained(job)
    body = {"model_id": job.subject_id}
    answer = world.post("mo", f"/studies/{study.id}/certifications", body)
    assert answer.json()["code"] == "CERTIFICATION_NEEDS_REGULATOR_DATA"


def test_a_failed_training_says_what_to_do(world: World) -> None:
    study, job = world.training()
    world.parties.both_say(
        "job_failed",
        job_id=job.id,
        attempt=job.attempt,
        code="LABEL_UNKNOWN",
        sentence="Training needs an outcome for everybody; 2 records have none.",
    )
    page = world.study_page("mo", study, live=True)
    assert 'data-code="LABEL_UNKNOWN"' in page
    assert "Models that are listed were opened and are kept." in page


def _sealed(job: Job, **changes: Any) -> dict[str, Any]:
    return {
        "study_id": job.study_id,
        "job_id": job.id,
        "model_id": job.subject_id,
        "recipient": RECIPIENT,
        "digest": "dd" * 32,
        "envelope": envelope("a trained model"),
        **changes,
    }


@pytest.mark.database
def test_a_sealed_model_is_served_to_the_modeler_alone(world: World) -> None:
    study, job = world.training()
    assert json.loads(job.spec)["recipient"] == RECIPIENT
    body, signature = world.parties.modeler.signs("model_sealed", **_sealed(job))
    assert receive_message(body, signature)
    path = f"/models/{job.subject_id}/sealed"
    assert world.get("mo", path).status_code == 404
    world.trained(job)
    answer = world.get("mo", path)
    assert answer.json() == {"role": "modeler", "body": body, "signature": signature}
    statuses = {who: world.get(who, path).status_code for who in ("rae", "mia", "uma", "anonymous")}
    assert statuses == {"rae": 403, "mia": 404, "uma": 404, "anonymous": 401}
    assert 'data-testid="open-estimator"' in world.study_page("mo", study, live=True)
    assert 'data-act="open"' not in world.study_page("rae", study, live=True)


@pytest.mark.parametrize(
    "changes", [{"recipient": sealing_key(2).hex()}, {"model_id": "cd" * 16}, {"job_id": "ef" * 16}]
)
def test_a_sealed_model_of_no_training_is_not_kept(world: World, changes: dict[str, Any]) -> None:
    job = world.training_job(world.trainable())
    assert not world.parties.modeler.says("model_sealed", **_sealed(job, **changes))
    assert not world.parties.regulator.says("model_sealed", **_sealed(job))
    assert not SealedModel.objects.exists()


@pytest.mark.parametrize(
    ("recipient", "code"),
    [
        ("00" * 1216, "JOB_INVALID"),
        (RECIPIENT.upper(), "INPUT_INVALID"),
        (RECIPIENT[2:], "INPUT_INVALID"),
        (RECIPIENT[-64:], "INPUT_INVALID"),
    ],
    ids=["of low order", "upper case", "cut off", "X25519 alone"],
)
def test_a_model_is_sealed_to_a_usable_key_only(world: World, recipient: str, code: str) -> None:
    assert _refused(world, world.trainable(), recipient=recipient) == (422, code)


def test_the_signing_dialog_counts_bits_as_the_parties_charge_them() -> None:
    script = (Path(settings.BASE_DIR) / "static/js/lib/opened_bits.js").read_text("utf-8")
    stated = re.findall(r"(\w+): (\d+)", script.split("INT_BITS = {")[1].split("}")[0])
    assert {preset: int(bits) for preset, bits in stated} == OUTPUT_INT_BITS
