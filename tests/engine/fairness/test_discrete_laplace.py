"""Noise from coins is discrete Laplace noise, but for what `distance` allows."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.discrete_laplace import (
    UNIFORM_BITS,
    coins,
    distance,
    exponential_bounds,
    largest_noise,
    noise,
    uniform_values,
)
from tests.engine.fairness.coin_distribution import noise_distribution

SCALES = [Fraction(1, 4), Fraction(1), Fraction(2), Fraction(32, 3)]
_ALL = 1 << UNIFORM_BITS


@pytest.mark.parametrize("scale", [*SCALES, Fraction(1000)])
def test_coins_are_the_nearest_whole_numbers(scale: Fraction) -> None:
    with localcontext() as context:
        context.prec = 150
        inverse = Decimal(scale.denominator) / Decimal(scale.numerator)
        for place, threshold in enumerate(coins(scale)):
            exact = _ALL / (1 + (inverse * 2**place).exp())
            assert abs(exact - threshold) < Decimal("0.5")
        assert (inverse * 2 ** len(coins(scale))).exp() >= _ALL
        assert (inverse * 2 ** (len(coins(scale)) - 1)).exp() < _ALL


@pytest.mark.parametrize("power", [Fraction(1, 1024), Fraction(1), Fraction(8), Fraction(50, 3)])
def test_bounds_of_an_exponential_hold_it_and_are_near(power: Fraction) -> None:
    low, high = exponential_bounds(power, 200)
    assert high - low < low >> 180
    with localcontext() as context:
        context.prec = 150
        exact = (Decimal(power.numerator) / Decimal(power.denominator)).exp() * 2**200
        assert low <= exact <= high


@pytest.mark.parametrize("scale", SCALES)
def test_what_is_drawn_is_as_near_to_the_ideal_as_is_said(scale: Fraction) -> None:
    """Total variation, from exact fractions; the ideal in 200 digits."""
    drawn = noise_distribution(scale)
    assert sum(drawn) == 1
    largest = largest_noise(scale)
    with localcontext() as context:
        context.prec = 200
        inverse = Decimal(scale.denominator) / Decimal(scale.numerator)
        a = (-inverse).exp()
        apart = 2 * a ** (largest + 1) / (1 + a)
        for number, share in enumerate(drawn):
            ideal = (1 - a) / (1 + a) * a ** abs(number - largest)
            apart += abs(ideal - Decimal(share.numerator) / Decimal(share.denominator))
        bound = distance(scale)
        assert apart / 2 <= Decimal(bound.numerator) / Decimal(bound.denominator)


def test_drawn_numbers_have_the_distribution() -> None:
    """A right generator fails with at most 1e-6 (Dvoretzky, Kiefer, Wolfowitz; Massart 1990)."""
    scale, n_draws = Fraction(4), 20_000
    words = system_randomness().words(n_draws, uniform_values(scale)).tolist()
    found = np.array([noise(PlainAlgebra(), scale, row) for row in words])
    exact = np.cumsum([float(share) for share in noise_distribution(scale)])
    largest = largest_noise(scale)
    below = np.array([(found <= value).mean() for value in range(-largest, largest + 1)])
    assert np.abs(below - exact).max() <= math.sqrt(math.log(2 / 1e-6) / (2 * n_draws))


@pytest.mark.parametrize("value", [0, _ALL - 1])
def test_the_ends_of_the_uniform_numbers_give_the_ends_of_the_noise(value: int) -> None:
    each = uniform_values(Fraction(2)) // 2
    rest = _ALL - 1 - value
    expected = largest_noise(Fraction(2)) if value == 0 else -largest_noise(Fraction(2))
    assert noise(PlainAlgebra(), Fraction(2), [value] * each + [rest] * each) == expected
