"""A trained model leaves its party sealed or as a private file, and certifies elsewhere."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mpc_engine.control.files.model_file import model_text, parse_model
from mpc_engine.control.files.trained_model import FloatCheck, parse_trained_model
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.errors import CheckFailedError, IntakeError, UsageError
from mpc_engine.party.commands.cli import main
from mpc_engine.party.jobs.model_delivery import compare_with_floats
from mpc_engine.party.jobs.training_data import EncodedModel, TrainingData, trained_model
from mpc_engine.protocols.training.fixed_point import Standardisation
from mpc_engine.sharing.sealed import Purpose, SealContext, open_envelope, unpad_message
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.constraints import Constraint
from tests.builders.study_drafts import make_configuration
from tests.engine.party.heard import Heard
from tests.engine.party.stories import (
    MODEL_ID,
    RECIPIENT,
    TERMS,
    certify,
    closed_study,
    train,
    trainable_study,
)
from tests.engine.party.trained import (
    BITS,
    N_PEOPLE,
    stored_theta,
    theta_by_the_oracle,
)
from tests.engine.party.world import M, R, World


def test_an_exported_model_is_private_and_reads_back_to_the_same_integers(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set)
    out = world.folder / "model.json"
    config = ["--config", str(world.folder / "modeler" / "party.toml")]
    assert main([*config, "export-model", MODEL_ID.hex(), str(out)]) == 0
    assert out.stat().st_mode & 0o777 == 0o600
    assert parse_model(out.read_text("utf-8"), study) == stored_theta(world, study)
    assert main([*config, "export-model", MODEL_ID.hex(), str(out)]) == 1
    assert "FILE_EXISTS" in capsys.readouterr().err
    assert main([*config, "export-model", "00" * 16, str(out.with_name("no.json"))]) == 1
    assert "MODEL_UNKNOWN" in capsys.readouterr().err


def test_a_trained_model_can_be_certified_in_another_study_of_the_same_features(
    tmp_path: Path,
) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    first, second = World(tmp_path / "first"), World(tmp_path / "second")
    study, record_set = trainable_study(first)
    train(first, study, record_set)
    other, other_set = closed_study(second)
    body = model_text(stored_theta(first, study), study, other)
    assert parse_model(body, other) == stored_theta(first, study)
    message = second.order(M, "model", second.model_order(other, MODEL_ID, body))
    assert message.kind == "model_accepted"
    assert certify(second, other, other_set)[R].kind == "job_result"
    row = {"title": "x", "unit": "12", "minimum": "0", "maximum": "9"}
    features = [{**row, "name": name} for name in ("duration", "income")]
    with pytest.raises(UsageError) as caught:
        model_text([0, 0, 0], study, make_configuration(features=features))
    assert caught.value.code == "MODEL_OTHER_FEATURES"


def _sealed(world: World) -> Heard:
    (message,) = world.messages(M, "model_sealed")
    return message


def _opened(message: Heard, study: Configuration, key: HpkePrivateKey = RECIPIENT) -> bytes:
    context = SealContext(
        Purpose.TRAINED_MODEL, M, study.study_id, study.digest, key.key_id, MODEL_ID, b"t" * 16
    )
    return unpad_message(open_envelope(context, key, base64.b64decode(message.text("envelope"))))


def test_the_model_is_sealed_to_the_key_that_both_approved(world: World) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set)
    message = _sealed(world)
    assert not world.messages(R, "model_sealed")
    trained = parse_trained_model(_opened(message, study), bytes.fromhex(message.text("digest")))
    theta, estimator = trained.read(study)
    assert theta == stored_theta(world, study) == theta_by_the_oracle(study)
    assert estimator.provenance["model_id"] == MODEL_ID.hex()
    assert trained.float_check.n_people == N_PEOPLE
    assert float(trained.float_check.largest_difference) < 0.05
    stranger = HpkePrivateKey.generate(seeded_randomness(78))
    with pytest.raises(IntakeError):
        _opened(message, study, stranger)
    assert not any(str(trained.model) in body for body, _ in world.sent[M])


@pytest.mark.parametrize("constraint", [Constraint.ACCEPTANCE_RATE, Constraint.EQUALISED_ODDS])
def test_the_file_says_what_its_training_kept_alike(world: World, constraint: Constraint) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set, terms=replace(TERMS, constraint=constraint))
    message = _sealed(world)
    trained = parse_trained_model(_opened(message, study), bytes.fromhex(message.text("digest")))
    said = trained.read(study)[1].provenance
    assert (said["constraint"], said["bounds"]) == (constraint.value, "0.01, 0.01, 0.01, 0.01")


def test_the_digest_hides_the_model_and_names_it(world: World) -> None:
    study, record_set = trainable_study(world, 3, question_bits_limit=2 * BITS)
    train(world, study, record_set)
    train(world, study, record_set, job_id=b"u" * 16, model_ids=[b"n" * 16])
    first, second = world.messages(M, "model_sealed")
    text = _opened(first, study)
    with pytest.raises(CheckFailedError) as caught:
        parse_trained_model(text, bytes.fromhex(second.text("digest")))
    assert caught.value.code == "TRAINED_MODEL_DIFFERENT"
    salt = json.loads(text)["salt"]
    assert len(bytes.fromhex(salt)) == 32
    assert len(set(salt)) > 4


def test_decisions_are_compared_with_float64_on_the_modelers_rows() -> None:
    study = make_configuration(data_holder="modeler")
    features = np.array([[0, 0], [256, 256], [512, 0], [0, 512]], dtype=np.int64)
    standardisation = Standardisation(np.zeros(2), np.ones(2))
    data = TrainingData(features, features, np.zeros(4, dtype=np.uint8), standardisation)
    theta = np.array([-(1 << 16), 1 << 16, 0], dtype=np.int64)
    exact = trained_model(study, standardisation, theta, 16)
    assert compare_with_floats(study, data, theta, 16, exact) == FloatCheck(4, 0, "0.000000")
    worse = EncodedModel([exact.theta[0] - 1, *exact.theta[1:]], 0)
    assert compare_with_floats(study, data, theta, 16, worse) == FloatCheck(4, 1, "0.000016")
    halved = EncodedModel([value // 2 for value in exact.theta], 1)
    assert compare_with_floats(study, data, theta, 16, halved) == FloatCheck(4, 0, "0.000000")
