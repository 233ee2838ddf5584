"""Encoding of a person's values: the ring's decimal encoding, with errors that name the feature."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from mpc_engine.errors import UsageError
from mpc_engine.ring.decimal_encoding import encode_decimal, parse_decimal

_MOST_DECIMALS = 40


def encode_value(text: str | int | float, unit: str, frac_bits: int, *, name: str = "value") -> int:
    """Return floor(value * 2^frac_bits / unit + 1/2), computed exactly on the decimal text.

    ``unit`` is a positive decimal text; a float counts as its shortest text. UsageError
    NOT_A_NUMBER naming ``name`` for blanks, words, nan and infinities.
    """
    _parse(text, name)
    return encode_decimal(text, unit, frac_bits)


def encode_feature(
    text: str | int | float, *, name: str, unit: str, minimum: str, maximum: str, frac_bits: int
) -> int:
    """Return the encoded value of one feature; UsageError VALUE_OUT_OF_RANGE naming it if outside.

    The range is compared on exact values before encoding; both ends are allowed.
    """
    value = _parse(text, name)
    if not parse_decimal(minimum) <= value <= parse_decimal(maximum):
        raise UsageError(
            f'"{name}" must lie between {minimum} and {maximum}.', code="VALUE_OUT_OF_RANGE"
        )
    return encode_decimal(text, unit, frac_bits)


def shown_value(x: int, unit: str, frac_bits: int) -> str:
    """Return the decimal text with the fewest decimals that encodes to ``x``, as people read it.

    Of several it is the nearest to the middle of the step: what was entered, or where that had more
    decimals than are kept, what it was rounded to. ``unit`` as `encode_value` takes it.
    """
    size = parse_decimal(unit) / (1 << frac_bits)
    for decimals in range(_MOST_DECIMALS):
        scaled = x * size * 10**decimals + Fraction(1, 2)
        nearest = scaled.numerator // scaled.denominator
        value = Fraction(nearest, 10**decimals)
        if -size <= 2 * (value - x * size) < size:
            return f"{Decimal(nearest).scaleb(-decimals):f}"
    return repr(float(x * size))


def _parse(text: str | int | float, name: str) -> Fraction:
    try:
        return parse_decimal(text)
    except UsageError as error:
        raise UsageError(f'"{name}" is not a number.', code=error.code) from None
