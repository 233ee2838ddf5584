"""The sweep: one model for each c, from hardly constrained to hardly unequal, and its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from demo.expectations import PASS
from mpc_engine.control.studies.training_terms import TrainingTerms

C_LADDER = ("0.1", "0.012", "0.008", "0.004", "0.001")
"""Bounds on the covariance. Without any bound it is about 0.02 on these people, so that the first
constrains nothing."""
STEPS = 320
"""Steps a model: 64 passes over the people. Eight times as many changed p% by a point at most on
average, and ``abs(covariance)`` by 0.0003."""


def training_terms(order_seed: bytes) -> TrainingTerms:
    """Return what the demo's modeler asks for: models of 24 coefficients of 19 bits each."""
    return TrainingTerms(
        preset="recommended",
        steps=STEPS,
        batch_size=64,
        points=tuple((c,) for c in C_LADDER),
        output_frac_bits=16,
        order_seed=order_seed,
    )


@dataclass(frozen=True)
class SweepRow:
    """One model of the sweep; ``as_expected``: all that both parties signed about it.

    ``told``: right decisions among a thousand rows trained on, by the modeler's party;
    ``held_out``: the share that the demo knows; brackets as `bracket` gives them.
    """

    c: str
    told: int
    held_out: Fraction
    bracket: str
    expected_bracket: str
    as_expected: bool


def bracket(verdicts: Sequence[tuple[str, str]]) -> str:
    """Return where p% lies by verdicts at limits: the largest passed, the smallest failed."""
    passed = [limit for limit, verdict in verdicts if verdict == PASS]
    failed = [limit for limit, verdict in verdicts if verdict != PASS]
    low, high = max(passed, key=Fraction, default=""), min(failed, key=Fraction, default="")
    if not low:
        return f"below {high}"
    return f"{low} to {high}" if high else f"{low} or more"


def sweep_sentence(rows: Sequence[SweepRow]) -> str:
    """Return what a sweep shows, loosest c first, for somebody who has never heard of it."""
    loosest, strictest = rows[0], rows[-1]
    return (
        f"Held to nothing, a model is right for {loosest.told / 10:.1f} of 100 people it learned "
        f"from, and its p% is {loosest.bracket}. Held to the strictest c it is right for "
        f"{strictest.told / 10:.1f}, and its p% is {strictest.bracket}."
    )


def sweep_table(rows: Sequence[SweepRow]) -> list[list[str]]:
    """Return the table of a sweep, its headings first."""
    headings = ["c", "right in training", "right held out", "p% certified", "p% expected", ""]
    return [
        headings,
        *(
            [
                row.c,
                f"{row.told / 10:.1f} %",
                f"{100 * float(row.held_out):.1f} %",
                row.bracket,
                row.expected_bracket,
                "as expected" if row.as_expected else "NOT AS EXPECTED",
            ]
            for row in rows
        ),
    ]
