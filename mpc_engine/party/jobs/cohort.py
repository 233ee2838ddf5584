"""The closed cohort that a job names, with the data where this party holds them."""

from __future__ import annotations

from mpc_engine.errors import UsageError
from mpc_engine.party.closed_records import load_closed_records
from mpc_engine.party.jobs.work import JobRun
from mpc_engine.party.services.committed_data import join_committed
from mpc_engine.party.services.data_rows import join_data
from mpc_engine.party.studies import StudyState
from mpc_engine.roles import Role
from mpc_engine.sharing.records import HeldRecords


def require_cohort(run: JobRun) -> None:
    """Raise UsageError unless the study is closed with the cohort that the job names.

    Codes: ``STUDY_NOT_CLOSED``, ``RECORD_SET_DIFFERENT``.
    """
    if run.study.state is not StudyState.CLOSED:
        raise UsageError("The study is not closed yet.", code="STUDY_NOT_CLOSED")
    if run.study.record_set != run.spec.record_set:
        raise UsageError(
            "The job names another cohort than the closed one.", code="RECORD_SET_DIFFERENT"
        )


def load_cohort(run: JobRun) -> HeldRecords:
    """Return the closed cohort; UsageError (``RECORDS_WITHOUT_DATA``) if data lack for some.

    Data that were committed to are checked against the commitment first (`committed_rows`).
    """
    party, configuration = run.party, run.study.configuration
    with party.database.reading() as connection:
        records = load_closed_records(
            connection, party.cipher, run.spec.study_id, run.study.n_records
        )
    if party.role is Role.MODELER and configuration.data_commitment is not None:
        return join_committed(party, configuration, records)
    if party.role is configuration.data_holder and configuration.data_source == "file":
        records = join_data(party, run.spec.study_id, records)
    return records
