"""What a training seals to its modeler: both files, checked against a digest that hides them.

The digest is SHA-256 over a text that holds 32 random bytes, so whoever stores it can tell a model
from another and cannot find the model by trying coefficients.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from mpc_engine.control.files.estimator_file import (
    MAX_ESTIMATOR_BYTES,
    EstimatorFile,
    parse_estimator,
)
from mpc_engine.control.files.model_file import MAX_MODEL_BYTES, parse_model
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.canonical import canonical_text, digest_text, parse_canonical
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import CheckFailedError, UsageError

FORMAT = "bj1 trained model"
DIGEST_LABEL = b"blindjustice/v1/trained model"
CODE = "TRAINED_MODEL_INVALID"
MODEL_SALT_BYTES = 32
MAX_SEALED_CHARACTERS = 700_000


@dataclass(frozen=True)
class FloatCheck:
    """The opened model's decisions against float64, on the modeler's own rows.

    ``largest_difference`` of a score in units of the score, a plain decimal, rounded up.
    """

    n_people: int
    n_decided_differently: int
    largest_difference: str


@dataclass(frozen=True, repr=False)
class TrainedModel:
    """The model file, the estimator file, and how far both are from float64."""

    job_id: bytes
    study_id: bytes
    model_id: bytes
    model: str
    estimator: str
    float_check: FloatCheck

    def read(self, configuration: Configuration) -> tuple[list[int], EstimatorFile]:
        """Return the encoded coefficients and the estimator, which must be one model.

        UsageError as `parse_model` and `parse_estimator`, or ``TRAINED_MODEL_INVALID``.
        """
        theta, estimator = parse_model(self.model, configuration), parse_estimator(self.estimator)
        if estimator.rounding is None or estimator.scaled() != theta:
            raise UsageError("The two files hold different models.", code=CODE)
        return theta, estimator


def trained_model_text(trained: TrainedModel, salt: bytes) -> str:
    """Return the text that is sealed; ``salt``: 32 fresh random bytes."""
    check = trained.float_check
    return canonical_text(
        {
            "format": FORMAT,
            "job_id": trained.job_id.hex(),
            "study_id": trained.study_id.hex(),
            "model_id": trained.model_id.hex(),
            "salt": salt.hex(),
            "model": trained.model,
            "estimator": trained.estimator,
            "float_check": {
                "n_people": check.n_people,
                "n_decided_differently": check.n_decided_differently,
                "largest_difference": check.largest_difference,
            },
        }
    )


def trained_model_digest(text: str | bytes) -> bytes:
    """Return the 32-byte digest of a text that is sealed."""
    return digest_text(DIGEST_LABEL, text)


def parse_trained_model(text: bytes, digest: bytes) -> TrainedModel:
    """Return an opened text; its digest is checked first.

    CheckFailedError (``TRAINED_MODEL_DIFFERENT``); UsageError (``TRAINED_MODEL_INVALID``) or
    DecodeError name what does not parse.
    """
    if not hmac.compare_digest(trained_model_digest(text), digest):
        raise CheckFailedError(
            "The opened model is not the one that the party named.", code="TRAINED_MODEL_DIFFERENT"
        )
    fields = Fields(parse_canonical(text), "trained model", code=CODE)
    fields.choice("format", (FORMAT,))
    fields.hex("salt", MODEL_SALT_BYTES)
    check = fields.inner("float_check")
    trained = TrainedModel(
        job_id=fields.hex("job_id", 16),
        study_id=fields.hex("study_id", 16),
        model_id=fields.hex("model_id", 16),
        model=fields.raw_text("model", maximum=MAX_MODEL_BYTES),
        estimator=fields.raw_text("estimator", maximum=MAX_ESTIMATOR_BYTES),
        float_check=FloatCheck(
            check.integer("n_people"),
            check.integer("n_decided_differently"),
            check.text("largest_difference", maximum=40),
        ),
    )
    check.end()
    fields.end()
    return trained
