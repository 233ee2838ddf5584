"""Certifying a model on a closed cohort, and the certificate both sign when it passes."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import timedelta

from mpc_engine.control.files.certificate import Certificate, certificate_text
from mpc_engine.control.policies.questions import rule_digest
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import CheckFailedError, EngineError, UsageError
from mpc_engine.party.jobs.attempts import note_complete, require_running
from mpc_engine.party.jobs.certificate_exchange import (
    CLOCK_LIMIT,
    check_certificate_fields,
    check_validity,
    countersign_certificate,
    offer_certificate,
)
from mpc_engine.party.jobs.certification_question import certification_asking, check_answer
from mpc_engine.party.jobs.cohort import ClosedCohort, require_cohort
from mpc_engine.party.jobs.ends import Ends, KeptEnd
from mpc_engine.party.jobs.work import Conclude, Costs, JobRun, JobWork
from mpc_engine.party.ledger.asking import Asking, prepare_questions
from mpc_engine.party.line.code_digest import code_digest
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.services.certificates import SignedCertificate, store_certificate
from mpc_engine.party.services.models import model_theta
from mpc_engine.party.studies.protocol_terms import (
    certification_spec,
    group_reports,
    reason_code,
    security_models,
    threshold_verdicts,
)
from mpc_engine.protocols.certification.ending import (
    deliver_certification_as_modeler,
    deliver_certification_as_regulator,
    kept_nonce,
)
from mpc_engine.protocols.certification.spec import CertificationOutcome
from mpc_engine.protocols.keeping import EndTerms
from mpc_engine.protocols.model_encoding import NONCE_BYTES, model_signature
from mpc_engine.protocols.session import JobContext
from mpc_engine.roles import Role
from mpc_engine.sharing.records import RecordSource
from mpc_engine.vocabulary.runs import QuestionOutcome
from mpc_engine.vocabulary.verdicts import Verdict

_ID_BYTES = 16


class CertificationWork(JobWork):
    """The work of one party in a certification.

    Whatever can be known before the parties meet is checked in ``prepare``, and their clocks when
    they meet: a certification that could not end in a certificate is not charged.
    """

    clock_limit = CLOCK_LIMIT

    def __init__(self, run: JobRun) -> None:
        super().__init__(run)
        self._records: ClosedCohort | None = None
        self._asking: Asking | None = None
        self._theta: list[int] = []
        self._ends = Ends(
            run,
            self.spec.record_set,
            rule_digest(self.configuration.policy.to_json()),
            self.spec.model_id,
            about=self.spec.record_set,
        )

    @property
    def holds(self) -> bytes:
        """Return the run of this question whose end this party holds."""
        return self._ends.held_run

    def end_terms(self, job_digest: bytes) -> EndTerms:
        """Keep the end of this run as the one of this question."""
        return self._ends.terms(job_digest)

    def prepare(self) -> None:
        """Find the closed cohort and, at the modeler, the model; ask the ledger whether to ask.

        Checked too: that the key in use is the one the study names.

        UsageError: ``CERTIFICATION_NEEDS_REGULATOR_DATA``, ``STUDY_NOT_CLOSED``,
        ``RECORD_SET_DIFFERENT``, ``SIGNING_KEY_OTHER``, ``MODEL_UNKNOWN``,
        ``RECORDS_WITHOUT_DATA``, ``COHORT_TOO_SIMILAR``, ``QUESTIONS_SPENT``,
        ``QUESTION_BITS_SPENT``,
        ``PARTY_BITS_SPENT``. CheckFailedError ``REFUSED``.
        """
        self._ends.require_open()
        if self.configuration.data_holder is not Role.REGULATOR:
            raise UsageError(
                "A model is certified where the regulator holds the data; in this study it is the "
                "modeler, so that a model can be trained on them.",
                code="CERTIFICATION_NEEDS_REGULATOR_DATA",
            )
        require_cohort(self.run)
        self.require_signing_key()
        if self.party.role is Role.MODELER:
            with self.party.database.reading() as connection:
                self._theta = model_theta(
                    self.party, connection, self.spec.study_id, self.spec.model_id
                )
        self._records = ClosedCohort(self.run)
        is_kept = bool(self.holds)
        self._asking = certification_asking(
            self.run, self._records.record_ids(), is_paid=lambda *_: is_kept
        )
        prepare_questions(self.party, [self._asking])

    def perform(self, ctx: JobContext, peer_holds: bytes, conclude: Conclude) -> None:
        """Answer from the record, deliver an end again, or charge the question and run.

        On PASS make the certificate.
        """
        if self._records is None or self._asking is None:
            raise UsageError("The cohort was not loaded.", code="STUDY_NOT_CLOSED")
        recorded = self._asking.begin(
            ctx.channel,
            lambda answer: check_answer(self.run, answer),
            lambda: self._ends.to_deliver(peer_holds) is None,
        )
        if recorded is not None:
            conclude(lambda connection: self._recorded(connection, recorded), Costs())
            return
        kept = self._ends.to_deliver(peer_holds)
        if self.party.role is Role.MODELER:
            self._perform_as_modeler(ctx, self._records, self._asking, conclude, kept)
        else:
            self._perform_as_regulator(ctx, self._records, self._asking, conclude, kept)

    def give_up(self, connection: sqlite3.Connection, error: EngineError) -> JsonObject | None:
        """Note a refusal, which is final: the question counts like one that failed."""
        if self._asking is not None and self._ends.note_refused(connection, error):
            self._asking.refused(connection)
        return None

    def afterwards(self) -> None:
        """Leave no copy of what was overwritten in the store's log."""
        self.party.database.forget_deleted()

    def _recorded(self, connection: sqlite3.Connection, answer: JsonObject) -> JsonObject:
        self._ends.note_answered(connection, is_settled=True)
        return answer

    def _perform_as_modeler(
        self,
        ctx: JobContext,
        records: RecordSource,
        asking: Asking,
        conclude: Conclude,
        kept: KeptEnd | None,
    ) -> None:
        spec = certification_spec(self.configuration)
        if kept is None:
            nonce = ctx.rng.bytes(NONCE_BYTES)
            outcome = self.run.table.certify_as_modeler(ctx, spec, records, self._theta, nonce)
        else:
            nonce = kept_nonce(kept.content)
            outcome = deliver_certification_as_modeler(
                replace(ctx, end=self._ends.terms(kept.run)),
                spec,
                len(records),
                self._theta,
                kept.content,
                kept.answer,
            )
        costs = Costs(outcome.and_gates, outcome.ots)
        if outcome.verdict is not Verdict.PASS:
            conclude(lambda connection: self._record(connection, asking, outcome, None), costs)
            return

        def check(certificate: Certificate) -> None:
            own = model_signature(self.configuration.digest, nonce, self._theta)
            self._check(certificate, outcome, own)

        def store(signed: SignedCertificate) -> None:
            with self.party.database.transaction() as connection:
                require_running(connection, self.spec.job_id, self.run.order.attempt)
                store_certificate(self.party, connection, signed, nonce)
                self._record(connection, asking, outcome, signed)
                note_complete(connection, self.spec.job_id)

        signed = countersign_certificate(
            ctx.channel, self.party.keys.signing, check, self.configuration, store
        )
        ctx.channel.recv(PartyTag.CERTIFICATE_STORED, size=0)
        conclude(lambda _: self._outcome(outcome, signed), costs)

    def _perform_as_regulator(
        self,
        ctx: JobContext,
        records: RecordSource,
        asking: Asking,
        conclude: Conclude,
        kept: KeptEnd | None,
    ) -> None:
        spec = certification_spec(self.configuration)
        if kept is None:
            outcome = self.run.table.certify_as_regulator(ctx, spec, records)
        else:
            outcome = deliver_certification_as_regulator(ctx, spec, len(records), kept.content)
        costs = Costs(outcome.and_gates, outcome.ots)
        if outcome.verdict is not Verdict.PASS:
            conclude(lambda connection: self._record(connection, asking, outcome, None), costs)
            return
        self._ends.require_undecided()
        signed = offer_certificate(
            ctx.channel, self._draft(ctx, outcome), self.party.keys.signing, self.configuration
        )

        def keep(connection: sqlite3.Connection) -> JsonObject:
            store_certificate(self.party, connection, signed, None)
            return self._record(connection, asking, outcome, signed)

        conclude(keep, costs)
        ctx.channel.send(PartyTag.CERTIFICATE_STORED, b"")

    def _draft(self, ctx: JobContext, outcome: CertificationOutcome) -> str:
        if outcome.model_signature is None:
            raise CheckFailedError("The model passed without a signature.")
        now = self.party.now().replace(microsecond=0)
        return certificate_text(
            self.configuration,
            certificate_id=ctx.rng.bytes(_ID_BYTES),
            record_set=self.spec.record_set,
            n_records=self.run.study.n_records,
            model_id=self.spec.model_id,
            model_signature=outcome.model_signature,
            thresholds=threshold_verdicts(self.configuration, outcome),
            code_digest=code_digest(),
            security_models=security_models(self.configuration),
            groups=group_reports(self.configuration, outcome),
            valid_from=now,
            valid_until=now + timedelta(days=self.configuration.certificate_days),
        )

    def _check(
        self, certificate: Certificate, outcome: CertificationOutcome, signature: bytes
    ) -> None:
        check_certificate_fields(
            certificate,
            self.configuration,
            {
                "record_set": self.spec.record_set,
                "n_records": self.run.study.n_records,
                "model_id": self.spec.model_id,
                "model_signature": signature,
                "thresholds": tuple(threshold_verdicts(self.configuration, outcome)),
                "code_digest": code_digest(),
                "security_models": security_models(self.configuration),
                "groups": group_reports(self.configuration, outcome),
            },
        )
        check_validity(certificate, self.configuration, self.party.now())

    def _record(
        self,
        connection: sqlite3.Connection,
        asking: Asking,
        outcome: CertificationOutcome,
        signed: SignedCertificate | None,
    ) -> JsonObject:
        answer = self._outcome(outcome, signed)
        self._ends.note_answered(connection, is_settled=signed is not None)
        asking.answer(connection, QuestionOutcome(outcome.verdict.value), answer)
        return answer

    def _outcome(
        self, outcome: CertificationOutcome, signed: SignedCertificate | None
    ) -> JsonObject:
        result: JsonObject = {
            "verdict": outcome.verdict.value,
            "reason": reason_code(outcome),
            "model_id": self.spec.model_id.hex(),
            "thresholds": [
                row.to_json() for row in threshold_verdicts(self.configuration, outcome)
            ],
        }
        groups = group_reports(self.configuration, outcome)
        if groups:
            result["groups"] = [report.to_json() for report in groups]
        if signed is not None:
            result["certificate"] = signed.text
            result["modeler_signature"] = signed.modeler_signature.hex()
            result["regulator_signature"] = signed.regulator_signature.hex()
        return result
