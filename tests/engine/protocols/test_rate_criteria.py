"""Every criterion on rates, whatever the groups: oracle = circuit = the independent reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np
import pytest

from mpc_engine.circuits import Circuit, CircuitBuilder
from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.circuit_algebra import CircuitAlgebra
from mpc_engine.protocols.certification.circuit import opened_wires
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.predicate import certifies, evaluate_policy
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.certification.tally_circuit import TallyPlan, count_width
from mpc_engine.protocols.certification.verdict import read_opened
from mpc_engine.vocabulary.criteria import RATE_CRITERIA, CriterionName
from mpc_engine.vocabulary.rates import Count
from tests.engine.protocols.rate_cases import (
    EACH_SHAPE,
    SHAPES,
    counted,
    random_people,
    rules_for,
    spec_of,
    varied,
)
from tests.engine.protocols.rate_reference import Person, RateAnswer, Rules, example, judge_rates

_LARGEST = 1023
CRITERIA = [name.value for name in RATE_CRITERIA]


@lru_cache(maxsize=4)
def predicate_circuit(spec: CertificationSpec) -> Circuit:
    """Build the policy's predicate on counters; inputs: counts, in the order of the tally."""
    builder = CircuitBuilder()
    algebra = CircuitAlgebra(builder)
    plan = TallyPlan.of(spec)
    width = count_width(_LARGEST)
    wires = builder.input("counts", (plan.n_counters + 1) * width)
    words = [
        algebra.word([*wires[i : i + width], False], 0, _LARGEST)
        for i in range(0, len(wires), width)
    ]
    counts = plan.arranged(words[:-1], spec, words[-1])
    judgement = evaluate_policy(algebra, spec, [], None, counts)
    builder.output("verdict", opened_wires(spec, judgement, _LARGEST))
    return builder.build()


def counters(spec: CertificationSpec, counts: Sequence[GroupCounts[int]]) -> list[int]:
    """Return counts in the order of the tally, and the number of people last."""
    plan = TallyPlan.of(spec)
    of_groups = {
        cell: group
        for cells, item in zip(spec.cells, counts, strict=True)
        for cell, group in zip(cells, item.groups, strict=True)
    }
    values = []
    for count in plan.counts:
        values += [of_groups[cell][count] for cell in plan.groups]
        if plan.everybody and count is not Count.SIZE:
            values.append((counts[0].everybody or {})[count])
    return [*values, (counts[0].everybody or {Count.SIZE: 0})[Count.SIZE]]


def by_circuit(spec: CertificationSpec, rows: list[list[int]]) -> list[RateAnswer]:
    """Evaluate the circuit on many cohorts at once."""
    width = count_width(_LARGEST)
    bits = np.array(
        [[value >> place & 1 for value in row for place in range(width)] for row in rows],
        dtype=np.uint8,
    )
    answers = []
    for row in predicate_circuit(spec).evaluate(bits).tolist():
        opened = read_opened(spec, row, _LARGEST)
        answers.append(
            RateAnswer(
                opened.verdict.value,
                None if opened.reason is None else opened.reason.name,
                opened.passes,
                opened.worst,
                opened.best,
                opened.left_out,
            )
        )
    return answers


def by_oracle(spec: CertificationSpec, counts: Sequence[GroupCounts[int]]) -> RateAnswer:
    algebra = PlainAlgebra()
    judgement = evaluate_policy(algebra, spec, [], None, counts)
    bits = judgement.bits
    reason = next((item.name for item in spec.reasons if bits.reasons[item]), None)
    verdict = "PASS" if certifies(algebra, spec, bits) else "FAIL"
    if reason is not None:
        verdict = "UNDETERMINED"
    return RateAnswer(verdict, reason, bits.passes, bits.worst, bits.best, judgement.left_out)


def agree_three_ways(rules: Rules, cohorts: list[list[Person]]) -> list[RateAnswer]:
    """Return the answers of the reference, which oracle and circuit give too."""
    spec = spec_of(rules)
    expected, rows = [], []
    for people in cohorts:
        answer = judge_rates(rules, people)
        if rules.small_groups != "excluded_and_named":
            answer = replace(answer, small=())
        counts = counted(spec, rules, people)
        assert by_oracle(spec, counts) == answer, people
        expected.append(answer)
        rows.append(counters(spec, counts))
    assert by_circuit(spec, rows) == expected
    return expected


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
def test_two_small_groups_are_judged_alike_in_every_case_there_is(criterion: str) -> None:
    """Every two rates of up to five cases: equal, one off, zero of zero, one person, nobody."""
    rules = rules_for(criterion, "2 groups")
    rates = CriterionName(criterion).rates
    fractions = [(hits, cases) for cases in range(6) for hits in range(cases + 1)]
    cohorts = []
    for one, other in product(fractions, repeat=2):
        people: list[Person] = []
        if criterion != "p_rule" and not criterion.startswith("acceptance"):
            people = [Person((k,), decision, None) for k in (0, 1) for decision in (0, 1)]
        for name in rates:
            success, failure = example(name.value)
            for group, (hits, cases) in enumerate((one, other)):
                people += [Person((group,), *success)] * hits
                people += [Person((group,), *failure)] * (cases - hits)
        cohorts.append(people)
    answers = agree_three_ways(rules, cohorts)
    assert {answer.reason for answer in answers} >= {None, "TOO_FEW_DECIDED"}
    decided = [answer.passes for answer in answers if answer.reason is None]
    assert {bit for (row,) in decided for bit in row} == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("shape", EACH_SHAPE)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_random_policies_and_cohorts_are_judged_alike(criterion: str, shape: str) -> None:
    rng = np.random.default_rng(CRITERIA.index(criterion) * 3 + list(SHAPES).index(shape))
    for number in range(3):
        rules = varied(rules_for(criterion, shape), rng)
        cohorts = []
        for least in (0, rules.fewest_decided) * 6:
            people = random_people(
                rules, rng, least + 1 + number, least=least, silent=int(rng.integers(0, 5)),
                evenly=True,
            )  # fmt: skip
            cohorts.append(people)
        agree_three_ways(rules, [people for people in cohorts if people])
