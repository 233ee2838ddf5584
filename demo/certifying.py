"""Certification of all models on people who were not in training, judged by signed verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demo.cast import RECEIPTS_WAIT_S, Cast, ClosedStudy
from demo.choices import shuffled
from demo.expectations import FAIL, P_RULE, PASS
from demo.limits import THRESHOLDS
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
from demo.sweep import SweepRow, bracket
from mpc_engine.client.checks import job_of
from mpc_engine.client.export import fitted_model_text
from mpc_engine.client.http import Session
from mpc_engine.client.jobs import JobReport, checked_certificate, wait_for_job
from mpc_engine.control.files.certificate import Certificate
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.errors import CheckFailedError
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind

SIGNS = {"PASS": "+", "FAIL": "-", "UNDETERMINED": "?"}


def gather(cast: Cast, plan: Plan) -> ClosedStudy:
    """Open a study for the people held out, let one correct her answer, and close it."""
    report, base_url = cast.report, cast.stack.base_url
    study = cast.open_study(certification_study())
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


def hand_in(
    cast: Cast, plan: Plan, cohort: ClosedStudy, trained: Sequence[str] = ()
) -> dict[str, str]:
    """Put every model of the plan before the study; return their ids by name.

    ``trained``: the ids of the trained ones where they were trained, loosest c first; they are
    taken over inside the bank's party. Without them they are handed in, as the others are.
    """
    study, mo = cohort.study, cast.mo
    ids = {}
    if trained:
        names = [model.name for model in plan.trained]
        ids = dict(zip(names, mo.take_over(study, trained), strict=True))
    others = [model for model in plan.models if model.name not in ids]
    for model in others:
        text = fitted_model_text(model.fitted, study.configuration)
        ids[model.name] = mo.hand_in_model(study, model.name, text)
    for model_id in ids.values():
        mo.wait_for_model(model_id)
    cast.report.say(
        f"The bank took over {len(trained)} trained models inside its party, and handed in "
        f"{len(others)} others, sealed to it."
    )
    return ids


@dataclass(frozen=True)
class Judged:
    """What came of the certifications.

    ``certificate``: of the model that passes; ``reports`` of both parties and the ``lines`` that
    compare them, by the model's name.
    """

    certificate: Certificate
    reports: dict[str, JobReport]
    lines: dict[str, list[Line]]


def certify_all(cast: Cast, plan: Plan, cohort: ClosedStudy, ids: dict[str, str]) -> Judged:
    """Put every model to certification, all of them at once, and compare what both parties sign.

    Raises:
        CheckFailedError: the model that should pass has no certificate, or the other has one.
    """
    study, kind = cohort.study, JobKind.CERTIFICATION
    jobs = {}
    for model in plan.models:
        model_id = ids[model.name]
        proposal = cast.mo.propose_certification(study, model_id)
        check = job_of(study, kind, model_id=model_id, record_set=cohort.record_set)
        texts = [member.approve(proposal, kind.value, check) for member in cast.members]
        jobs[model.name] = parse_job(texts[0]).job_id.hex()
    cast.report.say(
        f"Both signed {len(jobs)} certifications, as many as the study allows. Of models made for "
        "it so many brackets could tell one person's answer: people read that before they shared "
        "theirs. A study for real asks about one or two models."
    )
    reports, lines, certificates = {}, {}, {}
    for model in plan.models:
        job = reports[model.name] = wait_for_job(cast.rae.session, study, jobs[model.name])
        lines[model.name] = _reported(cast, plan, model, job)
        certificates[model.name] = _certificate(cast, cohort, ids[model.name], job)
    certificate = certificates[plan.model(PASS).name]
    if certificate is None or certificates[plan.model(FAIL).name] is not None:
        raise CheckFailedError("The certificates are not those of the models that should pass.")
    cast.report.say("Certificates are public; both signatures under each verify.")
    return Judged(certificate, reports, lines)


def sweep_of(cast: Cast, plan: Plan, ids: dict[str, str], judged: Judged) -> tuple[SweepRow, ...]:
    """Return what came of the trained models, loosest c first, with their accuracy as told.

    The modeler's party tells it of the rows that it trained on; it is compared as well.
    """
    rows = []
    for model in plan.trained:
        told = cast.mo.session.get_json(f"/api/v1/models/{ids[model.name]}")["right_per_mille"]
        expected = int(1000 * model.accuracy.in_training)
        right = Line(f"Right in training, of 1,000: {model.name}", str(expected), str(told))
        cast.report.lines.append(right)
        outcomes = [judged.reports[model.name].outcome(role) for role in Role]
        signed = {bracket(_signed_verdicts(outcome, P_RULE)) for outcome in outcomes}
        rows.append(
            SweepRow(
                c=model.c,
                told=told,
                held_out=model.accuracy.held_out,
                bracket="; ".join(sorted(signed)),
                expected_bracket=bracket(_expected(model)),
                as_expected=all(line.as_expected for line in (*judged.lines[model.name], right)),
            )
        )
    return tuple(rows)


def _reported(cast: Cast, plan: Plan, model: PlannedModel, job: JobReport) -> list[Line]:
    """Report a verdict; return all its lines: the verdict, and those at the limits."""
    signed = sorted({str(job.outcome(role)["verdict"]) for role in Role})
    details = [_verdict_line(model, job)]
    title = f"Certifying: {model.name}"
    cast.report.add(title, plan.verdict(model), "; ".join(signed), job, details)
    return [Line(title, plan.verdict(model), "; ".join(signed)), *details]


def _certificate(
    cast: Cast, cohort: ClosedStudy, model_id: str, job: JobReport
) -> Certificate | None:
    """Return the checked certificate of a model, None if it did not pass."""
    outcome = job.outcome(Role.REGULATOR)
    if outcome["verdict"] != PASS:
        return None
    certificate = checked_certificate(cohort.study, outcome)
    public = cast.uma.get_json(f"/api/v1/certificates/{certificate.certificate_id.hex()}")
    if public["text"] != certificate.text or certificate.model_id.hex() != model_id:
        raise CheckFailedError("The public certificate is not the signed one.")
    return certificate


def _expected(model: PlannedModel) -> list[tuple[str, str]]:
    """Return the expected verdict at each limit."""
    return [(at, model.measured.verdict(at)) for at in THRESHOLDS]


def _verdict_line(model: PlannedModel, job: JobReport) -> Line:
    """Return the verdicts at the limits, expected and signed by both."""
    expected = _in_signs(_expected(model))
    signed = {_in_signs(_signed_verdicts(job.outcome(role), P_RULE)) for role in Role}
    return Line(f"  {P_RULE}", expected, "; ".join(sorted(signed)))


def _in_signs(verdicts: Sequence[tuple[str, str]]) -> str:
    return " ".join(f"{limit}{SIGNS[verdict]}" for limit, verdict in verdicts)


def _signed_verdicts(outcome: object, criterion: str) -> list[tuple[str, str]]:
    """Return a party's verdict at each limit of a criterion."""
    rows = outcome.get("thresholds") if isinstance(outcome, dict) else None
    return [
        (str(row["threshold"]), str(row["verdict"]))
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict) and row["criterion"] == criterion
    ]
