"""Answering challenges: the regulator asks about cases, the modeler answers as it decides."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from mpc_engine.control.files.certificate import Certificate
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import (
    EngineError,
    UsageError,
)
from mpc_engine.party.jobs.ends import Ends
from mpc_engine.party.jobs.work import Conclude, Costs, JobRun, JobWork
from mpc_engine.party.services.certificates import certificate_nonce, get_certificate
from mpc_engine.party.services.challenges import NOT_ANSWERED, Case, open_cases, record_outcomes
from mpc_engine.party.services.decisions import n_decision_records
from mpc_engine.party.services.models import model_in_use, model_theta
from mpc_engine.party.stock.item_choice import take_as_modeler, take_as_regulator
from mpc_engine.party.stock.store import binding, forget_spent
from mpc_engine.party.studies.protocol_terms import verification_spec
from mpc_engine.protocols.keeping import EndTerms
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.verification import protocol as verification
from mpc_engine.protocols.verification.preparation import (
    decode_evaluator_item,
    decode_garbler_item,
)
from mpc_engine.roles import Role
from mpc_engine.vocabulary.verdicts import VerificationResult


def verification_work(run: JobRun) -> JobWork:
    """Return the work of this party in a verification."""
    return AnsweringWork(run) if run.party.role is Role.MODELER else AskingWork(run)


def _loaded(certificate: Certificate | None) -> Certificate:
    """Return the certificate that ``prepare`` loaded; UsageError before that."""
    if certificate is None:
        raise UsageError("The certificate was not loaded.", code="CERTIFICATE_UNKNOWN")
    return certificate


class _BatchWork(JobWork):
    """What both parties do with the end of a batch of challenges.

    A batch is the same in whichever order a job names it; it is asked in the order of ids.
    """

    def __init__(self, run: JobRun) -> None:
        super().__init__(run)
        self._challenges = sorted(self.spec.challenges)
        self._ends = Ends(
            run, self.spec.certificate_id, *self._challenges, about=b"".join(self._challenges)
        )

    @property
    def holds(self) -> bytes:
        """Return the run of this batch whose end this party holds."""
        return self._ends.held_run

    def end_terms(self, job_digest: bytes) -> EndTerms:
        """Keep the end of this run as the one of this batch."""
        return self._ends.terms(job_digest)

    def afterwards(self) -> None:
        """Delete the side of prepared material that was used; leave no copy in the store's log."""
        forget_spent(self.party)
        self.party.database.forget_deleted()


class AnsweringWork(_BatchWork):
    """The modeler's party: it learns how many cases there are, and nothing about them."""

    def __init__(self, run: JobRun) -> None:
        super().__init__(run)
        self._certificate: Certificate | None = None
        self._theta: list[int] = []
        self._nonce = b""

    def prepare(self) -> None:
        """Load the model in use and the certified nonce, and look whether the batch may be charged.

        UsageError: ``CERTIFICATE_UNKNOWN``, ``MODEL_UNKNOWN``, ``CHALLENGE_LIMIT``,
        ``CHALLENGE_ANSWERED``.
        """
        self._ends.require_open()
        is_charged = bool(self.holds)
        with self.party.database.transaction() as connection:
            certificate = get_certificate(connection, self.spec.study_id, self.spec.certificate_id)
            self._certificate = certificate
            self._nonce = certificate_nonce(self.party, connection, certificate)
            model_id = model_in_use(connection, self.spec.study_id, certificate.model_id)
            self._theta = model_theta(self.party, connection, self.spec.study_id, model_id)
            if not is_charged:
                self._check_limit(connection)

    def perform(self, ctx: JobContext, peer_holds: bytes, conclude: Conclude) -> None:
        """Charge the batch, then answer it; a batch counts even if its answer gets lost.

        An end that both parties hold is delivered again, uncharged, with the same bytes.
        """
        kept = self._ends.to_deliver(peer_holds)
        if kept is not None:
            terms = replace(ctx, end=self._ends.terms(kept.run))
            verification.deliver_verification_as_modeler(terms, kept.content, kept.answer)
            conclude(lambda _: self._outcome(), Costs())
            return
        with self.party.database.transaction() as connection:
            self._check_limit(connection)
            connection.execute(
                "INSERT INTO answered_batches (job_id, attempt, certificate_id, n)"
                " VALUES (?, ?, ?, ?)",
                (
                    self.spec.job_id,
                    self.run.order.attempt,
                    self.spec.certificate_id,
                    len(self.spec.challenges),
                ),
            )
        spec = verification_spec(self.configuration)
        bound = binding(self.party, _loaded(self._certificate), spec)
        taken = take_as_modeler(self.party, ctx.channel, bound, ctx.job_digest)
        self.run.table.verify_as_modeler(
            ctx,
            spec,
            self._theta,
            self._nonce,
            len(self.spec.challenges),
            taken and decode_evaluator_item(spec, *taken),
        )
        conclude(lambda _: self._outcome(), Costs())

    def _outcome(self) -> JsonObject:
        return {
            "certificate_id": self.spec.certificate_id.hex(),
            "batch_size": len(self.spec.challenges),
        }

    def _check_limit(self, connection: sqlite3.Connection) -> None:
        """Free queries would let the regulator extract the model, so they are counted here."""
        (answered,) = connection.execute(
            "SELECT COALESCE(SUM(n), 0) FROM answered_batches WHERE certificate_id = ?",
            (self.spec.certificate_id,),
        ).fetchone()
        allowed = (
            n_decision_records(connection, self.spec.certificate_id)
            + self.configuration.typed_challenge_limit
        )
        if answered + len(self.spec.challenges) > allowed:
            raise UsageError(
                "More challenges than decision records and the study's limit allow.",
                code="CHALLENGE_LIMIT",
            )


class AskingWork(_BatchWork):
    """The regulator's party: it learns one outcome for each challenge."""

    def __init__(self, run: JobRun) -> None:
        super().__init__(run)
        self._certificate: Certificate | None = None
        self._cases: list[Case] = []

    def prepare(self) -> None:
        """Load the certificate and the challenged cases.

        UsageError: ``CERTIFICATE_UNKNOWN``, ``CHALLENGE_UNKNOWN``, ``CHALLENGE_ANSWERED``,
        ``END_UNDELIVERED``.
        """
        self._ends.require_open()
        with self.party.database.reading() as connection:
            self._certificate = get_certificate(
                connection, self.spec.study_id, self.spec.certificate_id
            )
            self._cases = open_cases(
                self.party,
                connection,
                self.spec.study_id,
                self.spec.certificate_id,
                self._challenges,
            )

    def perform(self, ctx: JobContext, peer_holds: bytes, conclude: Conclude) -> None:
        """Ask about all cases at once, or call for the answer again that was given before."""
        kept = self._ends.to_deliver(peer_holds)
        if kept is None:
            results = self._ask(ctx)
        else:
            results = verification.deliver_verification_as_regulator(ctx, kept.content)
        outcomes = {
            case.challenge_id: result.value
            for case, result in zip(self._cases, results, strict=True)
        }
        conclude(lambda connection: self._record(connection, outcomes), Costs())

    def _ask(self, ctx: JobContext) -> list[VerificationResult]:
        certificate = _loaded(self._certificate)
        spec = verification_spec(self.configuration)
        bound = binding(self.party, certificate, spec)
        taken = take_as_regulator(self.party, ctx.channel, bound, ctx.job_digest)
        return self.run.table.verify_as_regulator(
            ctx,
            spec,
            certificate.model_signature,
            [(case.x, case.decision) for case in self._cases],
            taken and decode_garbler_item(spec, *taken),
        )

    def give_up(self, connection: sqlite3.Connection, error: EngineError) -> JsonObject | None:
        """Count a batch as not answered if the modeler refused it, under its signature.

        Or answered, under it, with what the circuit cannot give. Nothing else says anything about
        the modeler, and the end stays: the line may have broken, a party may have lacked something
        or refused the attempt, and of a modeler that stopped only an audit tells whose fault it is.
        Another attempt may succeed until the cases' deadline.
        """
        if not self._ends.note_refused(connection, error):
            return None
        return self._told(connection, dict.fromkeys(self._challenges, NOT_ANSWERED))

    def _record(self, connection: sqlite3.Connection, outcomes: dict[bytes, str]) -> JsonObject:
        self._ends.note_answered(connection, is_settled=True)
        return self._told(connection, outcomes)

    def _told(self, connection: sqlite3.Connection, outcomes: dict[bytes, str]) -> JsonObject:
        record_outcomes(connection, outcomes)
        return {
            "certificate_id": self.spec.certificate_id.hex(),
            "challenges": [
                {"challenge_id": challenge_id.hex(), "outcome": outcomes[challenge_id]}
                for challenge_id in self.spec.challenges
            ],
        }
