"""Every mutant, in the order of the layers they are in."""

from __future__ import annotations

from tests.mutants import certification, closing, parties, site, texts, transfers, verdicts
from tests.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *transfers.MUTANTS,
    *certification.MUTANTS,
    *verdicts.MUTANTS,
    *closing.MUTANTS,
    *texts.MUTANTS,
    *parties.MUTANTS,
    *site.MUTANTS,
)
