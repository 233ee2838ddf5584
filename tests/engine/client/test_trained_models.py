"""A trained model opens for the key it was sealed to, and for nothing that the site made up."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

from mpc_engine.client.checks import training_of
from mpc_engine.client.trained_models import open_trained_model
from mpc_engine.control.files.estimator_file import estimator_text, study_estimator
from mpc_engine.control.files.model_file import model_text
from mpc_engine.control.files.trained_model import (
    FloatCheck,
    TrainedModel,
    trained_model_digest,
    trained_model_text,
)
from mpc_engine.control.post.jobs import training_text
from mpc_engine.control.studies.training_terms import TrainingTerms
from mpc_engine.control.texts.fields import parse_time
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.errors import EngineError, InvalidSignatureError, UsageError
from mpc_engine.roles import Role
from mpc_engine.sharing.sealed import Purpose, SealContext, pad_message, seal_envelope
from mpc_engine.testing.randomness import seeded_randomness

KEY, OTHER = (HpkePrivateKey.generate(seeded_randomness(seed)) for seed in (3, 4))
JOB, MODEL = b"t" * 16, b"m" * 16
PATH = f"/api/v1/models/{MODEL.hex()}/sealed"
THETA = [5, -6, 7]


def _put(site: Any, role: Role = Role.MODELER, **changes: Any) -> TrainedModel:
    """Let the site hand out a sealed model, with some of it changed."""
    study = site.study.configuration
    estimator = estimator_text(study_estimator(changes.get("other", THETA), study, {}))
    check = FloatCheck(3, 0, "0.000001")
    trained = TrainedModel(
        JOB, study.study_id, MODEL, model_text(THETA, study), estimator + "\n", check
    )
    inside = replace(trained, **changes.get("inside", {}))
    text = trained_model_text(inside, b"s" * 32).encode()
    context = SealContext(
        Purpose.TRAINED_MODEL,
        Role.MODELER,
        study.study_id,
        study.digest,
        KEY.key_id,
        MODEL,
        changes.get("sealed_job", JOB),
    )
    values = {
        "study_id": study.study_id.hex(),
        "job_id": JOB.hex(),
        "model_id": MODEL.hex(),
        "recipient": KEY.public_bytes.hex(),
        "digest": changes.get("digest", trained_model_digest(text)).hex(),
        "envelope": base64.b64encode(
            seal_envelope(context, KEY.public_bytes, pad_message(text))
        ).decode(),
    }
    site.pages[PATH] = site.parties[role].says("model_sealed", **values)
    return trained


def test_a_sealed_model_opens_to_both_files(site: Any) -> None:
    trained = _put(site)
    opened = open_trained_model(site, site.study, MODEL.hex(), KEY)
    assert opened == trained
    theta, estimator = opened.read(site.study.configuration)
    assert theta == estimator.scaled() == THETA


def test_another_key_is_named(site: Any) -> None:
    _put(site)
    with pytest.raises(UsageError) as caught:
        open_trained_model(site, site.study, MODEL.hex(), OTHER)
    assert caught.value.code == "MODEL_FOR_OTHER_KEY"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"role": Role.REGULATOR}, "MODEL_DIFFERENT"),
        ({"digest": bytes(32)}, "TRAINED_MODEL_DIFFERENT"),
        ({"inside": {"job_id": b"u" * 16}}, "MODEL_DIFFERENT"),
        ({"inside": {"model_id": b"u" * 16}}, "MODEL_DIFFERENT"),
        ({"sealed_job": b"u" * 16}, "ENVELOPE_NOT_OPENED"),
        ({"other": [5, -6, 8]}, "TRAINED_MODEL_INVALID"),
    ],
)
def test_what_is_not_the_partys_model_is_refused(
    site: Any, changes: dict[str, Any], code: str
) -> None:
    _put(site, **changes)
    with pytest.raises(EngineError) as caught:
        open_trained_model(site, site.study, MODEL.hex(), KEY)
    assert caught.value.code == code


def test_a_model_that_the_site_sealed_itself_is_refused(site: Any) -> None:
    _put(site)
    site.pages[PATH] = {**site.pages[PATH], "signature": "00" * 64}
    with pytest.raises(InvalidSignatureError):
        open_trained_model(site, site.study, MODEL.hex(), KEY)


def test_a_training_that_seals_to_another_key_is_not_signed(site: Any) -> None:
    study = site.study.configuration
    terms = TrainingTerms("recommended", 40, 8, (("0.01",),), 16, b"o" * 16)
    settings = {"steps": 40, "points": [["0.01"]]}
    common: dict[str, Any] = {
        "job_id": JOB,
        "study_id": study.study_id,
        "configuration": study.digest,
        "created_at": parse_time("2026-06-01T00:00:00Z"),
        "time_limit_s": 60,
        "model_ids": [MODEL],
        "record_set": b"r" * 32,
    }
    check = training_of(site.study, settings, record_set="72" * 32, recipient=KEY.public_bytes)
    check(training_text(**common, recipient=KEY.public_bytes, terms=terms))
    for key, other in ((OTHER, terms), (KEY, replace(terms, points=(("1",),)))):
        with pytest.raises(UsageError) as caught:
            check(training_text(**common, recipient=key.public_bytes, terms=other))
        assert caught.value.code == "PROPOSAL_DIFFERENT"
