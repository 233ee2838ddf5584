"""Reports of the lab, as files have them."""

from __future__ import annotations

from blindjustice_web.engine.engine_client import unusable_input
from mpc_engine.control.files.lab_report import (
    MAX_REPORT_BYTES,
    Cell,
    Colour,
    LabFigure,
    LabPanel,
    LabReport,
    LabSeries,
    LabTable,
    read_figure,
    read_lab_report,
    told,
)

__all__ = [
    "MAX_REPORT_BYTES",
    "Cell",
    "Colour",
    "LabFigure",
    "LabReport",
    "LabPanel",
    "LabSeries",
    "LabTable",
    "read_figure",
    "told",
]


def read_report(data: bytes) -> LabReport:
    """Return what a file shows; Unusable names the field at fault."""
    with unusable_input():
        return read_lab_report(data)
