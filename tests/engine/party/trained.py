"""What a training must leave behind: the model of its oracle, and the charge for it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.training_terms import TrainingTerms
from mpc_engine.party.services.models import model_theta
from mpc_engine.party.studies.protocol_terms import training_point_spec
from mpc_engine.protocols.training.fixed_point import Standardisation, public_bounds
from mpc_engine.protocols.training.hyperparameters import X_FRAC_BITS
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.roles import Role
from tests.engine.party.stories import (
    MODEL_ID,
    TERMS,
    training_row,
)
from tests.engine.party.world import M, World, record

N_PEOPLE = 12
BITS = 3 * 19
SWEPT = replace(TERMS, points=(("0",) * 4, ("0.01",) * 4, ("0.3",) * 4))
SWEPT_IDS = [bytes([60 + number]) * 16 for number in range(3)]
SWEEP: dict[str, Any] = {"terms": SWEPT, "model_ids": SWEPT_IDS}


def stored_theta(world: World, study: Configuration, model_id: bytes = MODEL_ID) -> list[int]:
    """Return the coefficients that the modeler keeps of a model, its intercept first."""
    party = world.parties[M]
    with party.database.reading() as connection:
        return model_theta(party, connection, study.study_id, model_id)


def theta_by_the_oracle(study: Configuration, terms: TrainingTerms = TERMS) -> list[int]:
    """Train in the clear, from what people typed in, in the order of their records."""
    known = [training_row(number) for number in sorted(range(N_PEOPLE), key=record)]
    features = np.array([x for _, x, _ in known]) / 2.0**study.x_frac_bits
    entries = np.zeros((N_PEOPLE, 7), dtype=np.uint8)
    for row, ((age, origin), _, _) in zip(entries, known, strict=True):
        row[age] = row[3 + origin] = 1
    standardisation = Standardisation.of(features)
    rows = standardisation.encode(features, X_FRAC_BITS)
    spec = training_point_spec(study, terms, N_PEOPLE, public_bounds(rows))
    labels = np.array([label for _, _, label in known], dtype=np.uint8)
    theta = train_plaintext(spec, rows, labels, entries).theta
    intercept, coefficients = standardisation.decode(theta, terms.output_frac_bits)
    scale = 2.0**study.theta_frac_bits
    return [int(np.floor(value * scale + 0.5)) for value in (intercept, *coefficients)]


def last_question(world: World, role: Role) -> dict[str, Any]:
    """Return what a party says of its last question: the entry, how it ended, bits spent."""
    message = world.messages(role, "question")[-1]
    entry = json.loads(message.text("entry"))
    spent = message.integer("spent_millibits")
    return {**entry, "outcome": message.text("outcome"), "spent": spent}
