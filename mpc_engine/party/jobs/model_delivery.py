"""A trained model on its way to the modeler's member: sealed to the key that both approved."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal

import numpy as np
from numpy.typing import NDArray

from mpc_engine.control.files.estimator_file import estimator_text, study_estimator
from mpc_engine.control.files.model_file import model_text
from mpc_engine.control.files.trained_model import (
    MODEL_SALT_BYTES,
    FloatCheck,
    TrainedModel,
    trained_model_digest,
    trained_model_text,
)
from mpc_engine.control.post.exchanges.about_models import ModelSealed
from mpc_engine.control.post.jobs import JobSpec
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.crypto.digests import key_id
from mpc_engine.errors import UsageError
from mpc_engine.party.jobs.told import tell_of_job
from mpc_engine.party.jobs.training_data import EncodedModel, TrainingData
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role
from mpc_engine.sharing.sealed import Purpose, SealContext, pad_message, seal_envelope

_PLACES = Decimal("0.000001")


def add_sealed_model(
    party: Party,
    connection: sqlite3.Connection,
    spec: JobSpec,
    configuration: Configuration,
    number: int,
    theta: Sequence[int],
    check: FloatCheck,
) -> None:
    """Put the message that carries the sealed model of a job's point into the outbox.

    It is bound to job, study, configuration, model and recipient, and signed by the party: a seal
    alone says nothing about who made it.
    """
    if spec.training is None:
        raise UsageError("The job has no settings to train with.", code="JOB_INVALID")
    terms, model_id = spec.training.at(number), spec.model_ids[number]
    provenance: dict[str, str | int] = {
        "job_id": spec.job_id.hex(),
        "model_id": model_id.hex(),
        "record_set": spec.record_set.hex(),
        "preset": terms.preset,
        "steps": terms.steps,
        "batch_size": terms.batch_size,
        "constraint": terms.constraint.value,
        "bounds": ", ".join(terms.points[0]),
        "output_frac_bits": terms.output_frac_bits,
        "people": check.n_people,
        "decided_differently_by_float64": check.n_decided_differently,
        "largest_difference_to_float64": check.largest_difference,
    }
    trained = TrainedModel(
        spec.job_id,
        spec.study_id,
        model_id,
        model_text(theta, configuration),
        estimator_text(study_estimator(theta, configuration, provenance)) + "\n",
        check,
    )
    text = trained_model_text(trained, party.rng.bytes(MODEL_SALT_BYTES)).encode("utf-8")
    context = SealContext(
        Purpose.TRAINED_MODEL,
        Role.MODELER,
        spec.study_id,
        configuration.digest,
        key_id(spec.recipient),
        model_id,
        spec.job_id,
    )
    envelope = seal_envelope(context, spec.recipient, pad_message(text))
    sealed = ModelSealed(
        study_id=spec.study_id,
        job_id=spec.job_id,
        model_id=model_id,
        recipient=spec.recipient,
        digest=trained_model_digest(text),
        envelope=envelope,
    )
    tell_of_job(party, connection, spec.job_id, sealed)


def compare_with_floats(
    configuration: Configuration,
    data: TrainingData,
    theta: NDArray[np.int64],
    output_frac_bits: int,
    model: EncodedModel,
) -> FloatCheck:
    """Compare the stored integers with float64 on the modeler's rows.

    ``theta`` int64 (d,) as the run opened it, evaluated in float64 on standardised features that
    are not rounded; ``model`` is what decides. The answers take part in neither, so the modeler
    can compute this alone; how training itself would have gone in float64 it cannot know.
    """
    real = theta / 2.0**output_frac_bits
    exact = data.standardisation.scaled(data.features / 2.0**configuration.x_frac_bits) @ real
    intercept, *coefficients = model.theta
    # 256 products of 32 by 24 bits: an int64 holds every score.
    scores = data.features @ np.array(coefficients, dtype=np.int64)
    scores += intercept << configuration.x_frac_bits
    decided = scores >= 0
    unit_bits = configuration.x_frac_bits + configuration.theta_frac_bits - model.halvings
    kept = scores / 2.0**unit_bits
    difference = Decimal(float(np.abs(kept - exact).max()))
    return FloatCheck(
        n_people=len(exact),
        n_decided_differently=int((decided != (exact >= 0)).sum()),
        largest_difference=str(difference.quantize(_PLACES, rounding=ROUND_CEILING)),
    )
