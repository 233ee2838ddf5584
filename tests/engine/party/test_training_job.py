from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mpc_engine.control.files.model_file import decide_case
from mpc_engine.control.policies.questions import rule_digest
from mpc_engine.control.studies.training_terms import OUTPUT_INT_BITS, training_bits
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.errors import ChannelClosedError
from mpc_engine.party.jobs import training as training_module
from mpc_engine.party.jobs.attempts import abandon_attempts
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.jobs.training_data import trained_model
from mpc_engine.party.studies.protocol_terms import training_point_spec
from mpc_engine.protocols.ahead import THREAD_NAME
from mpc_engine.protocols.training.fixed_point import Standardisation
from mpc_engine.protocols.training.hyperparameters import Preset
from mpc_engine.roles import Role
from mpc_engine.vocabulary.constraints import Constraint
from tests.builders.policies import criterion, each_pair
from tests.builders.study_drafts import make_configuration
from tests.engine.party import plain_protocols
from tests.engine.party.stories import (
    MODEL_ID,
    TERMS,
    train,
    trainable_study,
    training_row,
    with_protocols,
)
from tests.engine.party.trained import (
    BITS,
    N_PEOPLE,
    SWEEP,
    SWEPT,
    SWEPT_IDS,
    last_question,
    stored_theta,
    theta_by_the_oracle,
)
from tests.engine.party.world import M, R, World
from tests.leak_search import RecordingRandomness


def test_the_secure_run_stores_the_oracles_model_at_the_modeler_alone(world: World) -> None:
    study, record_set = trainable_study(world)
    reports = train(world, study, record_set, PRODUCTION)
    assert [report.kind for report in reports.values()] == ["job_result"] * 2
    expected = {"model_ids": [MODEL_ID.hex()], "steps": 40}
    assert reports[M].object("outcome") == reports[R].object("outcome") == expected
    assert reports[R].object("metrics")["bytes_sent"]
    model = stored_theta(world, study)
    assert model == theta_by_the_oracle(study)
    assert any(model)
    assert world.n_rows(R, "models") == 0
    with world.parties[M].database.reading() as connection:
        (sealed,) = connection.execute("SELECT sealed FROM models").fetchone()
    assert json.dumps(model).encode() not in sealed
    for role in Role:
        question = last_question(world, role)
        assert (question["kind"], question["outcome"]) == ("training", "MODEL_OPENED")
        assert question["millibits"] == question["spent"] == 1000 * BITS
        assert question["n_people"] == N_PEOPLE


@pytest.mark.parametrize("constraint", [Constraint.EQUALISED_ODDS, Constraint.ACCURACY])
def test_a_run_under_another_constraint_stores_the_oracles_model(
    world: World, constraint: Constraint
) -> None:
    study, record_set = trainable_study(world)
    terms = replace(TERMS, constraint=constraint, points=(("0",) * 4,))
    reports = train(world, study, record_set, PRODUCTION, terms=terms)
    assert [report.kind for report in reports.values()] == ["job_result"] * 2
    model = stored_theta(world, study)
    assert model == theta_by_the_oracle(study, terms)
    ordinary = replace(terms, constraint=Constraint.ACCEPTANCE_RATE)
    assert model != theta_by_the_oracle(study, ordinary)
    for role in Role:
        question = last_question(world, role)
        assert question["millibits"] == question["spent"] == 1000 * BITS
        assert question["rule"] == rule_digest(terms.to_json()).hex()


@pytest.mark.parametrize(
    ("constraint", "code"),
    [
        (Constraint.ACCEPTANCE_RATE, None),
        (Constraint.TRUE_POSITIVE_RATE, "TRAINING_TOO_FEW_OUTCOMES"),
        (Constraint.ACCURACY, "TRAINING_TOO_FEW_OUTCOMES"),
    ],
)
def test_outcomes_of_too_few_people_are_refused_before_anything_is_charged(
    world: World, constraint: Constraint, code: str | None
) -> None:
    policy = each_pair(criterion("p_rule", "80"), minimum_answers=8)
    study, record_set = trainable_study(world, policy=policy)
    reports = train(world, study, record_set, terms=replace(TERMS, constraint=constraint))
    if code is None:
        assert [report.kind for report in reports.values()] == ["job_result"] * 2
    else:
        assert {role: report.text("code") for role, report in reports.items()} == {
            M: code,
            R: "PEER_REFUSED",
        }
        assert not world.messages(M, "question")


class _NotingThreads(RecordingRandomness):
    """Remembers also in which threads words were drawn."""

    def __init__(self) -> None:
        super().__init__(system_randomness())
        self.threads: set[bool] = set()

    def words(self, *shape: int) -> np.ndarray[Any, Any]:
        self.threads.add(THREAD_NAME in threading.current_thread().name)
        return super().words(*shape)


def test_the_thread_of_material_has_a_source_and_a_line_of_its_own(world: World) -> None:
    study, record_set = trainable_study(world)
    sources = {}
    for role, party in world.parties.items():
        sources[role] = _NotingThreads(), _NotingThreads()
        party.rng, party.offline_rng = sources[role]
    reports = train(world, study, record_set, PRODUCTION)
    assert [report.kind for report in reports.values()] == ["job_result"] * 2
    for own, offline in sources.values():
        assert (own.threads, offline.threads) == ({False}, {True})
    metrics = [report.object("metrics") for report in reports.values()]
    assert all(int(str(found["bytes_sent"])) > 100_000 for found in metrics)
    assert not [thread for thread in threading.enumerate() if THREAD_NAME in thread.name]


def test_each_point_of_a_sweep_is_a_model_and_a_charge_of_its_own(world: World) -> None:
    study, record_set = trainable_study(world)
    reports = train(world, study, record_set, PRODUCTION, **SWEEP)
    expected = {"model_ids": [model_id.hex() for model_id in SWEPT_IDS], "steps": 40}
    for role in Role:
        assert reports[role].object("outcome") == expected
        asked = world.messages(role, "question")
        entries = [json.loads(message.text("entry")) for message in asked]
        answered = [
            entry
            for entry, message in zip(entries, asked, strict=True)
            if message.text("outcome") == "MODEL_OPENED"
        ]
        assert [entry["model_id"] for entry in answered] == expected["model_ids"]
        assert {entry["millibits"] for entry in entries} == {1000 * BITS}
        assert len({entry["rule"] for entry in answered}) == 3
        assert last_question(world, role)["spent"] == 3000 * BITS
    models = [stored_theta(world, study, model_id) for model_id in SWEPT_IDS]
    assert models == [theta_by_the_oracle(study, SWEPT.at(number)) for number in range(3)]
    assert models[0] != models[2]
    assert world.n_rows(R, "models") == 0


def test_the_modelers_party_tells_how_often_each_model_is_right_on_its_rows(world: World) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set, **SWEEP)
    known = [training_row(number) for number in range(N_PEOPLE)]
    for model_id, message in zip(SWEPT_IDS, world.messages(M, "model_trained"), strict=True):
        theta = stored_theta(world, study, model_id)
        right = sum(decide_case(theta, x, study.x_frac_bits) == label for _, x, label in known)
        assert message.text("model_id") == model_id.hex()
        assert message.integer("right_per_mille") == 1000 * right // N_PEOPLE
        assert message.integer("n_rows") == N_PEOPLE
        assert right > 0
    assert not world.messages(R, "model_trained")


def test_a_sweep_that_would_pass_the_limit_is_refused_whole(world: World) -> None:
    study, record_set = trainable_study(world, 3, question_bits_limit=3 * BITS - 1)
    reports = train(world, study, record_set, **SWEEP)
    assert {report.text("code") for report in reports.values()} == {"QUESTION_BITS_SPENT"}
    assert not world.messages(M, "question")
    assert [world.n_rows(role, "prepared_questions") for role in Role] == [0, 0]
    two: dict[str, Any] = {
        "terms": replace(SWEPT, points=SWEPT.points[:2]),
        "model_ids": SWEPT_IDS[:2],
    }
    again = train(world, study, record_set, job_id=b"u" * 16, **two)
    assert {report.kind for report in again.values()} == {"job_result"}


@pytest.mark.parametrize("cut", Role)
def test_an_aborted_sweep_keeps_what_it_opened_and_its_retry_trains_the_rest(
    world: World, cut: Role
) -> None:
    study, record_set = trainable_study(world, 3, question_bits_limit=1000)
    name = f"train_as_{cut.value}"

    def cut_in_the_second_point(*arguments: Any) -> Iterator[Any]:
        run = getattr(plain_protocols, name)(*arguments)
        yield next(run)
        next(run)
        raise ChannelClosedError("cut")

    table = with_protocols(**{name: cut_in_the_second_point})
    reports = train(world, study, record_set, table, **SWEEP)
    assert reports[cut].kind == "job_failed"
    assert world.n_rows(M, "models") == (1 if cut is M else 2)
    assert last_question(world, cut)["outcome"] == "ABORTED"
    assert last_question(world, cut)["spent"] == 2000 * BITS
    again = train(world, study, record_set, attempt=1, **SWEEP)
    assert {report.kind for report in again.values()} == {"job_result"}
    assert again[M].object("outcome") == again[R].object("outcome")
    n_asked = 4 if cut is M else 3
    for role in Role:
        assert last_question(world, role)["spent"] == 1000 * n_asked * BITS
    assert [stored_theta(world, study, model_id) != [] for model_id in SWEPT_IDS] == [True] * 3
    told = [message.text("model_id") for message in world.messages(M, "model_trained")]
    assert told == [model_id.hex() for model_id in SWEPT_IDS]


def test_an_attempt_that_was_ended_meanwhile_keeps_no_further_model(world: World) -> None:
    study, record_set = trainable_study(world, 3)

    def overtaken(*arguments: Any) -> Iterator[Any]:
        run = plain_protocols.train_as_modeler(*arguments)
        yield next(run)
        opened = next(run)
        assert abandon_attempts(world.parties[M]) == 1
        yield opened

    train(world, study, record_set, with_protocols(train_as_modeler=overtaken), **SWEEP)
    assert world.n_rows(M, "models") == 1
    assert world.messages(M, "job_failed")[-1].text("code") == "WORKER_LOST"


def test_progress_of_a_sweep_tells_its_point(world: World) -> None:
    study, record_set = trainable_study(world, 3)
    train(world, study, record_set, **SWEEP)
    for role in Role:
        told = [
            (message.text("stage"), message.integer("done"), message.integer("total"))
            for message in world.messages(role, "job_progress")
            if message.text("stage").startswith("point")
        ]
        assert told == [
            (f"point {point} of 3, epoch 107 of 107", 40 * point, 120) for point in (1, 2, 3)
        ]


def test_progress_tells_epoch_and_step(world: World) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set, PRODUCTION)
    for role in Role:
        told = [
            (message.text("stage"), message.integer("done"), message.integer("total"))
            for message in world.messages(role, "job_progress")
            if message.text("job_id") == (b"t" * 16).hex()
        ]
        assert told[0] == ("constraints", 0, 1)
        assert told[-1] == ("epoch 27 of 27", 40, 40)
        steps = [done for stage, done, _ in told if stage.startswith("epoch")]
        assert steps == sorted(steps)


@pytest.mark.parametrize("preset", Preset)
def test_each_preset_is_charged_the_bits_that_it_opens(preset: Preset) -> None:
    study = make_configuration(data_holder="modeler")
    terms = replace(TERMS, preset=preset.value)
    spec = training_point_spec(study, terms, N_PEOPLE, (1 << 14, 1 << 15))
    opened = spec.theta_bits - spec.theta_frac_bits + spec.output_frac_bits
    assert opened == OUTPUT_INT_BITS[preset] + terms.output_frac_bits
    assert training_bits(study, terms) == spec.n_columns * opened
    assert spec.n_steps == terms.steps
    assert spec.bounds == (655,) * 4


@pytest.mark.parametrize("steps", [1, 39, 40, 41, 999_999])
def test_the_number_of_steps_is_the_one_that_was_approved(steps: int) -> None:
    study = make_configuration(data_holder="modeler")
    for n_rows in (7, 12, 30_000):
        spec = training_point_spec(study, replace(TERMS, steps=steps), n_rows, (1 << 14, 1 << 15))
        assert spec.n_steps == steps


def test_a_model_too_large_for_the_study_is_halved_and_decides_the_same() -> None:
    study = make_configuration(data_holder="modeler", theta_bits=20, theta_frac_bits=16)
    standardisation = Standardisation(np.zeros(2), np.array([0.01, 1.0]))
    theta = np.array([1 << 16, 1 << 16, -(1 << 15)], dtype=np.int64)
    model = trained_model(study, standardisation, theta, 16)
    assert (model.theta, model.halvings) == ([1 << 12, 409600, -(1 << 11)], 4)
    assert max(map(abs, model.theta)) < 1 << (study.theta_bits - 1)


@pytest.mark.parametrize(
    ("study_changes", "job_changes", "code"),
    [
        ({"data_holder": "regulator"}, {}, "TRAINING_NEEDS_MODELER_DATA"),
        ({}, {"terms": replace(TERMS, points=(("1",),))}, "TRAINING_BOUND_COUNT"),
        ({}, {"record_set": b"r" * 32}, "RECORD_SET_DIFFERENT"),
        ({"question_bits_limit": BITS - 1}, {}, "QUESTION_BITS_SPENT"),
    ],
)
def test_both_refuse_what_cannot_be_trained(
    world: World, study_changes: dict[str, Any], job_changes: dict[str, Any], code: str
) -> None:
    study, record_set = trainable_study(world, 3, **study_changes)
    reports = train(world, study, **{"record_set": record_set, **job_changes})
    assert {report.text("code") for report in reports.values()} == {code}
    assert not world.messages(M, "question")


def test_a_cohort_below_the_rules_answers_is_not_trained_on(world: World) -> None:
    policy = each_pair(criterion("p_rule", "80"), minimum_answers=4)
    study, record_set = trainable_study(world, 3, policy=policy)
    reports = train(world, study, record_set)
    assert {report.text("code") for report in reports.values()} == {"TRAINING_TOO_FEW_PEOPLE"}


def test_a_study_that_is_open_is_not_trained_on(world: World) -> None:
    study = world.open_study(data_holder="modeler")
    reports = train(world, study, b"r" * 32)
    assert {report.text("code") for report in reports.values()} == {"STUDY_NOT_CLOSED"}


@pytest.mark.parametrize("bound", [bytes(4), b"\xff" * 4, b"\1\0"])
def test_the_regulator_takes_no_bounds_that_cannot_be(
    world: World, monkeypatch: pytest.MonkeyPatch, bound: bytes
) -> None:
    study, record_set = trainable_study(world, 3)
    monkeypatch.setattr(training_module, "u32", lambda value: bound)
    reports = train(world, study, record_set)
    assert reports[R].text("code") in ("NOT_DECODABLE", "PROTOCOL_VIOLATION")
