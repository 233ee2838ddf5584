"""What the result of a job tells: its outcome, one form for each kind of job, and its costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mpc_engine.control.files.certificate import (
    MAX_CERTIFICATE_BYTES,
    MAX_THRESHOLD_ROWS,
    read_group_reports,
    read_threshold,
)
from mpc_engine.control.post.exchanges.cohorts import Cohort
from mpc_engine.control.post.jobs import MAX_CHALLENGES
from mpc_engine.control.post.run_stages import MAX_STAGES, StageCost, read_stage_costs
from mpc_engine.control.studies.training_terms import MAX_POINTS
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import Fields, parse_hex
from mpc_engine.vocabulary.runs import JobKind
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict, VerificationResult

METRICS = ("elapsed_ms", "bytes_sent", "bytes_received", "rounds", "and_gates", "ots")


@dataclass(frozen=True, kw_only=True)
class JobMetrics:
    """What an attempt cost a party; ``stages``: each stage's share, None where it tells none."""

    elapsed_ms: int
    bytes_sent: int
    bytes_received: int
    rounds: int
    and_gates: int
    ots: int
    stages: tuple[StageCost, ...] | None

    def to_json(self) -> JsonObject:
        """Return the metrics as a message carries them."""
        metrics: JsonObject = {name: getattr(self, name) for name in METRICS}
        if self.stages is not None:
            metrics["stages"] = [cost.to_json() for cost in self.stages]
        return metrics


def read_metrics(fields: Fields) -> JobMetrics:
    """Return the metrics of a result from their fields; UsageError names what is wrong."""
    values = {name: fields.integer(name) for name in METRICS}
    stages = None
    if fields.has("stages"):
        stages = read_stage_costs(fields.objects("stages", 0, MAX_STAGES))
    fields.end()
    return JobMetrics(**values, stages=stages)


def read_outcome(kind: JobKind, fields: Fields) -> None:
    """Check the outcome of a kind of job; UsageError names what is wrong."""
    _OUTCOMES[kind](fields)
    fields.end()


def _closing_outcome(fields: Fields) -> None:
    Cohort.read(fields)


def _certification_outcome(fields: Fields) -> None:
    verdict = fields.choice("verdict", tuple(Verdict))
    fields.choice("reason", tuple(NoVerdict) if verdict == Verdict.UNDETERMINED else ("",))
    fields.hex("model_id", 16)
    for row in fields.objects("thresholds", 1, MAX_THRESHOLD_ROWS):
        read_threshold(row)
    read_group_reports(fields)
    if verdict == Verdict.PASS:
        fields.raw_text("certificate", maximum=MAX_CERTIFICATE_BYTES)
        fields.hex("modeler_signature", 64)
        fields.hex("regulator_signature", 64)


def _training_outcome(fields: Fields) -> None:
    for model_id in fields.items("model_ids", 1, MAX_POINTS):
        parse_hex(model_id, 16, "message.outcome.model_ids", code=fields.code)
    fields.integer("steps", 1)


def _verification_outcome(fields: Fields) -> None:
    fields.hex("certificate_id", 16)
    if fields.has("batch_size"):
        fields.integer("batch_size", 1)
        return
    for row in fields.objects("challenges", 1, MAX_CHALLENGES):
        row.hex("challenge_id", 16)
        row.choice("outcome", tuple(VerificationResult))
        row.end()


_OUTCOMES: dict[JobKind, Callable[[Fields], None]] = {
    JobKind.CLOSING: _closing_outcome,
    JobKind.CERTIFICATION: _certification_outcome,
    JobKind.TRAINING: _training_outcome,
    JobKind.VERIFICATION: _verification_outcome,
}
