"""The text by which a modeler hands trained models over to the study that certifies them.

The models never leave the modeler's party: it copies them from one study into the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mpc_engine.control.studies.training_terms import MAX_POINTS
from mpc_engine.control.texts.canonical import canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError

FORMAT = "bj1 takeover"
CODE = "TAKEOVER_INVALID"
MAX_TAKEOVER_BYTES = 1 << 13


@dataclass(frozen=True)
class Takeover:
    """Models that a study takes over: by their new ids, the ids under which they were trained."""

    study_id: bytes
    configuration: bytes
    trained_as: Mapping[bytes, bytes]


def takeover_text(takeover: Takeover) -> str:
    """Return the text that the modeler's approver signs."""
    return canonical_text(
        {
            "format": FORMAT,
            "study_id": takeover.study_id.hex(),
            "configuration": takeover.configuration.hex(),
            "models": [
                {"model_id": model_id.hex(), "trained_as": trained_as.hex()}
                for model_id, trained_as in takeover.trained_as.items()
            ],
        }
    )


def parse_takeover(text: str) -> Takeover:
    """Return what a text hands over; UsageError (``TAKEOVER_INVALID``) names the fault."""
    fields = Fields(parse_canonical(text, limit=MAX_TAKEOVER_BYTES), "takeover", code=CODE)
    fields.choice("format", (FORMAT,))
    study_id, configuration = fields.hex("study_id", 16), fields.hex("configuration", 32)
    rows = fields.objects("models", 1, MAX_POINTS)
    trained_as = {}
    for row in rows:
        trained_as[row.hex("model_id", 16)] = row.hex("trained_as", 16)
        row.end()
    fields.end()
    if len({*trained_as, *trained_as.values()}) < 2 * len(rows):
        raise UsageError("takeover.models names a model twice.", code=CODE)
    return Takeover(study_id, configuration, trained_as)
