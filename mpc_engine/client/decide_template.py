#!/usr/bin/env python3
"""Decide cases with one Blind Justice model: standard library only, integers only.

``decide({"duration": "24", ...})`` returns 1 (favourable) or 0. The numbers below are the model
that was handed in, so the same case always gets the decision that its certificate speaks of.
From a shell: ``python decide.py cases.csv`` prints one decision a row.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from collections.abc import Mapping
from fractions import Fraction

# <model>
CONFIGURATION = ""
X_FRAC_BITS = 8
FEATURES: tuple[tuple[str, str, str, str], ...] = ()  # name, unit, smallest and largest value
THETA: tuple[int, ...] = (0,)  # intercept first
# </model>

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,4}))?")


def exact(value: object, name: str) -> Fraction:
    """Return a number, or the text of one, as the exact rational its decimal text says."""
    if isinstance(value, bool):
        text = ""
    elif isinstance(value, float):
        text = float.__repr__(value)
    else:
        text = str(value).strip(" \t\r\n")
    match = NUMBER.fullmatch(text) if len(text) <= 64 else None
    if match is None or abs(int(match.group(1) or 0)) > 400:
        raise ValueError(f"{name}: {text[:64]!r} is not a number")
    return Fraction(text)


def encode(value: Fraction, unit: Fraction) -> int:
    """Return ``floor(value * 2^X_FRAC_BITS / unit + 1/2)``."""
    return math.floor(value * (1 << X_FRAC_BITS) / unit + Fraction(1, 2))


def score(x: Mapping[str, object]) -> int:
    """Return the integer whose sign decides; ValueError names a feature that can't be used."""
    names = [feature[0] for feature in FEATURES]
    missing = [name for name in names if name not in x]
    unknown = [name for name in x if name not in names]
    if missing or unknown:
        raise ValueError(f"missing features: {missing}, unknown features: {unknown}")
    total = THETA[0] * (1 << X_FRAC_BITS)
    for weight, (name, unit, smallest, largest) in zip(THETA[1:], FEATURES, strict=True):
        value = exact(x[name], name)
        if not Fraction(smallest) <= value <= Fraction(largest):
            raise ValueError(f"{name}: {x[name]} is not between {smallest} and {largest}")
        total += weight * encode(value, Fraction(unit))
    return total


def decide(x: Mapping[str, object]) -> int:
    """Return 1 if the model's decision on ``x`` is the favourable one, else 0."""
    return 1 if score(x) >= 0 else 0


def main(path: str) -> None:
    """Print the decision of every row of a CSV file; columns that are no feature are left out."""
    names = {feature[0] for feature in FEATURES}
    with open(path, encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            decision = decide({name: text for name, text in row.items() if name in names})
            sys.stdout.write(f"{decision}\n")


if __name__ == "__main__":
    main(sys.argv[1])
