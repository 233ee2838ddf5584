"""Training a model on a closed cohort: it is opened to the modeler's party alone, and kept there.

The party also seals it to the key that the job names, of the modeler's member who asked.

The modeler's party stores the model, then says so; only then does the regulator's report the end.
So an end on record at the regulator means that the model is kept. The modeler's word alone is
enough for the regulator to record an end that it missed: it learns nothing from a run anyway.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace

from mpc_engine.control.canonical import JsonObject
from mpc_engine.control.questions import (
    QuestionEntry,
    QuestionKind,
    QuestionOutcome,
    millibits,
    rule_digest,
)
from mpc_engine.control.training_terms import TrainingTerms, check_training, training_bits
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import CheckFailedError, UsageError
from mpc_engine.party.jobs.cohort import load_cohort, require_cohort
from mpc_engine.party.jobs.model_delivery import add_sealed_model, compare_with_floats
from mpc_engine.party.jobs.protocol_terms import training_spec
from mpc_engine.party.jobs.tags import PartyTag
from mpc_engine.party.jobs.training_data import TrainingData, trained_model, training_data
from mpc_engine.party.jobs.work import Conclude, Costs, JobRun, JobWork
from mpc_engine.party.ledger.asking import Asking
from mpc_engine.party.services.models import require_free_model_id, store_model
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.wire.codec import ByteReader, u32

_CONSTRAINTS = "constraints"
_MAX_BOUND = 1 << 31

Tell = Callable[[str, int, int], None]


class TrainingWork(JobWork):
    """The work of one party in a training run."""

    def __init__(self, run: JobRun) -> None:
        super().__init__(run)
        if self.spec.training is None:
            raise UsageError("The job has no settings to train with.", code="JOB_INVALID")
        self._terms: TrainingTerms = self.spec.training
        self._records: HeldRecords | None = None
        self._asking: Asking | None = None
        self._data: TrainingData | None = None

    def prepare(self) -> None:
        """Load the closed cohort and, at the modeler, standardise its data; ask the ledger.

        UsageError: ``TRAINING_NEEDS_MODELER_DATA``, ``TRAINING_BOUND_COUNT``, ``STUDY_NOT_CLOSED``,
        ``RECORD_SET_DIFFERENT``, ``TRAINING_TOO_FEW_PEOPLE``, ``RECORDS_WITHOUT_DATA``,
        ``LABEL_UNKNOWN``, ``TRAINING_RANGE``, ``MODEL_ID_TAKEN``, ``COHORT_TOO_SIMILAR``,
        ``QUESTION_BITS_SPENT``.
        """
        check_training(self.configuration, self._terms)
        require_cohort(self.run)
        if self.run.study.n_records < self.configuration.policy.minimum_answers:
            raise UsageError(
                "The cohort has fewer people than the study's rule needs answers.",
                code="TRAINING_TOO_FEW_PEOPLE",
            )
        self._records = load_cohort(self.run)
        if self.party.role is Role.MODELER:
            require_free_model_id(self.party, self.spec.model_id, self._origin)
            self._data = training_data(self.configuration, self._records)
            self._spec_for(self._data.bounds)
        self._asking = self._question(self._records)
        self._asking.check()

    def perform(self, ctx: JobContext, peer_holds: bytes, conclude: Conclude) -> None:
        """Report the end on record, or charge the question and train."""
        if self._records is None or self._asking is None:
            raise UsageError("The cohort was not loaded.", code="STUDY_NOT_CLOSED")
        is_modeler = self.party.role is Role.MODELER
        recorded = self._asking.begin(ctx.channel, None if is_modeler else self._take_over)
        if recorded is not None:
            conclude(lambda _: recorded, Costs())
            return
        told = replace(ctx, progress=self._progress_by_epoch(ctx.progress))
        if self._data is not None:
            self._train_as_modeler(told, self._records, self._data, self._asking, conclude)
        else:
            self._train_as_regulator(told, self._records, self._asking, conclude)

    def _train_as_modeler(
        self,
        ctx: JobContext,
        records: HeldRecords,
        data: TrainingData,
        asking: Asking,
        conclude: Conclude,
    ) -> None:
        x_bound, row_bound = data.bounds
        ctx.channel.send(PartyTag.TRAINING_BOUNDS, u32(x_bound) + u32(row_bound))
        spec = self._spec_for(data.bounds)
        theta = self.run.table.train_as_modeler(ctx, spec, records, data.rows, data.labels)
        model = trained_model(
            self.configuration, data.standardisation, theta, spec.output_frac_bits
        )
        check = compare_with_floats(self.configuration, data, theta, spec.output_frac_bits, model)

        def keep(connection: sqlite3.Connection) -> JsonObject:
            store_model(
                self.party,
                connection,
                self.spec.study_id,
                self.spec.model_id,
                self._origin,
                model.theta,
            )
            add_sealed_model(
                self.party,
                connection,
                self.spec,
                self.configuration,
                self._terms,
                model.theta,
                check,
            )
            return self._record(connection, asking)

        conclude(keep, Costs())
        ctx.channel.send(PartyTag.MODEL_STORED, b"")

    def _train_as_regulator(
        self, ctx: JobContext, records: HeldRecords, asking: Asking, conclude: Conclude
    ) -> None:
        reader = ByteReader(
            ctx.channel.recv(PartyTag.TRAINING_BOUNDS, size=8), "bounds of the data"
        )
        bounds = reader.u32(), reader.u32()
        if not all(1 <= bound <= _MAX_BOUND for bound in bounds):
            raise reader.error("are out of range")
        self.run.table.train_as_regulator(ctx, self._spec_for(bounds), records)
        ctx.channel.recv(PartyTag.MODEL_STORED, size=0)
        conclude(lambda connection: self._record(connection, asking), Costs())

    @property
    def _origin(self) -> bytes:
        return sha256(self.spec.text.encode("utf-8"))

    @property
    def _answer(self) -> JsonObject:
        return {"model_id": self.spec.model_id.hex(), "steps": self._terms.steps}

    def _spec_for(self, bounds: tuple[int, int]) -> TrainingSpec:
        return training_spec(self.configuration, self._terms, self.run.study.n_records, bounds)

    def _question(self, records: HeldRecords) -> Asking:
        configuration = self.configuration
        question = QuestionEntry(
            study_id=configuration.study_id,
            kind=QuestionKind.TRAINING,
            job_id=self.spec.job_id,
            attempt=self.run.order.attempt,
            cohort=self.spec.record_set,
            n_people=len(records),
            rule=rule_digest(self._terms.to_json()),
            model_id=self.spec.model_id,
            millibits=millibits(training_bits(configuration, self._terms)),
        )
        return Asking(
            self.party,
            configuration,
            question,
            records.record_ids,
            is_proved=lambda _: self.party.role is Role.MODELER,
        )

    def _take_over(
        self, answer: JsonObject
    ) -> tuple[QuestionOutcome, Callable[[sqlite3.Connection], None]]:
        if answer != self._answer:
            raise CheckFailedError(
                "The modeler's party recorded the end of another run.", code="ANSWERS_DIFFERENT"
            )
        return QuestionOutcome.MODEL_OPENED, lambda connection: None

    def _record(self, connection: sqlite3.Connection, asking: Asking) -> JsonObject:
        asking.answer(connection, QuestionOutcome.MODEL_OPENED, self._answer)
        return self._answer

    def _progress_by_epoch(self, tell: Tell) -> Tell:
        """Return what tells steps, under the epoch that they are in, whatever part of a step it is.

        Blocks of steps take turns with their material, many times a second.
        """
        n_rows = self.run.study.n_records
        n_epochs = -(-self._terms.steps * self._terms.batch_size // n_rows)

        def told(stage: str, done: int, total: int) -> None:
            if stage != _CONSTRAINTS:
                epoch = min(done * self._terms.batch_size // n_rows + 1, n_epochs)
                stage = f"epoch {epoch} of {n_epochs}"
            tell(stage, done, total)

        return told
