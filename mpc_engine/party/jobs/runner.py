"""Running one attempt at a job from the order to the signed result, whatever happens."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable

from mpc_engine.control.post.exchanges.about_jobs import JobFailed, JobProgress, JobResult, RunJob
from mpc_engine.control.post.exchanges.job_results import JobMetrics
from mpc_engine.control.post.jobs import JobSpec, attempt_digest, parse_job, required_approvals
from mpc_engine.control.texts.approvals import require_approvals
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import BusyError, EngineError, PeerTimeoutError, UsageError
from mpc_engine.party.jobs.attempts import (
    OVERTAKEN,
    begin_attempt,
    end_attempt,
    interruption,
    put_off_attempt,
)
from mpc_engine.party.jobs.certification import CertificationWork
from mpc_engine.party.jobs.closing import ClosingWork
from mpc_engine.party.jobs.progress import ThrottledProgress
from mpc_engine.party.jobs.protocol_table import PRODUCTION, ProtocolTable
from mpc_engine.party.jobs.stage_meter import StageMeter
from mpc_engine.party.jobs.told import tell_again, tell_of_job
from mpc_engine.party.jobs.training import TrainingWork
from mpc_engine.party.jobs.verification import verification_work
from mpc_engine.party.jobs.work import Costs, JobRun, JobWork
from mpc_engine.party.jobs.worker_processes import WorkerProcesses
from mpc_engine.party.line.code_digest import code_digest
from mpc_engine.party.line.deadline_channel import DeadlineChannel
from mpc_engine.party.line.handshake import Agreement, own_hello, shake_hands
from mpc_engine.party.line.lines import open_lines, open_worker_lines
from mpc_engine.party.studies.known_study import Study, load_study
from mpc_engine.party.zone.faults import as_engine_error, refusal_values
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.session import JobContext, OfflineLine
from mpc_engine.transport.meter import ChannelMeter
from mpc_engine.vocabulary.runs import JobKind

_log = logging.getLogger(__name__)

_WORK: dict[JobKind, Callable[[JobRun], JobWork]] = {
    JobKind.CLOSING: ClosingWork,
    JobKind.CERTIFICATION: CertificationWork,
    JobKind.TRAINING: TrainingWork,
    JobKind.VERIFICATION: verification_work,
}


def run_job(party: Party, order: RunJob, table: ProtocolTable = PRODUCTION) -> bool:
    """Run one attempt and report its result or its failure as a signed message.

    Return False, with nothing done or said, if another job comes first: try again. An attempt that
    has ended is not run again: what was told of its job is told again.

    Raises EngineError only for an order that may not begin: specification, configuration,
    approvals, a repeated attempt. From then on everything ends in a message.
    """
    spec = parse_job(order.spec)
    if tell_again(party, spec.job_id, order.attempt):
        return True
    study = load_study(party, spec.study_id)
    _authorise(party, spec, order, study)
    deadline = begin_attempt(party, spec, order.attempt)
    work = _WORK[spec.kind](JobRun(party, spec, order, study, table))
    return _Attempt(party, spec, order, work, deadline).run()


def _authorise(party: Party, spec: JobSpec, order: RunJob, study: Study) -> None:
    if spec.configuration != study.configuration.digest:
        raise UsageError(
            "The job names another configuration of the study.", code="JOB_OTHER_CONFIGURATION"
        )
    if spec.time_limit_s > party.config.job_limit_s:
        raise UsageError(
            f"The job asks for more than {party.config.job_limit_s} s.", code="JOB_TIME_LIMIT_HIGH"
        )
    approvers = required_approvals(spec.kind)
    if approvers:
        require_approvals(
            spec.kind.value,
            order.spec,
            order.approvals,
            party.trusted_approvers(),
            approvers,
        )


class _Attempt:
    """One attempt that has begun."""

    def __init__(
        self, party: Party, spec: JobSpec, order: RunJob, work: JobWork, deadline: float
    ) -> None:
        self._party = party
        self._spec = spec
        self._order = order
        self._work = work
        self._deadline = deadline
        self._started = time.monotonic()
        self._meters: list[ChannelMeter] = []
        self._stages: StageMeter | None = None
        self._is_concluded = False

    def run(self) -> bool:
        """Run to the end and report it; False if it was put off."""
        try:
            self._meet_and_perform()
        except Exception as error:
            failure = as_engine_error(error)
            if isinstance(failure, BusyError) and time.monotonic() < self._deadline:
                ended = self._put_off(failure)
                if ended is None:
                    return False
                failure = ended
            # After the outcome is stored, only a last courtesy to the other party can fail; an
            # attempt that was ended meanwhile has been reported by whoever ended it.
            if not self._is_concluded and failure.code != OVERTAKEN:
                self._fail(failure)
        self._party.outbox.flush()
        if self._is_concluded or self._work.is_over:
            self._tidy_up()
        return True

    def _tidy_up(self) -> None:
        """Let the work tidy up; what fails there changes nothing about the reported outcome."""
        try:
            self._work.afterwards()
        except Exception as error:
            _log.warning("could not tidy up after a job: %s", as_engine_error(error).code)

    def _meet_and_perform(self) -> None:
        refusal: EngineError | None = None
        try:
            self._work.prepare()
        except Exception as error:
            refusal = as_engine_error(error)
        try:
            lines = self._open_lines(in_vain=refusal is not None)
            try:
                agreement = self._shake_hands(lines[0], refusal)
                if refusal is None:
                    self._perform(lines, agreement)
            finally:
                for line in lines:
                    line.close()
        except EngineError as error:
            raise refusal or error from None
        if refusal:
            raise refusal

    def _shake_hands(self, channel: DeadlineChannel, refusal: EngineError | None) -> Agreement:
        hello = own_hello(
            self._party.role,
            self._order.spec,
            self._order.attempt,
            code_digest(),
            refusal=refusal.code if refusal else "",
            holds=self._work.holds,
            now=self._party.now(),
            workers=self._party.config.certification_workers,
        )
        limit = self._work.clock_limit
        return shake_hands(channel, hello, self._party.rng, clock_limit=limit)

    def _perform(self, lines: list[DeadlineChannel], agreement: Agreement) -> None:
        self._started = time.monotonic()
        self._meters = [line.meter for line in lines]
        self._stages = StageMeter(self._meters, ThrottledProgress(self._tell_progress))
        ctx = JobContext(
            role=self._party.role,
            channel=lines[0],
            job_digest=agreement.job_digest,
            rng=self._party.rng,
            progress=self._stages,
            offline=OfflineLine(lines[1], self._party.offline_rng) if len(lines) > 1 else None,
            workers=WorkerProcesses(
                agreement.workers,
                lines[0],
                self._open_worker_lines,
                check=lines[0].check,
                before_fork=self._party.database.close,
            ),
            end=self._work.end_terms(agreement.job_digest),
        )
        self._work.perform(ctx, agreement.peer_holds, self._conclude)

    def _open_lines(self, *, in_vain: bool) -> list[DeadlineChannel]:
        """Meet the other party; ``in_vain`` only to tell it that this party refuses."""
        config = self._party.config
        limit = self._deadline - time.monotonic()
        if self._spec.kind is not JobKind.VERIFICATION or in_vain:
            limit = min(limit, config.connect_limit_s)
        channels = open_lines(
            self._party,
            self._party.peer(),
            attempt_digest(self._order.spec, self._order.attempt),
            self._work.n_lines,
            wait_s=max(0.001, limit),
            receive_limit_s=config.receive_limit_s,
        )
        looks = [self._interrupted, *[self._interrupted_beside] * (len(channels) - 1)]
        return [
            DeadlineChannel(channel, self._deadline, config.receive_limit_s, look)
            for channel, look in zip(channels, looks, strict=True)
        ]

    def _open_worker_lines(self, n_lines: int) -> list[DeadlineChannel]:
        """Open lines for workers; what is counted on them counts for the job."""
        config = self._party.config
        channels = open_worker_lines(
            self._party,
            self._party.peer(),
            attempt_digest(self._order.spec, self._order.attempt),
            n_lines,
            wait_s=max(0.001, self._deadline - time.monotonic()),
            receive_limit_s=config.receive_limit_s,
        )
        self._meters += [channel.meter for channel in channels]
        return [
            DeadlineChannel(channel, self._deadline, config.receive_limit_s, self._interrupted)
            for channel in channels
        ]

    def _interrupted(self) -> EngineError | None:
        with self._party.database.reading() as connection:
            return interruption(connection, self._spec.job_id, self._order.attempt)

    def _interrupted_beside(self) -> EngineError | None:
        """Ask from a thread that may end at any time, and leave no connection in it."""
        try:
            return self._interrupted()
        finally:
            self._party.database.close()

    def _conclude(self, store: Callable[[sqlite3.Connection], JsonObject], costs: Costs) -> None:
        """Store the outcome and its report; the attempt is done, whatever the line does now.

        Raises PeerTimeoutError (``JOB_TIME_LIMIT``) for an outcome that comes too late, from a
        process that was stopped meanwhile, and ResourceError (``ATTEMPT_OVERTAKEN``,
        ``CANCELLED``).
        """
        if time.monotonic() > self._deadline:
            raise PeerTimeoutError("The job's time limit has passed.", code="JOB_TIME_LIMIT")
        with self._party.database.transaction() as connection:
            outcome = store(connection)
            end_attempt(
                self._party, connection, self._spec.job_id, self._order.attempt, succeeded=True
            )
            self._report(connection, outcome, costs)
        self._is_concluded = True

    def _put_off(self, error: BusyError) -> EngineError | None:
        """Take the attempt back, to be tried again, or return what has ended it meanwhile."""
        job_id, attempt = self._spec.job_id, self._order.attempt
        with self._party.database.transaction() as connection:
            ended = interruption(connection, job_id, attempt)
            if ended is None:
                self._work.give_up(connection, error)
                put_off_attempt(connection, job_id, attempt)
        return ended

    def _fail(self, error: EngineError) -> None:
        with self._party.database.transaction() as connection:
            outcome = self._work.give_up(connection, error)
            end_attempt(
                self._party,
                connection,
                self._spec.job_id,
                self._order.attempt,
                succeeded=outcome is not None,
            )
            if outcome is not None:
                self._report(connection, outcome, Costs())
            else:
                failed = JobFailed(
                    job_id=self._spec.job_id,
                    attempt=self._order.attempt,
                    **refusal_values(self._work.reported(error)),
                )
                tell_of_job(self._party, connection, self._spec.job_id, failed)

    def _report(self, connection: sqlite3.Connection, outcome: JsonObject, costs: Costs) -> None:
        metrics = JobMetrics(
            elapsed_ms=int(1000 * (time.monotonic() - self._started)),
            bytes_sent=sum(meter.bytes_sent for meter in self._meters),
            bytes_received=sum(meter.bytes_received for meter in self._meters),
            rounds=sum(meter.rounds for meter in self._meters),
            and_gates=costs.and_gates,
            ots=costs.ots,
            stages=tuple(self._stages.costs()) if self._stages else (),
        )
        result = JobResult(
            job_id=self._spec.job_id,
            attempt=self._order.attempt,
            job_kind=self._spec.kind,
            outcome=outcome,
            metrics=metrics,
        )
        tell_of_job(self._party, connection, self._spec.job_id, result)

    def _tell_progress(self, stage: str, done: int, total: int) -> None:
        progress = JobProgress(
            job_id=self._spec.job_id,
            attempt=self._order.attempt,
            stage=stage,
            done=done,
            total=total,
        )
        self._party.outbox.mention(progress)
