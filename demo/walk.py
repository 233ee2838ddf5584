"""What the demo leaves to look at: a study in every state, and who sees what."""

from __future__ import annotations

from dataclasses import dataclass

from demo.cast import Cast, ClosedStudy
from demo.plan import Plan
from demo.stack import PERSON
from demo.study import small_study
from mpc_engine.client.checks import job_of
from mpc_engine.client.export import fitted_model_text
from mpc_engine.control.files.certificate import Certificate
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind

N_SMALL, N_SHARING = 8, 5
UNDETERMINED = "UNDETERMINED"
FIGURE = "the figure: how fair each model is, and how often it is right"


@dataclass(frozen=True)
class Sight:
    """Something to look at: the log-in that shows it, what it is, and its address."""

    role: str
    what: str
    address: str


def leave_studies(cast: Cast, plan: Plan) -> list[Sight]:
    """Make a study in each state that the main ones have left behind; return where they are."""
    drafted = cast.mo.draft_study(small_study("A draft"))
    waiting, proposal, check = cast.proposed_study(small_study("Waiting for approval"))
    cast.mo.approve(proposal, "configuration", check)
    few = plan.held_out[:N_SMALL]
    opened = cast.open_study(small_study("Open for answers"))
    links = cast.links(opened, cast.invite(opened, few))
    cast.share_all(plan, {index: links[index] for index in few[:N_SHARING]})
    closed = _too_small(cast, plan, few)
    cast.report.say("A draft, a study that waits, one that is open and one with too few people.")
    return [
        _study(cast, Role.MODELER, drafted, "a draft to go on with"),
        _study(cast, Role.REGULATOR, waiting, "terms that wait for the regulator's signature"),
        _study(
            cast,
            Role.MODELER,
            opened.configuration.study_id,
            f"open: {N_SHARING} of {N_SMALL} people have answered",
        ),
        _study(
            cast,
            Role.REGULATOR,
            closed.study.configuration.study_id,
            "too few people for a verdict, and a model that waits for approval",
        ),
        Sight(PERSON, "an invitation nobody has used: take part yourself", links[few[-1]]),
    ]


def main_sights(
    cast: Cast, training: ClosedStudy, judged: ClosedStudy, certificate: Certificate
) -> list[Sight]:
    """Return where the two main studies are, and what came of them."""
    home = cast.stack.base_url
    trained, certified = (cohort.study.configuration.study_id for cohort in (training, judged))
    return [
        _study(cast, Role.MODELER, certified, FIGURE),
        _study(cast, Role.MODELER, trained, "closed: the models were trained here"),
        _study(cast, Role.REGULATOR, certified, "the figure as the regulator sees it"),
        Sight(Role.REGULATOR.value, "challenges by state", f"{home}/regulator/challenges/"),
        Sight(PERSON, "three challenges, each with another outcome", f"{home}/me/"),
        Sight(
            "anyone",
            "the certificate",
            f"{home}/certificates/{certificate.certificate_id.hex()}/",
        ),
    ]


def _study(cast: Cast, role: Role, study_id: bytes, what: str) -> Sight:
    address = f"{cast.stack.base_url}/{role.value}/studies/{study_id.hex()}/"
    return Sight(role.value, what, address)


def _too_small(cast: Cast, plan: Plan, few: tuple[int, ...]) -> ClosedStudy:
    """Close a study with too few people to judge a model; leave another model to be approved."""
    study = cast.open_study(small_study("Closed with too few people"))
    invitations = cast.invite(study, few)
    cast.share_all(plan, cast.links(study, invitations))
    cohort = cast.close(study, invitations)
    text = fitted_model_text(plan.unconstrained, study.configuration)
    first, second = (
        cast.mo.hand_in_model(cohort.study, name, text)
        for name in ("A model", "A model to approve")
    )
    for model_id in (first, second):
        cast.mo.wait_for_model(model_id)
    kind = JobKind.CERTIFICATION
    proposal = cast.mo.propose_certification(cohort.study, first)
    check = job_of(cohort.study, kind, model_id=first, record_set=cohort.record_set)
    _, job = cast.approved_job(cohort.study, proposal, kind, check)
    signed = "; ".join(sorted({str(job.outcome(role)["verdict"]) for role in Role}))
    cast.report.add("Certifying on too few people", UNDETERMINED, signed, job)
    proposal = cast.mo.propose_certification(cohort.study, second)
    check = job_of(cohort.study, kind, model_id=second, record_set=cohort.record_set)
    cast.mo.approve(proposal, kind.value, check)
    return cohort
