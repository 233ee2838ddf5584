"""The door to the engine for policies: their terms, words, presets, what their limits mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine.engine_client import (
    Configuration,
    EngineRole,
    find_parties,
    unusable_input,
)
from blindjustice_web.lib.labels import SmallGroups
from mpc_engine.control.policies.group_sizes import (
    hides_together,
    least_decided,
    n_finest_groups,
    sizes_without_verdict,
)
from mpc_engine.control.policies.kind_sentence import kind_sentence
from mpc_engine.control.policies.policy import (
    LADDER,
    MAX_CRITERIA,
    MAX_QUESTIONS,
    MIN_DECIDED,
    MIN_GROUP,
    PolicyCriterion,
)
from mpc_engine.control.policies.policy_sentence import charge_sentence, criterion_clause
from mpc_engine.control.policies.policy_sentence import criterion_sentence as _criterion_sentence
from mpc_engine.control.policies.policy_sentence import policy_learners as _policy_learners
from mpc_engine.control.policies.policy_sentence import policy_sentences as _policy_sentences
from mpc_engine.control.policies.policy_terms import PolicyTerms, read_policy_terms, terms_faults
from mpc_engine.control.policies.presets import PRESETS, PolicyPreset, divisions
from mpc_engine.control.policies.study_terms import Attribute, Feature, Label
from mpc_engine.control.policies.thresholds import RANGES
from mpc_engine.control.post.party_limits import check_party_limits
from mpc_engine.control.post.signing_sentences import training_sentence
from mpc_engine.errors import EngineError, UsageError

__all__ = [
    "LADDER",
    "MAX_CRITERIA",
    "MAX_QUESTIONS",
    "MIN_DECIDED",
    "MIN_GROUP",
    "PRESETS",
    "RANGES",
    "Attribute",
    "Feature",
    "GroupNeed",
    "Label",
    "PolicyTerms",
    "PolicyPreset",
    "Readings",
    "TermsFault",
    "criterion_clause",
    "criterion_sentence",
    "divisions",
    "group_need",
    "judge_limit",
    "judge_terms",
    "policy_sentences",
    "read_terms",
    "readings_of",
    "smallest_limit",
    "terms_of_configuration",
]


@dataclass(frozen=True)
class TermsFault:
    """What is wrong with terms: a stable code, the engine's sentence, the path of the field."""

    code: str
    sentence: str
    where: str


@dataclass(frozen=True)
class Readings:
    """What terms mean, for people: what is checked, who learns what, what the ledger is charged."""

    sentences: list[str]
    learners: list[tuple[str, str]]
    charge: str


@dataclass(frozen=True)
class GroupNeed:
    """How many people each group of a policy's finest division needs.

    ``ends_verdict``: with fewer there is no verdict; ``hides_all``: no number of any group. Else
    a group with fewer has no number shown, or there is no verdict. ``without_verdict``: the least
    and the most people of a group that isn't left out, and with which there is no verdict.
    """

    n_groups: int
    people: int
    ends_verdict: bool
    hides_all: bool
    without_verdict: tuple[int, int] | None


def group_need(terms: Configuration | PolicyTerms) -> GroupNeed:
    """Return what the groups of a policy need, so that it tells all that it can tell.

    A policy that leaves small groups out and tells verdicts alone needs nothing of each.
    """
    policy, attributes = terms.policy, terms.attributes
    ends_verdict = policy.small_groups == SmallGroups.UNDETERMINED
    return GroupNeed(
        n_groups=n_finest_groups(policy, attributes),
        people=least_decided(policy) if ends_verdict or policy.opens_table else 0,
        ends_verdict=ends_verdict,
        hides_all=hides_together(policy, attributes),
        without_verdict=sizes_without_verdict(policy),
    )


def read_terms(value: Mapping[str, Any]) -> PolicyTerms:
    """Return a policy's terms; Unusable names the first fault."""
    with unusable_input():
        return read_policy_terms(value)


def judge_terms(value: Mapping[str, Any]) -> PolicyTerms | list[TermsFault]:
    """Return a policy's terms, or all that is wrong with them and in which fields."""
    try:
        faults = terms_faults(value)
        if not faults:
            return read_policy_terms(value)
    except EngineError as error:
        return [TermsFault(error.code, error.sentence, "")]
    return [TermsFault(error.code, error.sentence, error.where) for error in faults]


def judge_limit(terms: PolicyTerms, data_holder: str) -> TermsFault | None:
    """Return what is wrong with the terms' limit for the parties of this site, or None."""
    trains = data_holder == EngineRole.MODELER.value
    holder = EngineRole.MODELER if trains else EngineRole.REGULATOR
    try:
        check_party_limits(terms.question_bits_limit, holder, find_parties().values())
    except UsageError as error:
        return TermsFault(error.code, error.sentence, error.where)
    return None


def smallest_limit(configuration: Configuration) -> int:
    """Return what answers about a study's people may tell, in bits: the least that anybody allows.

    That is the study, or a party whose operator allows less by now.
    """
    holder = configuration.data_holder
    own = [party.bits_limit(holder) for party in find_parties().values()]
    return min([configuration.question_bits_limit, *own])


def readings_of(terms: PolicyTerms, translate: Callable[[str], str]) -> Readings:
    """Return what terms mean, for people."""
    return Readings(
        [
            *_policy_sentences(terms.policy, terms.attributes, terms.label, translate),
            kind_sentence(terms.policy, translate),
        ],
        _policy_learners(terms.policy, translate),
        charge_sentence(terms, translate),
    )


def terms_of_configuration(configuration: Configuration) -> PolicyTerms:
    """Return the terms of a study's policy."""
    return PolicyTerms(
        configuration.policy,
        configuration.attributes,
        configuration.label,
        configuration.question_bits_limit,
    )


def policy_sentences(configuration: Configuration, translate: Callable[[str], str]) -> list[str]:
    """Return what a study's policy checks and tells, and how often, or what training opens."""
    sentences = _policy_sentences(
        configuration.policy, configuration.attributes, configuration.label, translate
    )
    if configuration.data_holder.value == Role.MODELER:
        return [*sentences, training_sentence(translate)]
    return [*sentences, kind_sentence(configuration.policy, translate)]


def criterion_sentence(
    configuration: Configuration, criterion: PolicyCriterion, translate: Callable[[str], str]
) -> str:
    """Return what one criterion asks of two groups, as part of a sentence."""
    return _criterion_sentence(criterion, configuration.label, translate)
