"""Exact encoding of decimal numbers as scaled integers: the one rounding rule of the product."""

from __future__ import annotations

import re
from fractions import Fraction

from mpc_engine.errors import UsageError

_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_BLANKS = " \t\r\n"
_MAX_CHARACTERS = 64
_MAX_EXPONENT = 400


def parse_decimal(text: str | int | float) -> Fraction:
    """Return the exact value of a decimal number; a float stands for its shortest repr.

    Raises UsageError (``NOT_A_NUMBER``) for blank text, words, fractions, NaN and infinities,
    and for text longer than 64 characters or with an exponent beyond 400.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        raise UsageError("This is not a decimal number.", code="NOT_A_NUMBER")
    if isinstance(text, int):
        if text.bit_length() > 4 * _MAX_CHARACTERS:
            raise UsageError("This number is too long.", code="NOT_A_NUMBER")
        return Fraction(text)
    digits = repr(text) if isinstance(text, float) else text.strip(_BLANKS)
    if len(digits) > _MAX_CHARACTERS or _DECIMAL.fullmatch(digits) is None:
        raise UsageError("This is not a decimal number.", code="NOT_A_NUMBER")
    _, _, exponent = digits.lower().partition("e")
    if exponent and abs(int(exponent)) > _MAX_EXPONENT:
        raise UsageError("This number is too large or too small.", code="NOT_A_NUMBER")
    return Fraction(digits)


def encode_decimal(text: str | int | float, unit: str | Fraction, frac_bits: int) -> int:
    """Return ``floor(value * 2^frac_bits / unit + 1/2)`` in exact rational arithmetic.

    ``unit`` is the size of one step of the feature in its original unit, positive. Raises
    UsageError for text that is no number or a unit that is not positive.
    """
    size = unit if isinstance(unit, Fraction) else parse_decimal(unit)
    if size <= 0:
        raise UsageError("A unit must be positive.", code="UNIT_NOT_POSITIVE")
    scaled = parse_decimal(text) * (1 << frac_bits) / size + Fraction(1, 2)
    return scaled.numerator // scaled.denominator
