"""The bank decides with the certified model, and with another; a person has decisions checked."""

from __future__ import annotations

from demo.cast import Cast, ClosedStudy
from demo.choices import shuffled
from demo.decisions import decide_by_command
from demo.expectations import (
    CONFIRMED,
    DIFFERENT_DECISION,
    DIFFERENT_MODEL,
    FAIL,
    PASS,
)
from demo.plan import Plan, PlannedModel
from mpc_engine.client.export import fitted_model_text
from mpc_engine.client.jobs import wait_for_job
from mpc_engine.client.person import challenge_decision, wait_for_answer
from mpc_engine.control.files.certificate import Certificate
from mpc_engine.control.files.decision_record import DecisionRecord
from mpc_engine.errors import CheckFailedError, SiteRefusalError

N_CASES = 3


def challenge(
    cast: Cast, plan: Plan, cohort: ClosedStudy, ids: dict[str, str], certificate: Certificate
) -> None:
    """Have three decisions challenged, each with another outcome.

    Raises:
        CheckFailedError: the party decides otherwise than the exported model, or the site puts a
            model into use that did not pass.
    """
    study, report = cohort.study, cast.report
    passing, failing = plan.model(PASS), plan.model(FAIL)
    _deploy(cast, cohort, ids[passing.name])
    order = shuffled(len(plan.held_out), cast.seed, "challenges")
    chosen = [plan.held_out[place] for place in order[:N_CASES]]
    cases = {f"case-{index}": plan.rows[index] for index in chosen}
    records = decide_by_command(cast.stack, study, certificate.certificate_id, cases)
    honest, altered, swapped = [
        _checked(plan, records[f"case-{index}"], index, passing) for index in chosen
    ]
    report.say("The bank decided three cases and signed a record of each for the person.")
    _ask(cast, cohort, honest, "Challenge: an honest decision", CONFIRMED)
    _ask(cast, cohort, altered, "Challenge: an altered decision", DIFFERENT_DECISION, alter=True)
    _refused(cast, cohort, ids[failing.name])
    again = cast.mo.hand_in_model(
        study, f"{failing.name} again", fitted_model_text(failing.fitted, study.configuration)
    )
    cast.mo.wait_for_model(again)
    _deploy(cast, cohort, again)
    report.say("The bank handed it in under another name and put it into use, unjudged.")
    _ask(cast, cohort, swapped, "Challenge: another model in use", DIFFERENT_MODEL)
    _deploy(cast, cohort, ids[passing.name])
    report.say("The certified model is in use again.")


def _deploy(cast: Cast, cohort: ClosedStudy, model_id: str) -> None:
    cast.mo.deploy(cohort.study, model_id)
    cast.mo.wait_for_deployment(model_id)


def _refused(cast: Cast, cohort: ClosedStudy, model_id: str) -> None:
    try:
        cast.mo.deploy(cohort.study, model_id)
    except SiteRefusalError as error:
        if error.code != "MODEL_FAILED":
            raise
    else:
        raise CheckFailedError("The site put a model into use that did not pass.")
    cast.report.say("The site refused to put the model into use that did not pass.")


def _checked(plan: Plan, record: DecisionRecord, index: int, model: PlannedModel) -> DecisionRecord:
    same = record.x == plan.rows_fixed[index]
    if not same or record.decision != model.decisions[index]:
        raise CheckFailedError("The party decided otherwise than the exported model does.")
    return record


def _ask(
    cast: Cast,
    cohort: ClosedStudy,
    record: DecisionRecord,
    what: str,
    expected: str,
    *,
    alter: bool = False,
) -> None:
    """Challenge a decision from its record; an altered one has none, it is typed in."""
    challenge_id = challenge_decision(
        cast.uma,
        cohort.study,
        record.certificate_id,
        x=record.x,
        decision=1 - record.decision if alter else record.decision,
        record=None if alter else {"body": record.body, "signature": record.signature.hex()},
    )
    answer = wait_for_answer(cast.uma, cohort.study, challenge_id)
    job = wait_for_job(cast.rae.session, cohort.study, answer.job_id)
    cast.report.add(what, expected, answer.outcome, job)
