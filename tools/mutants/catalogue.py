"""Every mutant, in the order of the layers they are in."""

from __future__ import annotations

from tools.mutants import (
    access,
    audit,
    certification,
    closing,
    ending,
    ending_jobs,
    leaks,
    ledger,
    outages,
    parties,
    recovery,
    reports,
    resuming,
    revocations,
    site,
    stock,
    texts,
    training,
    training_jobs,
    transfers,
    verdicts,
    workers,
)
from tools.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *transfers.MUTANTS,
    *certification.MUTANTS,
    *ending.MUTANTS,
    *workers.MUTANTS,
    *training.MUTANTS,
    *verdicts.MUTANTS,
    *leaks.MUTANTS,
    *closing.MUTANTS,
    *texts.MUTANTS,
    *parties.MUTANTS,
    *ledger.MUTANTS,
    *ending_jobs.MUTANTS,
    *training_jobs.MUTANTS,
    *resuming.MUTANTS,
    *stock.MUTANTS,
    *access.MUTANTS,
    *audit.MUTANTS,
    *revocations.MUTANTS,
    *site.MUTANTS,
    *outages.MUTANTS,
    *recovery.MUTANTS,
    *reports.MUTANTS,
)
