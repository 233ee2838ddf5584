"""Look up what came for one record, for whoever holds its id; guesses are counted by address."""

from __future__ import annotations

from django.http import HttpRequest

from blindjustice_web.enrolment.models import Submission
from blindjustice_web.enrolment.selectors import submissions_of_record
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.lib.throttle import require_left, spend, spend_by_address
from blindjustice_web.studies.access import public_study
from blindjustice_web.studies.models import Study

GUESSES = "GUESSES_ADDRESS"


def look_up_record(
    request: HttpRequest, study_id: str, record_id: str
) -> tuple[Study, list[Submission]]:
    """Return the study and the record's versions of `submissions_of_record`, else NotThere."""
    require_left(request, GUESSES)
    spend(request, "LOOKUPS_RECORD", f"{study_id} {record_id}")
    study = public_study(study_id)
    try:
        return study, submissions_of_record(study, record_id)
    except NotThere:
        spend_by_address(request, GUESSES)
        raise
