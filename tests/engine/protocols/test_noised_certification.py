"""A noised certification over the real protocol: secure computation = oracle = reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import UsageError
from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.discrete_laplace import UNIFORM_BITS
from mpc_engine.protocols.certification.circuit import certification_circuit
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.noise import n_noise_bits, noised
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.predicate import evaluate_policy
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import CertificationOutcome, CertificationSpec
from mpc_engine.protocols.certification.tally_circuit import TallyPlan, count_width
from mpc_engine.protocols.certification.verdict import read_opened
from mpc_engine.roles import Role
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.criteria import RATE_CRITERIA, Bound
from mpc_engine.vocabulary.policies import Disclosure
from mpc_engine.vocabulary.rates import Count
from tests.builders.certification_specs import covariance, p_rule
from tests.engine.protocols.both_sides import NONCE
from tests.engine.protocols.noise_cases import judge_noised, noise_of
from tests.engine.protocols.rate_cases import (
    SIGN,
    as_arrays,
    random_people,
    rules_for,
    spec_of,
    varied,
)
from tests.engine.protocols.rate_reference import Person, RateAnswer, Rules
from tests.engine.protocols.rate_runs import EIGHTY, group, read
from tests.engine.protocols.running import run_protocol

_CRITERIA = [name.value for name in RATE_CRITERIA if name.bound is not Bound.Z_TEST]
_ALWAYS = ("p_rule", "positive_predictive_value_ratio")
_KINDS = {
    Count.TRUE_POSITIVES: (1, 1),
    Count.FALSE_POSITIVES: (1, 0),
    Count.TRUE_NEGATIVES: (0, 0),
    Count.FALSE_NEGATIVES: (0, 1),
}


class _Heard:
    """A party's randomness, which keeps the bits that the noise is drawn by."""

    def __init__(self, rng: Randomness, n_bits: int) -> None:
        self._rng, self._n_bits = rng, n_bits
        self.heard: list[NDArray[np.uint8]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rng, name)

    def bits(self, n: int) -> NDArray[np.uint8]:
        bits = self._rng.bits(n)
        if n == self._n_bits:
            self.heard.append(bits)
        return bits


def _noised(rules: Rules, epsilon: str, disclosure: Disclosure = Disclosure.VERDICT) -> Any:
    return replace(spec_of(rules, disclosure), epsilon=Fraction(epsilon))


def _run(
    spec: CertificationSpec, rules: Rules, people: list[Person], seed: int
) -> tuple[CertificationOutcome, NDArray[np.uint8]]:
    """Certify over the real protocol as the oracle does; return the outcome and the XOR of bits."""
    dealt = as_arrays(rules, people, np.random.default_rng(seed))
    answers = one_hot(dealt.choices, spec.entry_counts)
    held = deal_records(answers, dealt.features, seeded_randomness(5), dealt.labels)
    ears: dict[Role, _Heard] = {}

    def heard(run: Callable[..., Any]) -> Callable[[Any], Any]:
        def side(ctx: Any) -> Any:
            ears[ctx.role] = _Heard(ctx.rng, n_noise_bits(spec))
            return run(replace(ctx, rng=ears[ctx.role]))

        return side

    outcomes = run_protocol(
        heard(lambda ctx: certify_as_modeler(ctx, spec, held[0], SIGN, NONCE)),
        heard(lambda ctx: certify_as_regulator(ctx, spec, held[1])),
        seed,
    )
    drawn = [ears[role].heard for role in Role]
    assert [len(bits) for bits in drawn] == [1, 1]
    bits = drawn[0][0] ^ drawn[1][0]
    oracle = certify_in_the_clear(spec, answers, dealt.features, SIGN, NONCE, dealt.labels, bits)
    for outcome in outcomes:
        costless = replace(outcome, and_gates=0, ots=0, model_signature=oracle.model_signature)
        assert costless == oracle
    assert outcomes[1].model_signature == oracle.model_signature
    return outcomes[1], bits


def _expected(
    spec: CertificationSpec, rules: Rules, people: list[Person], bits: NDArray[np.uint8]
) -> RateAnswer:
    looked_at = [_KINDS[count] for count in spec.counts if count in _KINDS]
    counted = [spec.groupings[number] for number in spec.counted]
    noise = noise_of(bits, spec.noise_scale)
    expected = judge_noised(rules, counted, people, looked_at, noise)
    assert next(noise, None) is None
    if rules.small_groups != "excluded_and_named":
        expected = replace(expected, small=())
    return expected


def _tallied(spec: CertificationSpec, rules: Rules, people: list[Person]) -> list[int]:
    """Return the counters of the tally, person by person."""
    plan, values = TallyPlan.of(spec), []
    starts = [sum(rules.categories[:number]) for number in range(len(rules.categories))]
    own = [
        {start + c for start, c in zip(starts, person.choices, strict=True) if c is not None}
        for person in people
    ]
    for count in plan.counts:
        marks = [
            count is Count.SIZE
            or (count is Count.SELECTED and person.decision == 1)
            or (person.decision, person.outcome) == _KINDS.get(count)
            for person in people
        ]
        for cell in plan.groups:
            values.append(sum(m and o >= set(cell) for m, o in zip(marks, own, strict=True)))
        if plan.everybody and count is not Count.SIZE:
            values.append(sum(marks))
    return values


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["left_out", "worst_case_certifies"])
@pytest.mark.parametrize("groupings", [((0,), (1,)), ((0,), (0, 1), (1,))], ids=["apart", "joined"])
def test_circuit_and_oracle_equal_the_reference_on_many_draws(
    groupings: tuple[tuple[int, ...], ...], missing: str
) -> None:
    """Whatever is drawn: the same cohorts with twelve draws each, without the transfers."""
    asked = (
        ("p_rule", (Fraction(20), Fraction(90))),
        ("equalised_odds_difference", (Fraction(60),)),
    )
    rules = Rules((2, 2), groupings, asked, missing=missing, floor=3)
    spec, dice, said = _noised(rules, "8"), np.random.default_rng(5), set()
    for _ in range(3):
        people = random_people(rules, dice, 3, least=1, silent=1)
        people.append(Person((0, None), 1, 1))
        dealt = as_arrays(rules, people, dice)
        answers = one_hot(dealt.choices, spec.entry_counts)
        circuit, width = certification_circuit(spec, len(people)), count_width(len(people))
        for _ in range(12):
            row = dice.integers(0, 2, circuit.n_inputs, dtype=np.uint8)
            tallied = _tallied(spec, rules, people)
            row[circuit.input_slices["counts"]] = [
                n >> bit & 1 for n in tallied for bit in range(width)
            ]
            ours, theirs = (
                row[circuit.input_slices[f"{role}_noise"]] for role in ("modeler", "regulator")
            )
            expected = _expected(spec, rules, people, ours ^ theirs)
            oracle = certify_in_the_clear(
                spec, answers, dealt.features, SIGN, NONCE, dealt.labels, ours ^ theirs
            )
            bits = circuit.evaluate(row[None])[0][circuit.output_slices["verdict"]]
            opened = read_opened(spec, [int(bit) for bit in bits], len(people))
            assert read(oracle) == expected
            assert (opened.reason, opened.passes) == (oracle.reason, oracle.passes)
            assert (opened.worst, opened.best) == (oracle.worst, oracle.best)
            said.add(oracle.reason)
    assert None in said


@pytest.mark.parametrize(
    "criterion",
    [pytest.param(name, marks=[] if name in _ALWAYS else [pytest.mark.slow]) for name in _CRITERIA],
)
def test_noised_verdicts_equal_oracle_and_reference(criterion: str) -> None:
    dice = np.random.default_rng(_CRITERIA.index(criterion))
    rules = replace(varied(rules_for(criterion, "2 groups"), dice), missing="left_out")
    spec = _noised(rules, "4")
    for seed in range(2):
        people = random_people(rules, dice, 6, least=4, silent=2, evenly=True)
        outcome, bits = _run(spec, rules, people, seed)
        assert read(outcome) == _expected(spec, rules, people, bits)


@pytest.mark.parametrize("groupings", [((0,), (1,)), ((0,), (0, 1), (1,))], ids=["apart", "joined"])
@pytest.mark.parametrize(
    ("missing", "small_groups"),
    [
        ("left_out", "excluded_and_named"),
        ("worst_case_certifies", "undetermined"),
        pytest.param("bounds_shown", "undetermined", marks=pytest.mark.slow),
    ],
)
def test_several_divisions_and_criteria_read_one_draw(
    groupings: tuple[tuple[int, ...], ...], missing: str, small_groups: str
) -> None:
    """Two divisions by themselves, or three of a join, of which two are sums of the third."""
    asked = (
        ("p_rule", (Fraction(20), Fraction(90))),
        ("true_positive_rate_difference", (Fraction(60),)),
        ("acceptance_rate_difference", (Fraction(60), Fraction(10))),
    )
    rules = Rules((2, 2), groupings, asked, missing=missing, small_groups=small_groups, floor=3)
    spec = _noised(rules, "8")
    people = random_people(rules, np.random.default_rng(7), 5, least=3, silent=1)
    people.append(Person((0, None), 1, 1))
    outcome, bits = _run(spec, rules, people, 3)
    assert outcome.reason is None
    assert read(outcome) == _expected(spec, rules, people, bits)


def test_a_table_is_of_noised_cells_also_where_they_are_more_than_people() -> None:
    rules = replace(EIGHTY, fewest_decided=1)
    spec = _noised(rules, "1/8", Disclosure.TABLE)
    people = group(0, 3, 6) + group(1, 3, 6)
    largest = 0
    for seed in range(6):
        outcome, bits = _run(spec, rules, people, seed)
        cells = [max(0, 3 + noise) for noise in noise_of(bits, Fraction(16))]
        counts = ((sum(cells[:2]), cells[0]), (sum(cells[2:]), cells[2]))
        if outcome.reason is None:
            assert outcome.table == counts
            largest = max(largest, counts[0][0] + counts[1][0])
        else:
            assert not any(map(any, outcome.table))
    assert largest > len(people)


def test_either_partys_bit_changes_the_draw() -> None:
    """The highest bits, which matter most: flipped in both nothing changes, in one often."""
    spec = _noised(EIGHTY, "1", Disclosure.TABLE)
    circuit = certification_circuit(spec, 40)
    ours, theirs = (circuit.input_slices[f"{role}_noise"] for role in ("modeler", "regulator"))
    width, dice = 6, np.random.default_rng(3)
    row = dice.integers(0, 2, circuit.n_inputs, dtype=np.uint8)
    counts = [40, 40, 20, 20]
    row[circuit.input_slices["counts"]] = [n >> bit & 1 for n in counts for bit in range(width)]
    places = np.arange(UNIFORM_BITS - 1, n_noise_bits(spec), UNIFORM_BITS)
    swapped = row.copy()
    swapped[ours], swapped[theirs] = row[theirs], row[ours]
    flipped = np.repeat(row[None], len(places), axis=0)
    each = np.arange(len(places))
    flipped[each, ours.start + places] ^= 1
    flipped[each, theirs.start + places] ^= 1
    said = circuit.evaluate(np.vstack([row[None], swapped[None], flipped]))
    assert (said == said[0]).all()
    for part in (ours, theirs):
        apart = np.repeat(row[None], len(places), axis=0)
        apart[each, part.start + places] ^= 1
        assert (circuit.evaluate(apart) != said[0]).any(axis=1).mean() > 1 / 10


def test_noise_of_what_is_not_made_of_cells_is_refused() -> None:
    exact = spec_of(EIGHTY)
    with pytest.raises(UsageError, match="covariance"):
        replace(exact, criteria=(*exact.criteria, covariance(1)), epsilon=Fraction(1))
    with pytest.raises(UsageError, match="z test"):
        _noised(rules_for("acceptance_rate_z_test", "2 groups"), "1")
    with pytest.raises(UsageError, match="exact fraction"):
        replace(exact, epsilon=0.5)  # type: ignore[arg-type]
    for epsilon in ("0", "-1", "8.01", "1/1000"):
        with pytest.raises(UsageError, match="Noise of this size"):
            _noised(EIGHTY, epsilon)


def test_the_noise_of_a_cell_grows_with_the_divisions_that_are_counted() -> None:
    rules = Rules((2, 2, 2), ((0,), (1,), (2,)), EIGHTY.criteria)
    assert _noised(rules, "1").noise_scale == 6
    joined = replace(rules, groupings=((0,), (1,), (0, 1)))
    assert _noised(joined, "1").noise_scale == 2
    assert _noised(joined, "1").n_cells == 8
    assert _noised(replace(joined, missing="bounds_shown"), "1").n_cells == 10


def test_an_exact_certification_draws_nothing() -> None:
    spec = spec_of(EIGHTY)
    assert n_noise_bits(spec) == 0
    assert not [name for name in certification_circuit(spec, 9).input_slices if "noise" in name]
    assert replace(spec, criteria=(p_rule(80), covariance(1))).epsilon is None


def test_a_cell_below_zero_counts_as_nobody() -> None:
    counts = [{Count.SIZE: 10, Count.SELECTED: 3}, {Count.SIZE: 10, Count.SELECTED: 5}]
    item = GroupCounts(tuple(counts), None)
    found = noised(PlainAlgebra(), _noised(EIGHTY, "8"), [item], [-4, 1, 0, -15])
    assert [dict(group) for group in found[0].groups] == [
        {Count.SIZE: 8, Count.SELECTED: 0},
        {Count.SIZE: 5, Count.SELECTED: 5},
    ]


def test_rates_on_outcomes_are_decided_also_where_every_outcome_is_known() -> None:
    """The class of unknown outcome is empty; with noise it is a person, and ends no verdict."""
    rules = replace(rules_for("equalised_odds_difference", "2 groups"), fewest_decided=5)
    spec = _noised(rules, "8")
    known = dict.fromkeys(spec.counts, 30) | {Count.SIZE: 120, Count.SELECTED: 60}
    item = GroupCounts((known, known), None)
    counts = noised(PlainAlgebra(), spec, [item], [0, 0, 1, 0, 0, 0] * 2)
    assert counts[0].groups[0][Count.SELECTED] == 61
    bits = evaluate_policy(PlainAlgebra(), spec, (), None, counts).bits
    assert not any(bits.reasons.values())
