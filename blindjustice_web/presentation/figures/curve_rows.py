"""One model of the p%-rule curve, with what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from blindjustice_web.lib.named import Named

_WHOLE = Fraction(100)


@dataclass(frozen=True)
class CurveRow:
    """One model of the curve, and its row in the table; shares are percent.

    ``accuracy``: right decisions on the ``n_rows`` rows trained on; ``held_out``, ``constant``: the
    model's and the better constant answer's on the ``n_held_out`` people it was certified on;
    ``right``: the one of the two that words and choices go by. None where not told. ``passed``,
    ``failed``: the largest limit of p% passed and the smallest failed, None without one.
    ``verdict``: the state of a certificate that is not valid, else the verdict.
    """

    name: str
    c: Fraction
    c_text: str
    accuracy: Fraction | None
    accuracy_text: str
    n_rows: int | None
    held_out: Fraction | None
    constant: Fraction | None
    n_held_out: int | None
    right: Fraction | None
    right_text: str
    passed: Fraction | None
    failed: Fraction | None
    is_decided: bool
    verdict: Named | None
    bracket: str
    certificate_url: str
    is_certified: bool
    is_best: bool

    @property
    def low(self) -> Fraction:
        """Return what p% is at least."""
        return self.passed or Fraction(0)

    @property
    def high(self) -> Fraction:
        """Return what p% is at most."""
        return _WHOLE if self.failed is None else self.failed

    @property
    def held_out_text(self) -> str:
        """Return the share of right decisions on held-out people in words, or ""."""
        return percent_text(self.held_out)

    @property
    def constant_text(self) -> str:
        """Return the constant answer's share in words, or ""."""
        return percent_text(self.constant)


def percent_text(share: Fraction | None) -> str:
    """Return percent with one decimal, or "" where nothing is known."""
    return "" if share is None else f"{float(share):.1f}\u00a0%"
