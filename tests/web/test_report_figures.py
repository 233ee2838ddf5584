"""The figures of reports: by hand, by an independent reference, and by SciPy."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact, norm

from blindjustice_web.presentation.reports.document import (
    probability_text,
    rate_text,
    ratio_text,
)
from blindjustice_web.presentation.reports.fisher import EXACT_PEOPLE, two_sided_p
from blindjustice_web.presentation.reports.impact_ratios import (
    FOUR_FIFTHS,
    GroupSelection,
    compare,
    further_selections,
)
from blindjustice_web.presentation.reports.sample_size import (
    POWER,
    SIGNIFICANCE,
    SampleDesign,
    people_needed,
    quantile,
    two_sided_quantile,
)
from tests.web import report_reference as reference

Z_ALPHA, Z_BETA = Fraction("1.96"), Fraction("0.8416")


def _groups(*counts: tuple[int, int], left_out: tuple[int, ...] = ()) -> list[GroupSelection]:
    return [
        GroupSelection(f"Group {number}", size, selected, number in left_out)
        for number, (size, selected) in enumerate(counts)
    ]


COUNTS = st.integers(0, 60).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size)))
SOME = st.integers(1, 60).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size)))


def test_a_tiny_group_is_reported_apart_and_is_never_the_reference() -> None:
    groups = _groups((1000, 500), (1000, 450), (10, 10), left_out=(2,))
    found = compare(groups)
    assert found.reference is groups[0]
    assert [row.impact_ratio for row in found.rows] == [Fraction(1), Fraction(9, 10), None]
    assert groups[2].rate == 1


def test_three_categories_stay_three() -> None:
    found = compare(_groups((72_664, 36_332), (42_645, 17_058), (5_881, 2_646)))
    assert [row.group.size for row in found.rows] == [72_664, 42_645, 5_881]
    ratios = [row.impact_ratio for row in found.rows]
    assert ratios == [1, Fraction(4, 5), Fraction(2_646 * 2, 5_881)]
    assert [ratio < FOUR_FIFTHS for ratio in ratios if ratio] == [False, False, False]


def test_with_nobody_selected_there_is_no_ratio() -> None:
    groups = _groups((1000, 0), (500, 0))
    found = compare(groups)
    assert [row.impact_ratio for row in found.rows] == [None, None]
    assert [group.rate for group in groups] == [0, 0]
    assert further_selections(groups[0], groups[1], FOUR_FIFTHS) is None


def test_a_group_without_numbers_has_no_figures() -> None:
    found = compare(_groups((1000, 400), (0, 0)))
    assert found.rows[1].group.rate is None
    assert found.rows[1].impact_ratio is None


@pytest.mark.parametrize(
    ("hidden", "is_bound"), [(False, True), (None, True), (True, False)], ids=str
)
def test_a_hidden_group_that_may_be_compared_makes_ratios_upper_bounds(
    hidden: bool | None, is_bound: bool
) -> None:
    found = compare([GroupSelection("A", 0, 0, hidden), *_groups((100, 78), (100, 70))])
    assert found.is_bound is is_bound
    assert found.n_ratios == 2


def test_a_group_that_may_be_left_out_is_no_reference_and_has_no_ratio() -> None:
    found = compare([GroupSelection("A", 10, 10, None), *_groups((100, 78), (100, 39))])
    assert [row.impact_ratio for row in found.rows] == [None, 1, Fraction(1, 2)]
    assert found.is_bound


def test_without_groups_to_compare_there_is_no_reference() -> None:
    assert compare(_groups((0, 0), (10, 5), left_out=(1,))).reference is None


def test_of_equal_rates_the_first_is_the_reference() -> None:
    groups = _groups((10, 4), (20, 10), (2, 1))
    assert compare(groups).reference is groups[1]


@given(st.lists(COUNTS, max_size=6), st.sets(st.integers(0, 5)))
def test_ratios_equal_the_reference_s(counts: list[tuple[int, int]], left_out: set[int]) -> None:
    found = compare(_groups(*counts, left_out=tuple(left_out)))
    ratios = [row.impact_ratio for row in found.rows]
    assert ratios == reference.impact_ratios(counts, left_out)


@given(SOME, SOME)
def test_fisher_s_p_equals_the_reference_s_exactly(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    found = two_sided_p(first[1], first[0], second[1], second[0])
    assert found == reference.fisher_p(first, second)


@given(SOME, SOME)
def test_fisher_s_p_is_scipy_s(first: tuple[int, int], second: tuple[int, int]) -> None:
    (size, selected), (other_size, other_selected) = first, second
    table = [[selected, size - selected], [other_selected, other_size - other_selected]]
    found = two_sided_p(selected, size, other_selected, other_size)
    assert float(found) == pytest.approx(fisher_exact(table).pvalue, rel=1e-9)


def test_fisher_s_p_of_the_lady_tasting_tea() -> None:
    """Fisher, The Design of Experiments: 3 of 4 cups right has 34 / 70 on both sides."""
    assert two_sided_p(3, 4, 1, 4) == Fraction(34, 70)
    assert two_sided_p(4, 4, 0, 4) == Fraction(2, 70)


LARGE = [
    (36_332, 72_664, 17_058, 42_645),
    (2_646, 5_881, 36_332, 72_664),
    (20_900, 42_645, 36_000, 72_664),
    (1_150, 2_500, 1_200, 2_500),
    (0, 3_000, 1, 3_000),
    (3_000, 3_000, 2_999, 3_000),
    (500_000, 1_000_000, 500_900, 1_000_000),
]


@pytest.mark.parametrize("table", LARGE)
def test_fisher_s_p_of_many_people_is_scipy_s(table: tuple[int, int, int, int]) -> None:
    selected, size, other_selected, other_size = table
    assert size + other_size > EXACT_PEOPLE
    pairs = [[selected, size - selected], [other_selected, other_size - other_selected]]
    found = float(two_sided_p(*table))
    assert found == pytest.approx(fisher_exact(pairs).pvalue, rel=1e-7, abs=1e-60)


BEYOND_THE_LAST_WEIGHT = [
    (10, 3_000, 90, 100),
    (100, 5_000, 100, 120),
    (10, 5_000, 90, 100),
    (10, 20_000, 90, 100),
    (0, 3_000, 100, 100),
    (0, 3_000, 3_000, 3_000),
]
"""Tables under 2^-256 as likely as the likeliest one, so that no walk reaches them."""
SWAPPED = [(*table[2:], *table[:2]) for table in BEYOND_THE_LAST_WEIGHT]
TIED = [(1150, 2500, 1200, 2500), (1150, 2500, 1201, 2500), (700, 1400, 350, 700)]


@pytest.mark.slow
@pytest.mark.parametrize("table", [(60, 1500, 45, 1500), *TIED, *BEYOND_THE_LAST_WEIGHT, *SWAPPED])
def test_of_many_people_the_value_is_never_under_the_true_one_and_hardly_above(
    table: tuple[int, int, int, int],
) -> None:
    selected, size, other_selected, other_size = table
    true = reference.fisher_p((size, selected), (other_size, other_selected))
    assert true <= two_sided_p(*table) <= true + Fraction(1, 1 << 200)


@given(SOME, SOME, st.integers(1, 100))
def test_further_selections_are_the_fewest_that_pass(
    group: tuple[int, int], best: tuple[int, int], percent: int
) -> None:
    own, other = _groups(group, best)
    found = further_selections(own, other, Fraction(percent, 100))
    if best[1] == 0:
        assert found is None
    else:
        assert found == reference.further_selections(group, best, percent)
        assert group[1] + found <= max(group[0], group[1])


def test_further_selections_by_hand() -> None:
    """Four fifths of 500/1000 are 40 %: 400 of 1000, 4 of 9 (3.6), and 45 % needs none."""
    best, *groups = _groups((1000, 500), (1000, 399), (1000, 400), (9, 0), (1000, 450))
    assert [further_selections(group, best, FOUR_FIFTHS) for group in groups] == [1, 0, 4, 0]


@given(
    st.integers(1, 999).map(lambda n: Fraction(n, 1000)),
    st.integers(1, 999).map(lambda n: Fraction(n, 1000)),
)
def test_sample_sizes_equal_the_formula_s(base: Fraction, ratio: Fraction) -> None:
    found = people_needed(SampleDesign(base, ratio, Z_ALPHA, Z_BETA))
    assert found == reference.people_needed(base, ratio, Z_ALPHA, Z_BETA)


def test_sample_sizes_by_hand() -> None:
    """50 % against 40 %: (1.96 sqrt(0.495) + 0.8416 sqrt(0.49))^2 / 0.01 = 387.3, so 388."""
    assert people_needed(SampleDesign(Fraction(1, 2), FOUR_FIFTHS, Z_ALPHA, Z_BETA)) == 388
    assert people_needed(SampleDesign(Fraction(1, 2), Fraction(1), Z_ALPHA, Z_BETA)) is None


@pytest.mark.parametrize("share", ["0.5", "0.8", "0.9", "0.95", "0.975", "0.995"])
def test_quantiles_are_scipy_s_to_four_places(share: str) -> None:
    assert float(quantile(Fraction(share))) == pytest.approx(norm.ppf(float(share)), abs=5e-5)


def test_the_usual_quantiles() -> None:
    assert (two_sided_quantile(SIGNIFICANCE), quantile(POWER)) == (Z_ALPHA, Z_BETA)


def test_no_ratio_under_four_fifths_looks_like_four_fifths() -> None:
    assert ratio_text(Fraction(79_999, 100_000)) == "0.799"
    assert ratio_text(FOUR_FIFTHS) == "0.800"
    assert ratio_text(Fraction(1)) == "1.000"


def test_rates_and_probabilities_as_texts() -> None:
    assert rate_text(Fraction(1, 3)) == "33.3\u00a0%"
    assert rate_text(Fraction(1, 2000)) == "0.1\u00a0%"
    assert rate_text(Fraction(1)) == "100.0\u00a0%"
    assert probability_text(Fraction(1, 20)) == "0.0500"
    assert probability_text(Fraction(500_001, 10_000_000)) == "0.0501"
    assert probability_text(Fraction(1, 100_000)) == "0.0001 or less"
    assert probability_text(Fraction(1)) == "1.0000"
