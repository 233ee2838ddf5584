"""What verdicts about one cohort may tell in all, counted by each party for itself.

With adaptive questions a party could learn a single person's bit from verdicts. So every attempt
at a certification is charged log2(number of its possible outcomes), aborted or not, before it
begins.
"""

from __future__ import annotations

import math

from mpc_engine.control.configuration import Configuration, Policy
from mpc_engine.errors import UsageError
from mpc_engine.fairness.groups import NoVerdict
from mpc_engine.party.party import Party


def n_outcomes(policy: Policy) -> int:
    """Return how many different outcomes a certification under a policy can have.

    Thresholds rise, so a criterion's passes are known once their number is.
    """
    return math.prod(len(item.thresholds) + 1 for item in policy.criteria) + len(NoVerdict)


def charge_verdict(party: Party, configuration: Configuration, job_id: bytes, attempt: int) -> None:
    """Charge one attempt to its cohort; UsageError (``VERDICT_BUDGET_SPENT``) past the limit."""
    cost = math.ceil(1000 * math.log2(n_outcomes(configuration.policy)))
    with party.database.transaction() as connection:
        (spent,) = connection.execute(
            "SELECT COALESCE(SUM(millibits), 0) FROM verdict_ledger WHERE study_id = ?",
            (configuration.study_id,),
        ).fetchone()
        if spent + cost > 1000 * party.config.verdict_bits_limit:
            raise UsageError(
                "The verdicts about this cohort have told as much as they may.",
                code="VERDICT_BUDGET_SPENT",
            )
        connection.execute(
            "INSERT INTO verdict_ledger (job_id, attempt, study_id, millibits) VALUES (?, ?, ?, ?)",
            (job_id, attempt, configuration.study_id, cost),
        )
