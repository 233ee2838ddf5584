"""The two parties train a model on people whose age group neither of them learns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from demo.cast import Cast, Cohort
from demo.decisions import export_model
from demo.models import trained_by_the_parties
from demo.oracle import ExpectedTraining, fingerprint, train_in_the_clear
from demo.plan import UNITS, Plan, training_terms
from demo.report import Line, Report
from demo.study import training_study
from mpc_engine.client.checks import training_of
from mpc_engine.client.jobs import JobProgress, JobReport
from mpc_engine.control.jobs import JobKind, JobSpec
from mpc_engine.control.model_file import parse_model
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.errors import CheckFailedError
from mpc_engine.roles import Role


def train(cast: Cast, plan: Plan) -> tuple[Plan, Cohort]:
    """Train on the plan's first people; return the plan with what is put to certification.

    Raises:
        CheckFailedError: the parties signed the end of another run than was approved.
    """
    report = cast.report
    study = cast.open_study(training_study(plan))
    invitations = cast.invite(study, plan.training)
    report.say("Both signed the terms of a study; the bank holds the data and invites people.")
    cast.share_all(plan, cast.links(study, invitations))
    report.say(
        f"{len(plan.training)} people shared their age group, in two halves, each sealed to one "
        "party. Everybody has both receipts."
    )
    cohort = cast.close(study, invitations)
    spec, job = _trained(cast, cohort)
    if spec.training is None:
        raise CheckFailedError("The parties ran a job without terms of training.")
    (model_id,) = spec.model_ids
    theta = parse_model(export_model(cast.stack, model_id), cohort.study.configuration)
    expected = train_in_the_clear(spec.training, plan.plain(cohort.people))
    outcomes = [job.outcome(role) for role in Role]
    signed = sorted({f"{outcome['steps']} steps" for outcome in outcomes})
    report.add(
        "Training under encryption",
        f"{spec.training.steps} steps",
        "; ".join(signed),
        job,
        comparison(theta, expected),
    )
    if any(outcome["model_ids"] != [model_id.hex()] for outcome in outcomes):
        raise CheckFailedError("The parties trained another model than was approved.")
    return plan.with_trained(trained_by_the_parties(theta, UNITS)), cohort


def _trained(cast: Cast, cohort: Cohort) -> tuple[JobSpec, JobReport]:
    wanted = training_terms(bytes(16)).to_json()
    del wanted["order_seed"]
    recipient = HpkePrivateKey.generate(system_randomness()).public_bytes
    proposal = cast.mo.propose_training(cohort.study, wanted, recipient)
    check = training_of(cohort.study, wanted, record_set=cohort.record_set, recipient=recipient)
    told = Quarters(cast.report)
    return cast.approved_job(cohort.study, proposal, JobKind.TRAINING, check, told.tell)


def comparison(theta: Sequence[int], expected: ExpectedTraining) -> list[Line]:
    """Return what is compared of a trained model: its integers, and float64 with them.

    The limit of the difference to float64 is the bound of this run.
    """
    near = f"at most {expected.difference_bound:.6f}"
    difference = expected.largest_difference
    return [
        Line(
            "  its integers, against the same in the clear",
            expected.fingerprint,
            fingerprint(theta),
        ),
        Line(
            "  largest difference to float64",
            near,
            near if difference <= expected.difference_bound else f"{difference:.6f}",
        ),
    ]


@dataclass
class Quarters:
    """Print how far a training is, about four times."""

    report: Report
    printed: int = field(default=0)

    def tell(self, progress: JobProgress) -> None:
        """Take what the site says and print it if another quarter has begun."""
        if not progress.stage.startswith("epoch") or not progress.total:
            return
        quarter = 1 + 4 * progress.done // progress.total
        if quarter > self.printed:
            self.printed = quarter
            self.report.say(
                f"Training is at {progress.stage}, step {progress.done:,} of {progress.total:,}."
            )
