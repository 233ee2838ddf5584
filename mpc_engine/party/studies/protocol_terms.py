"""From a study's configuration to the protocols' parameters, and back to the words of reports."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from mpc_engine.control.files.certificate import SecurityModel, ThresholdVerdict
from mpc_engine.control.policies.compared_groups import GroupReport
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.training_terms import TrainingTerms
from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.scores import score_shape
from mpc_engine.protocols.certification.security_models import SECURITY_MODELS
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
    Criterion,
)
from mpc_engine.protocols.training import hyperparameters
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.policies import Comparison, Disclosure, MissingAnswers, SmallGroups
from mpc_engine.vocabulary.verdicts import Verdict


def certification_spec(configuration: Configuration) -> CertificationSpec:
    """Return the public parameters of a certification under a configuration."""
    policy = configuration.policy
    criteria = tuple(
        Criterion(
            name=CriterionName(item.criterion),
            thresholds=tuple(Fraction(value) for value in item.thresholds),
            certify_at=Fraction(item.certify_at),
        )
        for item in policy.criteria
    )
    return CertificationSpec(
        config_digest=configuration.digest,
        n_features=len(configuration.features),
        x_frac_bits=configuration.x_frac_bits,
        theta_bits=configuration.theta_bits,
        theta_frac_bits=configuration.theta_frac_bits,
        entry_counts=configuration.category_counts,
        feature_ranges=configuration.feature_ranges,
        criteria=criteria,
        comparison=Comparison(policy.comparison),
        floors=Floors(
            minimum_group=policy.minimum_group,
            minimum_answers=policy.minimum_answers,
            minimum_decided=policy.minimum_decided,
            minimum_percent=Fraction(policy.minimum_percent),
            small_groups=SmallGroups(policy.small_groups),
        ),
        groupings=configuration.groupings,
        missing=MissingAnswers(policy.missing_answers),
        disclosure=Disclosure(policy.disclosure),
    )


def check_widths(configuration: Configuration) -> None:
    """Raise UsageError ``SUM_TOO_WIDE`` where the widest scores could not be bound."""
    score_shape(certification_spec(configuration))


def verification_spec(configuration: Configuration) -> VerificationSpec:
    """Return the public parameters of a verification under a configuration."""
    return VerificationSpec(
        config_digest=configuration.digest,
        n_features=len(configuration.features),
        x_frac_bits=configuration.x_frac_bits,
        theta_bits=configuration.theta_bits,
        feature_ranges=configuration.feature_ranges,
    )


def training_point_spec(
    configuration: Configuration, terms: TrainingTerms, n_rows: int, bounds: tuple[int, int]
) -> TrainingSpec:
    """Return the public parameters of a run of one point on ``n_rows`` people.

    ``bounds``: the largest encoded feature and the largest row of the modeler's data. UsageError
    ``TRAINING_RANGE`` for a run that would not be exact.
    """
    (point,) = terms.points
    preset = hyperparameters.Preset(terms.preset)
    spec = hyperparameters.training_spec(
        hyperparameters.settings_of(preset, n_rows, terms.steps, terms.batch_size),
        n_rows=n_rows,
        n_columns=len(configuration.features) + 1,
        x_bound=bounds[0],
        row_bound=bounds[1],
        entry_counts=configuration.category_counts,
        constraints=[float(bound) for bound in point],
        order_seed=terms.order_seed,
        batch_size=terms.batch_size,
        kind=terms.constraint,
        minimum_answers=configuration.policy.minimum_answers,
    )
    return replace(spec, output_frac_bits=terms.output_frac_bits)


def threshold_verdicts(
    configuration: Configuration, outcome: CertificationOutcome
) -> list[ThresholdVerdict]:
    """Return the verdict for each threshold of each criterion, in the policy's order."""
    rows = []
    for number, (criterion, threshold) in enumerate(configuration.policy.limits):
        said = [
            _verdict_of(outcome, [bit for bits in part for bit in bits], number)
            for part in (outcome.passes, outcome.worst, outcome.best)
        ]
        rows.append(ThresholdVerdict(criterion, threshold, *said))
    return rows


def group_reports(
    configuration: Configuration, outcome: CertificationOutcome
) -> tuple[GroupReport, ...]:
    """Return what the policy discloses about each group; empty where it discloses nothing."""
    policy = configuration.policy
    if not (policy.names_small_groups or policy.opens_table):
        return ()
    return tuple(
        GroupReport(
            group,
            outcome.left_out[number] if policy.names_small_groups else None,
            outcome.table[number] if policy.opens_table else (),
        )
        for number, group in enumerate(configuration.groups)
    )


def _verdict_of(outcome: CertificationOutcome, bits: list[bool], number: int) -> str:
    """Return the verdict at one threshold; empty where the policy has no such bits."""
    if not bits:
        return ""
    if outcome.verdict is Verdict.UNDETERMINED:
        return Verdict.UNDETERMINED.value
    return (Verdict.PASS if bits[number] else Verdict.FAIL).value


def reason_code(outcome: CertificationOutcome) -> str:
    """Return why there is no verdict, as a stable code; empty with PASS and FAIL."""
    return "" if outcome.reason is None else outcome.reason.value


def security_models(configuration: Configuration) -> tuple[SecurityModel, ...]:
    """Return under what each criterion of the policy is checked, for certificates."""
    return tuple(
        SecurityModel(item.criterion, SECURITY_MODELS[CriterionName(item.criterion)])
        for item in configuration.policy.criteria
    )
