"""Certifications on rates over the real protocol, compared with the oracle and the reference."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.spec import CertificationOutcome
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.policies import Disclosure
from tests.engine.protocols.both_sides import NONCE, certify_on_both_sides
from tests.engine.protocols.rate_cases import SIGN, as_arrays, spec_of
from tests.engine.protocols.rate_reference import Person, RateAnswer, Rules, judge_rates

EIGHTY = Rules((2,), ((0,),), (("p_rule", (Fraction(80),)),))


def certified(
    rules: Rules, people: list[Person], disclosure: Disclosure = Disclosure.VERDICT
) -> CertificationOutcome:
    """Certify over the real protocol; both parties and the oracle agree on all that is opened."""
    spec = spec_of(rules, disclosure)
    dealt = as_arrays(rules, people, np.random.default_rng(len(people)))
    answers = one_hot(dealt.choices, spec.entry_counts)
    oracle = certify_in_the_clear(spec, answers, dealt.features, SIGN, NONCE, dealt.labels)
    modeler, regulator = deal_records(answers, dealt.features, seeded_randomness(5), dealt.labels)
    outcomes = certify_on_both_sides(spec, modeler, regulator, SIGN)
    for outcome in outcomes:
        costless = replace(outcome, and_gates=0, ots=0, model_signature=oracle.model_signature)
        assert costless == oracle
    assert outcomes[0].model_signature is None
    assert outcomes[1].model_signature == oracle.model_signature
    return outcomes[1]


def read(outcome: CertificationOutcome) -> RateAnswer:
    """Return an outcome in the reference's words."""
    return RateAnswer(
        outcome.verdict.value,
        None if outcome.reason is None else outcome.reason.name,
        outcome.passes,
        outcome.worst,
        outcome.best,
        outcome.left_out,
    )


def agree(rules: Rules, people: list[Person]) -> RateAnswer:
    """Return the answer on which secure computation, oracle and reference agree."""
    expected = judge_rates(rules, people)
    if rules.small_groups != "excluded_and_named":
        expected = replace(expected, small=())
    assert read(certified(rules, people)) == expected
    return expected


def group(category: int, selected: int, size: int) -> list[Person]:
    """Return people of one category, of unknown outcome."""
    return [Person((category,), int(number < selected), None) for number in range(size)]
