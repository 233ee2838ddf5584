"""The reports there are, by the names in their addresses."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _

from blindjustice_web.lib.named import Named
from blindjustice_web.presentation.reports import four_fifths, local_law_144
from blindjustice_web.presentation.reports.document import Report
from blindjustice_web.presentation.reports.opened import OpenedTable

REPORTS: dict[str, Callable[[OpenedTable], Report]] = {
    local_law_144.NAME: local_law_144.local_law_144_report,
    four_fifths.NAME: four_fifths.four_fifths_report,
}


class ReportConverter:
    """Match the name of a report in a URL path."""

    regex = "|".join(REPORTS)

    def to_python(self, value: str) -> str:
        """Return the name as it stands in the path."""
        return value

    def to_url(self, value: str) -> str:
        """Return the name as it goes into a path."""
        return value


def report_names() -> list[Named]:
    """Return every report with its title."""
    return [
        Named(local_law_144.NAME, _("NYC Local Law 144 summary")),
        Named(four_fifths.NAME, _("US four-fifths report")),
    ]
