"""Certification of three models on people who were not in training, judged by signed verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from demo.cast import RECEIPTS_WAIT_S, Cast, Cohort
from demo.choices import shuffled
from demo.expectations import PASS
from demo.people import (
    another_answer,
    await_all_receipts,
    share,
    share_everything,
    share_first,
)
from demo.plan import Plan, PlannedModel
from demo.report import Line
from demo.study import certification_study
from mpc_engine.client.checks import job_of
from mpc_engine.client.export import model_text
from mpc_engine.client.http import Session
from mpc_engine.client.jobs import JobReport, checked_certificate
from mpc_engine.control.certificate import Certificate
from mpc_engine.control.jobs import JobKind
from mpc_engine.errors import CheckFailedError
from mpc_engine.roles import Role

SIGNS = {"PASS": "+", "FAIL": "-", "UNDETERMINED": "?"}


def gather(cast: Cast, plan: Plan) -> Cohort:
    """Open a study for the people held out, let one correct her answer, and close it."""
    report, base_url = cast.report, cast.stack.base_url
    study = cast.open_study(certification_study(plan))
    invitations = cast.invite(study, plan.held_out)
    links = cast.links(study, invitations)
    report.say("Both signed the terms of a second study; here the regulator holds the data.")
    first = plan.held_out[shuffled(len(plan.held_out), cast.seed, "replaces")[0]]
    mistaken = share_first(base_url, plan, links[first], first, another_answer(plan, first))
    others = {index: link for index, link in links.items() if index != first}
    people = share_everything(base_url, plan, others)
    with Session(base_url) as session:
        people.append(share(session, mistaken.participation, plan, first, plan.answers[first]))
    await_all_receipts(base_url, people, RECEIPTS_WAIT_S)
    report.say(
        f"The {len(plan.held_out)} others shared theirs; one of them replaced a wrong answer. "
        "Everybody has both receipts."
    )
    return cast.close(study, invitations)


def hand_in(cast: Cast, plan: Plan, cohort: Cohort) -> dict[str, str]:
    """Hand in every model of the plan; return their ids by name."""
    study = cohort.study
    ids = {
        model.name: cast.mo.hand_in_model(
            study, model.name, model_text(model.fitted, study.configuration)
        )
        for model in plan.models
    }
    for model_id in ids.values():
        cast.mo.wait_for_model(model_id)
    cast.report.say("Three models were handed in, sealed to the bank's party.")
    return ids


def certify_all(cast: Cast, plan: Plan, cohort: Cohort, ids: dict[str, str]) -> Certificate:
    """Put every model to certification; return the one certificate.

    Raises:
        CheckFailedError: not exactly one model was certified.
    """
    found = [_certify(cast, plan, cohort, model, ids[model.name]) for model in plan.models]
    certificates = [certificate for certificate in found if certificate is not None]
    if len(certificates) != 1:
        raise CheckFailedError(f"{len(certificates)} models were certified, not one.")
    return certificates[0]


def _certify(
    cast: Cast, plan: Plan, cohort: Cohort, model: PlannedModel, model_id: str
) -> Certificate | None:
    study, report = cohort.study, cast.report
    proposal = cast.mo.propose_certification(study, model_id)
    check = job_of(study, JobKind.CERTIFICATION, model_id=model_id, record_set=cohort.record_set)
    _, job = cast.approved_job(study, proposal, JobKind.CERTIFICATION, check)
    signed = {str(job.outcome(role)["verdict"]) for role in Role}
    report.add(
        f"Certifying: {model.name}",
        plan.verdict(model),
        "; ".join(sorted(signed)),
        job,
        _verdict_lines(plan, model, job),
    )
    outcome = job.outcome(Role.REGULATOR)
    if outcome["verdict"] != PASS:
        return None
    certificate = checked_certificate(study, outcome)
    public = cast.uma.get_json(f"/api/v1/certificates/{certificate.certificate_id.hex()}")
    if public["text"] != certificate.text or certificate.model_id.hex() != model_id:
        raise CheckFailedError("The public certificate is not the signed one.")
    report.say("The certificate is public; both signatures verify.")
    return certificate


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
