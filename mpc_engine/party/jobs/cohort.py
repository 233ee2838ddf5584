"""The closed cohort that a job names, with the data where this party holds them."""

from __future__ import annotations

from mpc_engine.errors import UsageError
from mpc_engine.party.jobs.work import JobRun
from mpc_engine.party.services.committed_data import join_committed
from mpc_engine.party.services.data_rows import join_data, require_data
from mpc_engine.party.studies.closed_records import BLOCK_RECORDS, read_closed_records
from mpc_engine.party.studies.known_study import StudyState
from mpc_engine.protocols.instances import blocks_of
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


class ClosedCohort:
    """The closed cohort of a job, of which a block at a time is in memory: a `RecordSource`."""

    def __init__(self, run: JobRun) -> None:
        self._party = run.party
        self._study_id = run.spec.study_id
        self._n_records = run.study.n_records
        configuration = run.study.configuration
        is_holder = run.party.role is configuration.data_holder
        self._joins_file = is_holder and configuration.data_source == "file"

    def __repr__(self) -> str:
        return f"<ClosedCohort of {self._n_records} people>"

    def __len__(self) -> int:
        return self._n_records

    def read(self, people: slice) -> HeldRecords:
        """Return the records of these places, with the data where this party holds them.

        ResourceError ``STORE_INCOMPLETE``, UsageError ``RECORDS_WITHOUT_DATA``.
        """
        records = self._stored(people)
        return join_data(self._party, self._study_id, records) if self._joins_file else records

    def record_ids(self) -> list[bytes]:
        """Return everybody's record id; errors as of `read`, for the whole cohort."""
        blocks = blocks_of(self._n_records, BLOCK_RECORDS)
        found = [record_id for block in blocks for record_id in self._stored(block).record_ids]
        if self._joins_file:
            require_data(self._party, self._study_id, found)
        return found

    def _stored(self, people: slice) -> HeldRecords:
        with self._party.database.reading() as connection:
            return read_closed_records(connection, self._party.cipher, self._study_id, people)


def load_cohort(run: JobRun) -> HeldRecords:
    """Return the whole closed cohort; UsageError (``RECORDS_WITHOUT_DATA``) if data lack for some.

    Data that were committed to are checked against the commitment first (`committed_rows`).
    """
    party, configuration = run.party, run.study.configuration
    everybody = slice(0, run.study.n_records)
    if party.role is Role.MODELER and configuration.data_commitment is not None:
        with party.database.reading() as connection:
            records = read_closed_records(connection, party.cipher, run.spec.study_id, everybody)
        return join_committed(party, configuration, records)
    return ClosedCohort(run).read(everybody)
