"""Stopping a job for good, at the word of one side, whatever stage it is at.

A cancellation and the end of a job meet in this party's database: whichever comes first holds. The
site asks the modeler's party first, and the regulator's once that one has stopped: a training ends
at the modeler's, so nothing of it can be over at one party and cancelled at the other.

The site's word is enough. It could as well withhold the order to run a job, and learns nothing by
stopping one; questions stay counted as for any other job that broke.
"""

from __future__ import annotations

import time

from mpc_engine.control.post.exchanges.about_jobs import CancelJob, JobCancelled
from mpc_engine.control.post.jobs import CANCELLABLE_KINDS
from mpc_engine.errors import UsageError
from mpc_engine.party.studies.checkpoints import forget_checkpoints
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party
from mpc_engine.vocabulary.runs import JobKind


@carries_out(CancelJob)
def cancel_job(party: Party, order: CancelJob) -> None:
    """Let no attempt at a job begin or conclude any more; a running one ends within seconds.

    Its checkpoints are deleted; models of a sweep that were opened before stay. UsageError:
    ``JOB_ENDED`` if it is over at this party, ``NOT_CANCELLABLE`` for closings and verifications.
    """
    with party.database.transaction() as connection:
        attempts = connection.execute(
            "SELECT kind, state FROM attempts WHERE job_id = ?", (order.job_id,)
        ).fetchall()
        if any(JobKind(row["kind"]) not in CANCELLABLE_KINDS for row in attempts):
            raise UsageError("This kind of job is not cancelled.", code="NOT_CANCELLABLE")
        complete = connection.execute(
            "SELECT 1 FROM complete WHERE job_id = ?", (order.job_id,)
        ).fetchone()
        if complete is not None or any(row["state"] == "DONE" for row in attempts):
            raise UsageError("This job has ended already.", code="JOB_ENDED")
        connection.execute(
            "INSERT OR IGNORE INTO cancellations (job_id, by) VALUES (?, ?)",
            (order.job_id, order.by.value),
        )
        forget_checkpoints(connection, order.job_id)
        connection.execute(
            "UPDATE running SET deadline = ? WHERE job_id = ?", (time.monotonic(), order.job_id)
        )
        party.outbox.add(connection, JobCancelled(job_id=order.job_id, by=order.by))
    party.outbox.flush()
