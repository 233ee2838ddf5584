"""One whole study on real data, driven as browsers drive it, and judged by what parties signed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mpc_engine.client.checks import configuration_of, job_of
from mpc_engine.client.demo.adult import BOUND, FOUR_FIFTHS, fit_to_the_proxy, read_adult
from mpc_engine.client.demo.choices import shuffled
from mpc_engine.client.demo.decisions import decide_cases
from mpc_engine.client.demo.expectations import (
    CONFIRMED,
    DIFFERENT_DECISION,
    DIFFERENT_MODEL,
    FAIL,
    PASS,
)
from mpc_engine.client.demo.people import (
    await_all_receipts,
    share,
    share_everything,
    share_first,
)
from mpc_engine.client.demo.plan import Plan, PlannedModel
from mpc_engine.client.demo.report import Line, Report
from mpc_engine.client.demo.stack import Stack
from mpc_engine.client.demo.study import draft_study
from mpc_engine.client.export import model_text
from mpc_engine.client.http import Session
from mpc_engine.client.jobs import JobReport, checked_certificate, wait_for_job
from mpc_engine.client.member import Member
from mpc_engine.client.person import challenge_decision, wait_for_answer
from mpc_engine.client.study import (
    PublicStudy,
    fetch_parties,
    fetch_study,
    wait_for_renewed_keys,
)
from mpc_engine.control.certificate import Certificate
from mpc_engine.control.configuration import parse_configuration
from mpc_engine.control.decision_record import DecisionRecord
from mpc_engine.control.jobs import JobKind, parse_job
from mpc_engine.errors import CheckFailedError, SiteRefusalError
from mpc_engine.roles import Role

N_CASES = 3
RECEIPTS_WAIT_S = 300.0
SIGNS = {"PASS": "+", "FAIL": "-", "UNDETERMINED": "?"}


@dataclass
class Demo:
    """The cast, the plan, and what has come of it."""

    stack: Stack
    plan: Plan
    seed: int
    report: Report
    mo: Member
    rae: Member
    uma: Session
    model_ids: dict[str, str] = field(default_factory=dict)

    def play(self) -> list[str]:
        """Play everything; return the addresses worth opening."""
        study = self._open_study()
        self._take_answers(study)
        record_set = self._close(study)
        study = wait_for_renewed_keys(self.uma, study)
        self._hand_in_models(study)
        certificate = self._certify_all(study, record_set)
        self._challenge(study, certificate)
        self._show_the_proxy()
        home, study_id = self.stack.base_url, study.configuration.study_id.hex()
        return [
            f"{home}/",
            f"{home}/certificates/{certificate.certificate_id.hex()}/",
            f"{home}/modeler/studies/{study_id}/",
            f"{home}/regulator/studies/{study_id}/",
            f"{home}/me/",
        ]

    def _open_study(self) -> PublicStudy:
        draft = draft_study(self.plan)
        study_id = self.mo.draft_study(draft)
        self.mo.submit_study(study_id)
        parties = fetch_parties(self.uma)
        proposal = self.mo.wait_for_proposal(study_id, "configuration")
        self.report.say("The modeler drafted a study; both parties made keys for it")
        check = configuration_of(draft, study_id, parties)
        approved = [member.approve(proposal, "configuration", check) for member in self._members]
        self.mo.wait_for_state(study_id, "OPEN")
        self.report.say("Modeler and regulator signed the configuration; the study is open")
        return fetch_study(self.uma, study_id, parse_configuration(approved[0]).digest)

    @property
    def _members(self) -> tuple[Member, Member]:
        return self.mo, self.rae

    def _take_answers(self, study: PublicStudy) -> None:
        count, base_url = len(self.plan.rows), self.stack.base_url
        invitations = self.mo.invite(study, count)
        links = [i.link(self.uma, study.configuration.study_id) for i in invitations]
        first = shuffled(count, self.seed, "replaces")[0]
        mistaken = share_first(base_url, self.plan, links[first], first)
        self.report.say(f"{count:,} people are invited; the first one has both receipts")
        others = {index: link for index, link in enumerate(links) if index != first}
        people = share_everything(base_url, self.plan, others)
        self.report.say("Everybody else shared her answers, sealed to each party")
        with Session(base_url) as session:
            people.append(share(session, mistaken.participation, self.plan, first))
        await_all_receipts(base_url, people, RECEIPTS_WAIT_S)
        self.report.say("The first one replaced her answer; both parties signed every receipt")

    def _approved_job(
        self, study: PublicStudy, proposal: str, kind: JobKind, **of: str
    ) -> JobReport:
        check = job_of(study, kind, **of)
        texts = [member.approve(proposal, kind.value, check) for member in self._members]
        return wait_for_job(self.rae.session, study, parse_job(texts[0]).job_id.hex())

    def _close(self, study: PublicStudy) -> str:
        proposal = self.mo.propose_closing(study)
        job = self._approved_job(study, proposal, JobKind.CLOSING)
        outcomes = [job.outcome(role) for role in Role]
        expected = f"{len(self.plan.rows)} records"
        signed = "; ".join(sorted({f"{outcome['n_records']} records" for outcome in outcomes}))
        self.report.add("Closing the study", expected, signed, job)
        if outcomes[0] != outcomes[1]:
            raise CheckFailedError("The parties closed on different records.")
        return str(outcomes[0]["record_set"])

    def _hand_in_models(self, study: PublicStudy) -> None:
        for model in self.plan.models:
            text = model_text(model.fitted, study.configuration)
            self.model_ids[model.name] = self.mo.hand_in_model(study, model.name, text)
        for model_id in self.model_ids.values():
            self.mo.wait_for_model(model_id)
        self.report.say("Three models were handed in, sealed to the modeler's party")

    def _certify_all(self, study: PublicStudy, record_set: str) -> Certificate:
        certificates = [
            found
            for model in self.plan.models
            if (found := self._certify(study, model, record_set)) is not None
        ]
        if len(certificates) != 1:
            raise CheckFailedError(f"{len(certificates)} models were certified, not one.")
        return certificates[0]

    def _certify(
        self, study: PublicStudy, model: PlannedModel, record_set: str
    ) -> Certificate | None:
        model_id = self.model_ids[model.name]
        proposal = self.mo.propose_certification(study, model_id)
        job = self._approved_job(
            study, proposal, JobKind.CERTIFICATION, model_id=model_id, record_set=record_set
        )
        signed = {str(job.outcome(role)["verdict"]) for role in Role}
        self.report.add(
            f"Certifying: {model.name}",
            self.plan.verdict(model),
            "; ".join(sorted(signed)),
            job,
            _verdict_lines(self.plan, model, job),
        )
        outcome = job.outcome(Role.REGULATOR)
        if outcome["verdict"] != PASS:
            return None
        certificate = checked_certificate(study, outcome)
        public = self.uma.get_json(f"/api/v1/certificates/{certificate.certificate_id.hex()}")
        if public["text"] != certificate.text or certificate.model_id.hex() != model_id:
            raise CheckFailedError("The public certificate is not the signed one.")
        self.report.say("The certificate is public; both signatures verify")
        return certificate

    def _challenge(self, study: PublicStudy, certificate: Certificate) -> None:
        passing, failing = self.plan.model(PASS), self.plan.model(FAIL)
        self.mo.deploy(study, self.model_ids[passing.name])
        self.mo.wait_for_deployment(self.model_ids[passing.name])
        chosen = shuffled(len(self.plan.rows), self.seed, "challenges")[:N_CASES]
        cases = {f"case-{index}": self.plan.rows[index] for index in chosen}
        records = decide_cases(self.stack, study, certificate.certificate_id, cases)
        honest, altered, swapped = [
            self._checked(records[f"case-{index}"], index, passing) for index in chosen
        ]
        self.report.say("The modeler decided three cases and signed a record of each")
        self._ask(study, honest, "Challenge: an honest decision", CONFIRMED)
        self._ask(study, altered, "Challenge: an altered decision", DIFFERENT_DECISION, alter=True)
        self._refused(study, failing)
        again = self.mo.hand_in_model(
            study, f"{failing.name} again", model_text(failing.fitted, study.configuration)
        )
        self.mo.wait_for_model(again)
        self.mo.deploy(study, again)
        self.mo.wait_for_deployment(again)
        self.report.say("The modeler put a model into use that nobody had judged")
        self._ask(study, swapped, "Challenge: another model in use", DIFFERENT_MODEL)
        self.mo.deploy(study, self.model_ids[passing.name])
        self.mo.wait_for_deployment(self.model_ids[passing.name])
        self.report.say("The certified model is in use again")

    def _show_the_proxy(self) -> None:
        model = fit_to_the_proxy(read_adult())
        unequal = f"p% under {FOUR_FIFTHS:g}"
        found = unequal if model.percent < FOUR_FIFTHS else f"p% {model.percent:.1f}"
        self.report.say(
            f"On Adult (plain text, no party) a model with a covariance of {model.covariance:.4f} "
            f"selects women at {model.percent:.1f} % of the rate of men"
        )
        self.report.lines.append(Line(f"Adult, covariance at most {BOUND}", unequal, found))

    def _refused(self, study: PublicStudy, failing: PlannedModel) -> None:
        try:
            self.mo.deploy(study, self.model_ids[failing.name])
        except SiteRefusalError as error:
            if error.code != "MODEL_FAILED":
                raise
        else:
            raise CheckFailedError("The site put a model into use that did not pass.")
        self.report.say("The site refused to put the model into use that did not pass")

    def _checked(self, record: DecisionRecord, index: int, model: PlannedModel) -> DecisionRecord:
        same = record.x == self.plan.rows_fixed[index]
        if not same or record.decision != model.decisions[index]:
            raise CheckFailedError("The party decided otherwise than the exported model does.")
        return record

    def _ask(
        self,
        study: PublicStudy,
        record: DecisionRecord,
        what: str,
        expected: str,
        *,
        alter: bool = False,
    ) -> None:
        """Challenge a decision from its record; an altered one has none, it is typed in."""
        challenge_id = challenge_decision(
            self.uma,
            study,
            record.certificate_id,
            x=record.x,
            decision=1 - record.decision if alter else record.decision,
            record=None if alter else {"body": record.body, "signature": record.signature.hex()},
        )
        answer = wait_for_answer(self.uma, study, challenge_id)
        job = wait_for_job(self.rae.session, study, answer.job_id)
        self.report.add(what, expected, answer.outcome, job)


def _verdict_lines(plan: Plan, model: PlannedModel, job: JobReport) -> list[Line]:
    """Return for each criterion the verdicts at its limits, expected and signed by both."""
    lines = []
    for limits in plan.policy:
        expected = " ".join(
            limit + SIGNS[model.measured.verdict(limits.criterion, limit)]
            for limit in limits.thresholds
        )
        signed = {_signed_row(job.outcome(role), limits.criterion) for role in Role}
        lines.append(Line(f"  {limits.criterion}", expected, "; ".join(sorted(signed))))
    return lines


def _signed_row(outcome: object, criterion: str) -> str:
    return " ".join(
        f"{row['threshold']}{SIGNS[str(row['verdict'])]}"
        for row in _rows(outcome, "thresholds")
        if row["criterion"] == criterion
    )


def _rows(outcome: object, name: str) -> Sequence[dict[str, object]]:
    rows = outcome.get(name) if isinstance(outcome, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
