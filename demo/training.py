"""The two parties train models on people whose age group neither of them learns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from demo.cast import Cast, ClosedStudy
from demo.oracle import difference_to_floats, fingerprint, train_in_the_clear
from demo.plan import Plan
from demo.report import DemoReport, Line
from demo.study import training_study
from demo.sweep import training_terms
from mpc_engine.client.checks import training_of
from mpc_engine.client.jobs import JobReport, Progress
from mpc_engine.client.trained_models import open_trained_model
from mpc_engine.control.files.model_file import parse_model
from mpc_engine.control.post.jobs import JobSpec
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.errors import CheckFailedError
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind


@dataclass(frozen=True)
class Trained:
    """What a training left: the people it was on, and the ids of its models, loosest c first."""

    cohort: ClosedStudy
    model_ids: tuple[str, ...]


def train(cast: Cast, plan: Plan) -> tuple[Plan, Trained]:
    """Train on the plan's first people; return the plan with what is put to certification.

    Raises:
        CheckFailedError: the parties signed the end of another run than was approved.
    """
    report = cast.report
    study = cast.open_study(training_study())
    invitations = cast.invite(study, plan.training)
    report.say("Both signed the terms of a study; the bank holds the data and invites people.")
    cast.share_all(plan, cast.links(study, invitations))
    report.say(
        f"{len(plan.training)} people shared their age group, in two halves, each sealed to one "
        "party. Everybody has both receipts."
    )
    cohort = cast.close(study, invitations)
    key = HpkePrivateKey.generate(system_randomness())
    spec, job = _trained(cast, cohort, key)
    if spec.training is None:
        raise CheckFailedError("The parties ran a job without terms of training.")
    model_ids = tuple(model_id.hex() for model_id in spec.model_ids)
    models = [
        parse_model(
            open_trained_model(cast.mo.session, cohort.study, model_id, key).model,
            cohort.study.configuration,
        )
        for model_id in model_ids
    ]
    terms = [spec.training.at(point) for point in range(len(spec.training.points))]
    people = plan.plain(cohort.people)
    fewest = cohort.study.configuration.policy.minimum_answers
    expected = [train_in_the_clear(point, people, fewest) for point in terms]
    outcomes = [job.outcome(role) for role in Role]
    if any(outcome["model_ids"] != list(model_ids) for outcome in outcomes):
        raise CheckFailedError("The parties trained other models than were approved.")
    signed = sorted({f"{len(models)} models of {outcome['steps']} steps" for outcome in outcomes})
    report.add(
        "Training under encryption",
        f"{len(terms)} models of {spec.training.steps} steps",
        "; ".join(signed),
        job,
        [comparison(models, expected)],
    )
    largest = max(difference_to_floats(point, people, fewest) for point in terms)
    report.paragraph(f"The same in float64 differs by {largest:.6f} in a coefficient at most.")
    return plan.with_integers(models), Trained(cohort, model_ids)


def _trained(cast: Cast, cohort: ClosedStudy, key: HpkePrivateKey) -> tuple[JobSpec, JobReport]:
    wanted = training_terms(bytes(16)).to_json()
    del wanted["order_seed"]
    recipient = key.public_bytes
    proposal = cast.mo.propose_training(cohort.study, wanted, recipient)
    check = training_of(cohort.study, wanted, record_set=cohort.record_set, recipient=recipient)
    told = Quarters(cast.report)
    return cast.approved_job(cohort.study, proposal, JobKind.TRAINING, check, told.tell)


def comparison(models: Sequence[Sequence[int]], expected: Sequence[Sequence[int]]) -> Line:
    """Return the comparison of trained models, all their integers, with the same in the clear."""
    return Line(
        "  their integers, against the same in the clear",
        fingerprint(expected),
        fingerprint(models),
    )


@dataclass
class Quarters:
    """Print how far a training is, about four times."""

    report: DemoReport
    printed: int = field(default=0)

    def tell(self, progress: Progress) -> None:
        """Take what the site says and print it if another quarter has begun."""
        if "epoch" not in progress.stage or not progress.total:
            return
        quarter = 1 + 4 * progress.done // progress.total
        if quarter > self.printed:
            self.printed = quarter
            self.report.say(
                f"Training is at {progress.stage}, step {progress.done:,} of {progress.total:,}."
            )
