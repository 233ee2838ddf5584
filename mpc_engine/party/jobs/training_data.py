"""The modeler's side of a training run before and after: integers to train on, a model to keep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import UsageError
from mpc_engine.protocols.training.fixed_point import Standardisation, public_bounds
from mpc_engine.protocols.training.hyperparameters import X_FRAC_BITS
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.vocabulary.rates import UNKNOWN_LABEL
from mpc_engine.wire.codec import length_prefixed


@dataclass(frozen=True, repr=False)
class TrainingData:
    """What the modeler trains on: rows int64 (n, d), intercept first, and labels uint8 (n,).

    ``features`` int64 (n, d - 1) as the study encodes them; ``standardisation`` is of them in units
    of the study, and never leaves the modeler.
    """

    features: NDArray[np.int64]
    rows: NDArray[np.int64]
    labels: NDArray[np.uint8]
    standardisation: Standardisation

    @property
    def bounds(self) -> tuple[int, int]:
        """Return the largest feature and the largest row, rounded up; the regulator learns them."""
        return public_bounds(self.rows)

    @property
    def digest(self) -> bytes:
        """Return the digest that a checkpoint is bound to: it goes on with the same data only."""
        return sha256(length_prefixed(self.rows.tobytes(), self.labels.tobytes()))


def training_data(configuration: Configuration, records: HeldRecords) -> TrainingData:
    """Return a cohort's data, standardised; UsageError (``LABEL_UNKNOWN``) if outcomes lack."""
    encoded = records.require_features()
    features = encoded / 2.0**configuration.x_frac_bits
    labels = records.labels
    n_unknown = len(records) if labels is None else int((labels == UNKNOWN_LABEL).sum())
    if labels is None or n_unknown:
        raise UsageError(
            f"Training needs an outcome for everybody; {n_unknown} records have none.",
            code="LABEL_UNKNOWN",
        )
    standardisation = Standardisation.of(features)
    return TrainingData(
        encoded, standardisation.encode(features, X_FRAC_BITS), labels, standardisation
    )


@dataclass(frozen=True, repr=False)
class EncodedModel:
    """A model as one that is handed in: encoded coefficients, intercept first.

    ``halvings``: how often all of them were halved so that they fit the study.
    """

    theta: list[int]
    halvings: int


def trained_model(
    configuration: Configuration,
    standardisation: Standardisation,
    theta: NDArray[np.int64],
    output_frac_bits: int,
) -> EncodedModel:
    """Return the model for features in units of the study, encoded as one that is handed in.

    ``theta`` int64 (d,) as a run opens it. A model that does not fit ``theta_bits`` is halved until
    it does, which changes no decision; the charge is spent by then, so it is never refused.
    """
    intercept, coefficients = standardisation.decode(theta, output_frac_bits)
    real = np.array([intercept, *coefficients]) * 2.0**configuration.theta_frac_bits
    limit = (1 << (configuration.theta_bits - 1)) - 1
    halvings = 0
    while np.abs(np.floor(real + 0.5)).max() > limit:
        real /= 2.0
        halvings += 1
    return EncodedModel([int(value) for value in np.floor(real + 0.5)], halvings)


def n_right(configuration: Configuration, records: HeldRecords, model: list[int]) -> int:
    """Return how many of a cohort's people a model decides as they turned out, in exact integers.

    ``model``: encoded coefficients, intercept first; the records hold features and outcomes.
    """
    features = records.require_features().astype(object)
    scores = features @ np.array(model[1:], dtype=object) + (model[0] << configuration.x_frac_bits)
    return int(((scores >= 0) == records.labels).sum())
