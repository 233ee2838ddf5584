"""What each stage of a run cost a party: seconds and bytes, and nothing of anybody's data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError

CODE = "MESSAGE_INVALID"
MAX_STAGES, MAX_NAME = 32, 40
"""So many stages a report may name, each in so many characters."""


@dataclass(frozen=True)
class StageCost:
    """Milliseconds of one stage, and the bytes that passed meanwhile on all lines of the job.

    Material that is made beside the steps of a training counts under the stage it was beside.
    """

    stage: str
    elapsed_ms: int
    bytes_sent: int
    bytes_received: int

    def to_json(self) -> JsonObject:
        """Return the cost as reports carry it."""
        return {
            "stage": self.stage,
            "elapsed_ms": self.elapsed_ms,
            "bytes_sent": self.bytes_sent,
            "bytes_received": self.bytes_received,
        }


def read_stage_costs(rows: Sequence[Fields]) -> tuple[StageCost, ...]:
    """Return what a report says of each stage; UsageError (``MESSAGE_INVALID``) names the fault."""
    found = tuple(_read(row) for row in rows)
    if len({cost.stage for cost in found}) != len(found):
        raise UsageError("A report names a stage twice.", code=CODE)
    return found


def _read(row: Fields) -> StageCost:
    cost = StageCost(
        stage=row.text("stage", maximum=MAX_NAME),
        elapsed_ms=row.integer("elapsed_ms"),
        bytes_sent=row.integer("bytes_sent"),
        bytes_received=row.integer("bytes_received"),
    )
    row.end()
    return cost
