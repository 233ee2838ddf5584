"""From a study's configuration to the protocols' parameters, and back to the words of reports."""

from __future__ import annotations

from fractions import Fraction

from mpc_engine.control.certificate import ThresholdVerdict
from mpc_engine.control.configuration import Configuration
from mpc_engine.fairness.groups import Floors
from mpc_engine.fairness.p_rule import Comparison
from mpc_engine.protocols.certification.spec import (
    SECURITY_MODELS,
    CertificationOutcome,
    CertificationSpec,
    Criterion,
    CriterionName,
    Verdict,
)
from mpc_engine.protocols.verification.spec import VerificationSpec


def certification_spec(configuration: Configuration) -> CertificationSpec:
    """Return the public parameters of a certification under a configuration."""
    policy = configuration.policy
    criterion = Criterion(
        name=CriterionName(policy.criterion),
        thresholds=tuple(Fraction(value) for value in policy.thresholds),
        certify_at=Fraction(policy.certify_at),
    )
    return CertificationSpec(
        config_digest=configuration.digest,
        n_features=len(configuration.features),
        x_frac_bits=configuration.x_frac_bits,
        theta_bits=configuration.theta_bits,
        theta_frac_bits=configuration.theta_frac_bits,
        entry_counts=configuration.category_counts,
        feature_ranges=configuration.feature_ranges,
        criteria=(criterion,),
        comparison=Comparison.EACH_PAIR,
        floors=Floors(policy.minimum_group, policy.minimum_group),
    )


def verification_spec(configuration: Configuration) -> VerificationSpec:
    """Return the public parameters of a verification under a configuration."""
    return VerificationSpec(
        config_digest=configuration.digest,
        n_features=len(configuration.features),
        x_frac_bits=configuration.x_frac_bits,
        theta_bits=configuration.theta_bits,
        feature_ranges=configuration.feature_ranges,
    )


def threshold_verdicts(
    configuration: Configuration, outcome: CertificationOutcome
) -> list[ThresholdVerdict]:
    """Return the verdict for each threshold of the policy, in its order."""
    names = configuration.policy.thresholds
    if outcome.verdict is Verdict.UNDETERMINED:
        return [ThresholdVerdict(name, Verdict.UNDETERMINED.value) for name in names]
    return [
        ThresholdVerdict(name, (Verdict.PASS if passes else Verdict.FAIL).value)
        for name, passes in zip(names, outcome.passes[0], strict=True)
    ]


def reason_code(outcome: CertificationOutcome) -> str:
    """Return why there is no verdict, as a stable code; empty with PASS and FAIL."""
    return "" if outcome.reason is None else outcome.reason.name


def security_model(configuration: Configuration) -> str:
    """Return under what the policy's criterion is checked, for certificates."""
    name = CriterionName(configuration.policy.criterion)
    return f"{name.value}: {SECURITY_MODELS[name]}"
