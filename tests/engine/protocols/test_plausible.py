"""The modeler lets out every outcome that a cohort can have, and hardly any other."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from mpc_engine.errors import DisputedError
from mpc_engine.fairness.discrete_laplace import largest_noise
from mpc_engine.protocols.certification.noise import n_noise_bits
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.plausible import require_plausible
from mpc_engine.protocols.certification.spec import CertificationOutcome, CertificationSpec
from mpc_engine.protocols.certification.tally_circuit import count_width
from mpc_engine.protocols.certification.verdict import table_widths
from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.testing.people import one_hot
from mpc_engine.vocabulary.criteria import RATE_CRITERIA
from mpc_engine.vocabulary.policies import Disclosure
from tests.engine.protocols.rate_cases import (
    SHAPES,
    SIGN,
    as_arrays,
    random_people,
    rules_for,
    spec_of,
    varied,
)
from tests.engine.protocols.rate_reference import Rules

_NONCE = bytes(range(32))
_CRITERIA = [name.value for name in RATE_CRITERIA]


def _bits(spec: CertificationSpec, said: CertificationOutcome, n: int) -> list[int]:
    """Return the bits that open an outcome, in the order of the circuit."""
    bits = [int(reason is said.reason) for reason in spec.reasons]
    bits += [
        int(bit) for rows in (said.passes, said.worst, said.best) for row in rows for bit in row
    ]
    bits += [int(bit) for bit in said.left_out]
    for row, widths in zip(said.table, table_widths(spec, n), strict=True):
        for value, width in zip(row, widths, strict=True):
            bits += [value >> place & 1 for place in range(width)]
    return bits


def _is_let_out(
    spec: CertificationSpec, bits: list[int], signature: bytes, own: bytes, n: int
) -> bool:
    try:
        require_plausible(spec, np.array(bits, dtype=np.uint8), signature, own, n)
    except DisputedError as error:
        assert error.code == "OUTCOME_IMPLAUSIBLE"
        return False
    return True


def test_no_table_of_other_people_in_one_division_than_in_another_is_let_out() -> None:
    groupings = ((0,), (1,), (0, 1))
    rules = Rules((2, 2), groupings, (("p_rule", (Fraction(80),)),), fewest_decided=2)
    spec = spec_of(rules, Disclosure.TABLE)
    width, own = count_width(50), b"s" * 32

    def is_let_out(*rows: tuple[int, int]) -> bool:
        shown = [value >> place & 1 for row in rows for value in row for place in range(width)]
        return _is_let_out(spec, [*[0] * len(spec.reasons), 1, *shown], own, own, 50)

    crossed = ((10, 5), (10, 5), (10, 5), (10, 6))
    assert is_let_out((20, 10), (20, 11), (20, 10), (20, 11), *crossed)
    assert not is_let_out((20, 11), (20, 11), (20, 10), (20, 11), *crossed)
    assert not is_let_out((20, 10), (20, 11), (21, 10), (20, 11), *crossed)


@pytest.mark.parametrize("small_groups", ["undetermined", "excluded", "excluded_and_named"])
def test_no_verdict_beside_a_table_that_says_another_is_let_out(small_groups: str) -> None:
    rules = Rules((2,), ((0,),), (("p_rule", (Fraction(80),)),), small_groups=small_groups)
    spec = spec_of(rules, Disclosure.TABLE)
    width, own = count_width(200), b"s" * 32
    left_out = [0, 0] if small_groups == "excluded_and_named" else []

    def is_let_out(passes: int, *counts: int) -> bool:
        shown = [value >> place & 1 for value in counts for place in range(width)]
        bits = [*[0] * len(spec.reasons), passes, *left_out, *shown]
        return _is_let_out(spec, bits, own if passes else bytes(32), own, 200)

    assert is_let_out(1, 100, 80, 100, 90)
    assert is_let_out(0, 100, 10, 100, 90)
    assert not is_let_out(1, 100, 10, 100, 90)
    assert not is_let_out(0, 100, 80, 100, 90)


@pytest.mark.parametrize(
    ("small_groups", "percent"),
    [("undetermined", 0), ("excluded", 0), ("excluded", 20), ("excluded_and_named", 20)],
)
def test_every_table_of_a_cohort_by_joined_divisions_is_let_out(
    small_groups: str, percent: int
) -> None:
    rules = Rules(
        (2, 3),
        ((0,), (0, 1), (1,)),
        (("p_rule", (Fraction(50),)),),
        small_groups=small_groups,
        floor_percent=Fraction(percent),
    )
    spec = spec_of(rules, Disclosure.TABLE)
    own, n_shown = model_signature(spec.config_digest, _NONCE, SIGN), 0
    for seed in range(40):
        dice = np.random.default_rng(seed)
        people = random_people(rules, dice, 12, silent=3, evenly=seed % 2 == 0)
        dealt = as_arrays(rules, people, dice)
        answers = one_hot(dealt.choices, spec.entry_counts)
        said = certify_in_the_clear(spec, answers, dealt.features, SIGN, _NONCE)
        n_shown += any(map(any, said.table))
        signature = said.model_signature or bytes(32)
        assert _is_let_out(spec, _bits(spec, said, len(people)), signature, own, len(people)), said
    assert n_shown


@pytest.mark.parametrize("disclosure", Disclosure)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("criterion", _CRITERIA)
def test_every_outcome_of_a_cohort_is_let_out(
    criterion: str, shape: str, disclosure: Disclosure
) -> None:
    dice = np.random.default_rng(_CRITERIA.index(criterion) * 7 + list(SHAPES).index(shape))
    for size in (1, 3, 8, 20):
        rules = varied(rules_for(criterion, shape), dice)
        people = random_people(rules, dice, size, silent=3, evenly=True)
        spec = spec_of(rules, disclosure)
        dealt = as_arrays(rules, people, dice)
        answers = one_hot(dealt.choices, spec.entry_counts)
        said = certify_in_the_clear(spec, answers, dealt.features, SIGN, _NONCE, dealt.labels)
        own = model_signature(spec.config_digest, _NONCE, SIGN)
        signature = said.model_signature or bytes(32)
        assert _is_let_out(spec, _bits(spec, said, len(people)), signature, own, len(people)), said


def _all_let_out(spec: CertificationSpec, n_bits: int) -> list[tuple[int, ...]]:
    own = b"s" * 32
    return [
        bits
        for bits in product((0, 1), repeat=n_bits)
        if any(_is_let_out(spec, list(bits), signature, own, 20) for signature in (own, bytes(32)))
    ]


def test_of_a_ladder_only_the_place_of_the_value_is_let_out() -> None:
    steps = tuple(Fraction(step) for step in (60, 70, 80))
    rules = Rules((2,), ((0,),), (("p_rule", steps),))
    spec = spec_of(rules)
    n_reasons = len(spec.reasons)
    said = _all_let_out(spec, n_reasons + 3)
    assert len(said) == n_reasons + 4
    assert all(not sum(bits[:n_reasons]) or not sum(bits[n_reasons:]) for bits in said)
    falling = spec_of(replace(rules, criteria=(("acceptance_rate_difference", steps),)))
    n_reasons = len(falling.reasons)
    rows = {bits[n_reasons:] for bits in _all_let_out(falling, n_reasons + 3)}
    assert rows == {(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)}


def test_the_worst_case_is_let_out_only_below_the_point_and_that_below_the_best() -> None:
    rules = Rules((2,), ((0,),), (("p_rule", (Fraction(80),)),), missing="bounds_shown")
    spec = spec_of(rules)
    n_reasons = len(spec.reasons)
    said = {bits[n_reasons:] for bits in _all_let_out(spec, n_reasons + 3)}
    assert said == {(0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1)}


@pytest.mark.parametrize("flipped", [0, 100, 255])
def test_no_other_signature_than_the_models_own_is_let_out(flipped: int) -> None:
    spec = spec_of(Rules((2,), ((0,),), (("p_rule", (Fraction(80),)),)))
    own = b"s" * 32
    passed, failed = [0] * len(spec.reasons) + [1], [0] * (len(spec.reasons) + 1)
    other = bytearray(own)
    other[flipped // 8] ^= 1 << flipped % 8
    zeros = bytearray(32)
    zeros[flipped // 8] ^= 1 << flipped % 8
    assert _is_let_out(spec, passed, own, own, 20)
    assert _is_let_out(spec, failed, bytes(32), own, 20)
    for bits, signature in ((passed, other), (passed, bytes(32)), (failed, own), (failed, zeros)):
        assert not _is_let_out(spec, bits, bytes(signature), own, 20)


def test_of_noised_cells_a_table_may_be_of_as_many_more_as_noise_can_add() -> None:
    rules = Rules((2,), ((0,),), (("p_rule", (Fraction(80),)),), fewest_decided=2)
    spec = replace(spec_of(rules, Disclosure.TABLE), epsilon=Fraction(8))
    own, widths = b"s" * 32, table_widths(spec, 20)

    def is_let_out(*counts: int, passes: int = 1) -> bool:
        bits = [*[0] * len(spec.reasons), passes]
        for value, width in zip(counts, [width for row in widths for width in row], strict=True):
            bits += [value >> place & 1 for place in range(width)]
        return _is_let_out(spec, bits, own if passes else bytes(32), own, 20)

    assert largest_noise(spec.noise_scale) == 15
    assert is_let_out(40, 20, 40, 20)
    assert not is_let_out(41, 20, 40, 20)
    assert is_let_out(34, 17, 46, 23)
    assert not is_let_out(34, 17, 48, 23)
    assert not is_let_out(20, 21, 20, 10)
    assert not is_let_out(20, 10, 20, 10, passes=0)
    assert not is_let_out(20, 1, 20, 1)


def test_every_noised_outcome_of_a_cohort_is_let_out() -> None:
    """With outcomes, divisions of a join, bounds on missing answers, and groups named."""
    groupings = ((0,), (0, 1), (1,))
    asked = (("p_rule", (Fraction(50),)), ("true_positive_rate_difference", (Fraction(40),)))
    rules = Rules((2, 2), groupings, asked)
    said, n_shown = set(), 0
    for seed in range(60):
        dice = np.random.default_rng(seed)
        own = replace(rules, missing=("bounds_shown", "left_out")[seed % 2])
        own = replace(own, small_groups=("undetermined", "excluded_and_named")[seed % 2])
        spec = replace(spec_of(own, Disclosure.TABLE), epsilon=Fraction(4))
        people = random_people(own, dice, 6, least=2, silent=3)
        dealt = as_arrays(own, people, dice)
        answers = one_hot(dealt.choices, spec.entry_counts)
        noise = dice.integers(0, 2, n_noise_bits(spec), dtype=np.uint8)
        found = certify_in_the_clear(
            spec, answers, dealt.features, SIGN, _NONCE, dealt.labels, noise
        )
        signature = model_signature(spec.config_digest, _NONCE, SIGN)
        shown = found.model_signature or bytes(32)
        n_shown += any(map(any, found.table))
        said.add(found.verdict)
        bits = _bits(spec, found, len(people))
        assert _is_let_out(spec, bits, shown, signature, len(people)), found
    assert n_shown
    assert len(said) > 1


def test_no_table_of_more_people_than_there_are_is_let_out() -> None:
    spec = spec_of(Rules((2,), ((0,),), (("p_rule", (Fraction(80),)),)), Disclosure.TABLE)
    width = count_width(20)

    def bits(*counts: int) -> list[int]:
        shown = [value >> place & 1 for value in counts for place in range(width)]
        return [*[0] * len(spec.reasons), 1, *shown]

    own = b"s" * 32
    assert _is_let_out(spec, bits(10, 5, 10, 5), own, own, 20)
    for counts in ((10, 5, 11, 5), (10, 11, 10, 5), (31, 5, 10, 5), (10, 10, 10, 5)):
        assert not _is_let_out(spec, bits(*counts), own, own, 20)
    no_verdict = bits(10, 5, 10, 5)
    no_verdict[0], no_verdict[len(spec.reasons)] = 1, 0
    assert not _is_let_out(spec, no_verdict, bytes(32), own, 20)
