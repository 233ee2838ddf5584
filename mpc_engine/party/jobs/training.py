"""Training on a closed cohort: models are opened to the modeler's party alone, and kept there.

Each point of a sweep is a question of its own: charged when the one before is answered, answered
when its model is stored. What an aborted attempt opened stays; the next one trains the rest.

The modeler's party stores a point's model, then says so; only then does the regulator's record the
answer. So an answer on record at the regulator means that the model is kept. The modeler's word
alone is enough for the regulator to record an answer that it missed: it gets no output anyway.

A point that broke goes on from the newest checkpoint that both parties hold, or else starts anew.
Every model is also sealed to the key that the job names, of the modeler's member who asked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mpc_engine.control.policies.questions import QuestionEntry, millibits, rule_digest
from mpc_engine.control.post.exchanges.about_models import ModelTrained
from mpc_engine.control.studies.training_terms import TrainingTerms, check_training, training_bits
from mpc_engine.control.texts.canonical import JsonObject, JsonValue
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import CheckFailedError, UsageError
from mpc_engine.party.jobs.attempts import note_complete, require_running
from mpc_engine.party.jobs.cohort import load_cohort, require_cohort
from mpc_engine.party.jobs.model_delivery import add_sealed_model, compare_with_floats
from mpc_engine.party.jobs.told import tell_of_job
from mpc_engine.party.jobs.training_data import (
    TrainingData,
    n_right,
    trained_model,
    training_data,
)
from mpc_engine.party.jobs.work import Conclude, Costs, JobRun, JobWork
from mpc_engine.party.ledger.asking import Asking, TakeOver, prepare_questions
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.services.models import require_free_model_id, store_model
from mpc_engine.party.studies.checkpoints import (
    Checkpoints,
    RunningTraining,
    forget_checkpoints,
    is_paid,
)
from mpc_engine.party.studies.protocol_terms import training_point_spec
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.training.plaintext import check_rows
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.transport.channel import Channel
from mpc_engine.vocabulary.runs import Epoch, QuestionKind, QuestionOutcome, Stage
from mpc_engine.wire.codec import ByteReader, u32

_MAX_BOUND = 1 << 31

Tell = Callable[[str, int, int], None]


class TrainingWork(JobWork):
    """The work of one party in a training run."""

    n_lines = 2

    def __init__(self, run: JobRun) -> None:
        super().__init__(run)
        if self.spec.training is None:
            raise UsageError("The job has no settings to train with.", code="JOB_INVALID")
        self._terms: TrainingTerms = self.spec.training
        self._records: HeldRecords | None = None
        self._data: TrainingData | None = None
        self._askings: list[Asking] = []
        self._point = 0

    def prepare(self) -> None:
        """Load the closed cohort and, at the modeler, standardise its data; ask the ledger.

        UsageError: ``TRAINING_NEEDS_MODELER_DATA``, ``TRAINING_BOUND_COUNT``, ``STUDY_NOT_CLOSED``,
        ``RECORD_SET_DIFFERENT``, ``SIGNING_KEY_OTHER``, ``TRAINING_TOO_FEW_PEOPLE``,
        ``TRAINING_TOO_FEW_OUTCOMES``,
        ``RECORDS_WITHOUT_DATA``, ``LABEL_UNKNOWN``, ``TRAINING_RANGE``, ``MODEL_ID_TAKEN``,
        ``COHORT_TOO_SIMILAR``, ``QUESTION_BITS_SPENT`` or ``PARTY_BITS_SPENT`` if not all points
        may be asked that have no answer yet.
        """
        check_training(self.configuration, self._terms)
        require_cohort(self.run)
        self.require_signing_key()
        if self.run.study.n_records < self.configuration.policy.minimum_answers:
            raise UsageError(
                "The cohort has fewer people than the study's rule needs answers.",
                code="TRAINING_TOO_FEW_PEOPLE",
            )
        self._records = load_cohort(self.run)
        if self.party.role is Role.MODELER:
            for model_id in self.spec.model_ids:
                require_free_model_id(self.party, model_id, self._origin)
            self._data = training_data(self.configuration, self._records)
            for number in range(len(self._terms.points)):
                check_rows(
                    self._spec_for(number, self._data.bounds), self._data.rows, self._data.labels
                )
        numbers = range(len(self._terms.points))
        self._askings = [self._question(number, self._records) for number in numbers]
        prepare_questions(self.party, self._askings)

    def perform(self, ctx: JobContext, peer_holds: bytes, conclude: Conclude) -> None:
        """Train the points that have no answer on record; each is charged before it begins."""
        if self._records is None:
            raise UsageError("The cohort was not loaded.", code="STUDY_NOT_CLOSED")
        if self._data is not None:
            self._train_as_modeler(ctx, self._records, self._data)
        else:
            self._train_as_regulator(ctx, self._records)
        conclude(self._end, Costs())

    def _train_as_modeler(self, ctx: JobContext, records: HeldRecords, data: TrainingData) -> None:
        x_bound, row_bound = data.bounds
        bounds = u32(x_bound) + u32(row_bound)

        def points() -> Iterator[TrainingSpec]:
            for n_asked, _ in enumerate(self._asked_points(ctx.channel, None)):
                if not n_asked:
                    ctx.channel.send(PartyTag.TRAINING_BOUNDS, bounds)
                yield self._spec_for(self._point, data.bounds)

        told = replace(ctx, progress=self._progress_by_epoch(ctx.progress))
        checkpoints = self._checkpoints(ctx, data.digest).over(ctx.channel)
        run = self.run.table.train_as_modeler(
            told, points(), records, data.rows, data.labels, checkpoints
        )
        for theta in run:
            self._keep(theta, records, data)
            ctx.channel.send(PartyTag.MODEL_STORED, b"")

    def _train_as_regulator(self, ctx: JobContext, records: HeldRecords) -> None:
        def points() -> Iterator[TrainingSpec]:
            bounds: tuple[int, int] | None = None
            for _ in self._asked_points(ctx.channel, self._take_over):
                bounds = bounds or _receive_bounds(ctx.channel)
                yield self._spec_for(self._point, bounds)

        told = replace(ctx, progress=self._progress_by_epoch(ctx.progress))
        checkpoints = self._checkpoints(ctx, b"").over(ctx.channel)
        for _ in self.run.table.train_as_regulator(told, points(), records, checkpoints):
            ctx.channel.recv(PartyTag.MODEL_STORED, size=0)
            with self._answering() as connection:
                self._answer_point(connection)

    def _asked_points(self, channel: Channel, take_over: TakeOver | None) -> Iterator[int]:
        """Go to every point that has no answer on record, once it is charged; yield its number."""
        for number, asking in enumerate(self._askings):
            self._point = number
            if asking.begin(channel, take_over) is None:
                yield number

    def _keep(self, theta: NDArray[np.int64], records: HeldRecords, data: TrainingData) -> None:
        """Store a point's model with its answer, and tell the site that it is there."""
        frac_bits = self._terms.output_frac_bits
        model = trained_model(self.configuration, data.standardisation, theta, frac_bits)
        right = n_right(self.configuration, records, model.theta)
        check = compare_with_floats(self.configuration, data, theta, frac_bits, model)
        model_id = self._model_id
        with self._answering() as connection:
            store_model(
                self.party, connection, self.spec.study_id, model_id, self._origin, model.theta
            )
            self._answer_point(connection)
            add_sealed_model(
                self.party,
                connection,
                self.spec,
                self.configuration,
                self._point,
                model.theta,
                check,
            )
            tell_of_job(
                self.party,
                connection,
                self.spec.job_id,
                ModelTrained(
                    study_id=self.spec.study_id,
                    job_id=self.spec.job_id,
                    model_id=model_id,
                    right_per_mille=1000 * right // len(records),
                    n_rows=len(records),
                ),
            )
        self.party.outbox.flush()

    @contextmanager
    def _answering(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction for a point's answer, unless the attempt was ended meanwhile."""
        with self.party.database.transaction() as connection:
            self._require_running(connection)
            yield connection

    def _require_running(self, connection: sqlite3.Connection) -> None:
        require_running(connection, self.spec.job_id, self.run.order.attempt)

    def _answer_point(self, connection: sqlite3.Connection) -> None:
        asking = self._askings[self._point]
        asking.answer(connection, QuestionOutcome.MODEL_OPENED, self._answer)
        forget_checkpoints(connection, self.spec.job_id)
        if self._point == len(self._askings) - 1:
            note_complete(connection, self.spec.job_id)

    def _checkpoints(self, ctx: JobContext, own_data: bytes) -> Checkpoints:
        running = RunningTraining(
            self.spec.study_id,
            self.spec.job_id,
            self.run.order.attempt,
            ctx.job_digest,
            own_data,
        )
        return Checkpoints(self.party, running, lambda: self._model_id, self._require_running)

    @property
    def _model_id(self) -> bytes:
        return self.spec.model_ids[self._point]

    @property
    def _origin(self) -> bytes:
        return sha256(self.spec.text.encode("utf-8"))

    @property
    def _answer(self) -> JsonObject:
        """Return what is on record for the point at work."""
        return {"model_id": self._model_id.hex(), "steps": self._terms.steps}

    @property
    def _outcome(self) -> JsonObject:
        ids: list[JsonValue] = [model_id.hex() for model_id in self.spec.model_ids]
        return {"model_ids": ids, "steps": self._terms.steps}

    def _end(self, connection: sqlite3.Connection) -> JsonObject:
        forget_checkpoints(connection, self.spec.job_id)
        return self._outcome

    def _spec_for(self, number: int, bounds: tuple[int, int]) -> TrainingSpec:
        terms, n_records = self._terms.at(number), self.run.study.n_records
        return training_point_spec(self.configuration, terms, n_records, bounds)

    def _question(self, number: int, records: HeldRecords) -> Asking:
        configuration, terms = self.configuration, self._terms.at(number)
        question = QuestionEntry(
            study_id=configuration.study_id,
            kind=QuestionKind.TRAINING,
            job_id=self.spec.job_id,
            attempt=self.run.order.attempt,
            cohort=self.spec.record_set,
            n_people=len(records),
            rule=rule_digest(terms.to_json()),
            model_id=self.spec.model_ids[number],
            millibits=millibits(training_bits(configuration, terms)),
        )
        return Asking(
            self.party,
            configuration,
            question,
            records.record_ids,
            is_proved=lambda _: self.party.role is Role.MODELER,
            is_paid=is_paid,
        )

    def _take_over(
        self, answer: JsonObject
    ) -> tuple[QuestionOutcome, Callable[[sqlite3.Connection], None]]:
        if answer != self._answer:
            raise CheckFailedError(
                "The modeler's party recorded the end of another run.", code="ANSWERS_DIFFERENT"
            )
        return QuestionOutcome.MODEL_OPENED, lambda connection: None

    def _progress_by_epoch(self, tell: Tell) -> Tell:
        """Return what tells steps of all points, under the point and epoch that they are in.

        Blocks of steps take turns with their material, many times a second.
        """
        n_rows, n_points = self.run.study.n_records, len(self._terms.points)
        n_epochs = -(-self._terms.steps * self._terms.batch_size // n_rows)

        def told(stage: str, done: int, total: int) -> None:
            if stage == Stage.CONSTRAINTS:
                tell(stage, done, total)
                return
            epoch = min(done * self._terms.batch_size // n_rows + 1, n_epochs)
            where = Epoch(epoch, n_epochs, self._point + 1, n_points)
            tell(str(where), self._point * total + done, n_points * total)

        return told


def _receive_bounds(channel: Channel) -> tuple[int, int]:
    reader = ByteReader(channel.recv(PartyTag.TRAINING_BOUNDS, size=8), "bounds of the data")
    bounds = reader.u32(), reader.u32()
    if not all(1 <= bound <= _MAX_BOUND for bound in bounds):
        raise reader.error("are out of range")
    return bounds
