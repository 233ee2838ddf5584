#!/usr/bin/env python3
"""Decide cases with one Blind Justice model: standard library only, integers only.

``decide({"duration": "24", ...})`` returns 1 (favourable) or 0. The numbers below are the model
that was handed in, so the same case always gets the decision that its certificate speaks of.
From a shell: ``python decide.py cases.csv`` prints one decision a row; the table may be written as
for an upload (``--decimal-comma`` where it writes 1,5 for one and a half).
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

# <reader>
from mpc_engine.sharing.data_table import TableFeature, read_table

# </reader>

# <model>
CONFIGURATION = ""
X_FRAC_BITS = 8
FEATURES: tuple[TableFeature, ...] = ()
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
    names = [feature.name for feature in FEATURES]
    missing = [name for name in names if name not in x]
    unknown = [name for name in x if name not in names]
    if missing or unknown:
        raise ValueError(f"missing features: {missing}, unknown features: {unknown}")
    total = THETA[0] * (1 << X_FRAC_BITS)
    for weight, feature in zip(THETA[1:], FEATURES, strict=True):
        name, smallest, largest = feature.name, feature.minimum, feature.maximum
        value = exact(x[name], name)
        if not Fraction(smallest) <= value <= Fraction(largest):
            raise ValueError(f"{name}: {x[name]} is not between {smallest} and {largest}")
        total += weight * encode(value, Fraction(feature.unit))
    return total


def decide(x: Mapping[str, object]) -> int:
    """Return 1 if the model's decision on ``x`` is the favourable one, else 0."""
    return 1 if score(x) >= 0 else 0


def decide_table(data: bytes, *, decimal_comma: bool = False) -> list[int]:
    """Return the decision of every row of a CSV; ValueError names the first fault by its row."""
    decisions = []
    for row in read_table(data, FEATURES, decimal_comma=decimal_comma).rows:
        try:
            decisions.append(decide(row.features))
        except ValueError as error:
            raise ValueError(f"Row {row.number}, {error}") from None
    return decisions


def main() -> None:
    """Print the decision of every row of a file, or what is wrong with it and nothing else."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("table", type=Path, help="CSV with a column for every feature")
    options.add_argument("--decimal-comma", action="store_true", help="the table writes 1,5")
    given = options.parse_args()
    try:
        decisions = decide_table(given.table.read_bytes(), decimal_comma=given.decimal_comma)
    except (OSError, ValueError) as error:
        sys.exit(f"Nothing was decided. {error}")
    sys.stdout.writelines(f"{decision}\n" for decision in decisions)


if __name__ == "__main__":
    main()
