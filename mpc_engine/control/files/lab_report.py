"""The lab's report as a file: figures, claims, failed runs, and under what they were made.

The lab writes it, a site publishes it. What a site shows is read here, field by field and bounded:
texts, numbers and names of colours, nothing that a browser would execute. The points behind the
figures come last in the file and are for programs; they are not read.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NoReturn

from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError
from mpc_engine.vocabulary.claims import ClaimVerdict

FORMAT = "blindjustice-lab/2"
CODE = "LAB_REPORT_INVALID"
MAX_REPORT_BYTES = 1 << 25
_MAX_FIGURES, _MAX_PANELS, _MAX_SERIES, _MAX_POINTS = 40, 40, 20, 1_000
_MAX_COLUMNS, _MAX_ROWS, _MAX_TEXTS = 20, 1_000, 100
_MAX_TITLE, _MAX_TEXT = 200, 4_000
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)
_DASHES = ("solid", "dash", "dot", "dashdot")

Cell = str | int | float | None


class Colour(StrEnum):
    """The colours of lines; whoever draws knows what each looks like."""

    BLUE = "blue"
    ORANGE = "orange"
    GREEN = "green"
    GREY = "grey"
    BLACK = "black"
    RED = "red"
    PURPLE = "purple"
    OCHRE = "ochre"
    TURQUOISE = "turquoise"
    BROWN = "brown"


@dataclass(frozen=True)
class LabSeries:
    """A line; ``y`` is None where a run failed, which leaves a gap.

    ``dash``: "solid", "dash", "dot" or "dashdot". ``marks``: whether points are marked.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    colour: Colour
    dash: str = "solid"
    marks: bool = True


@dataclass(frozen=True)
class LabPanel:
    """One pair of axes; ``x_log``: the horizontal one is logarithmic."""

    title: str
    x_label: str
    y_label: str
    series: tuple[LabSeries, ...]
    x_log: bool = True
    y_log: bool = False


@dataclass(frozen=True)
class LabTable:
    """Rows of texts and numbers under names of columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class LabFigure:
    """Panels, a table, or both.

    ``sentence``: what it shows. ``reproduces``: of the paper, or why it has no counterpart there.
    ``remarks``: what it says beyond, made from its own numbers.
    """

    name: str
    title: str
    sentence: str
    reproduces: str
    panels: tuple[LabPanel, ...] = ()
    table: LabTable | None = None
    remarks: tuple[str, ...] = ()

    def fields(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


@dataclass(frozen=True)
class Claim:
    """``figure``: the one to look at; ``evidence``: the numbers that decided."""

    name: str
    text: str
    figure: str
    verdict: ClaimVerdict
    evidence: str

    def fields(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


@dataclass(frozen=True)
class FailedRuns:
    """Runs that failed alike: what kind, what that is, how many, and which."""

    kind: str
    explanation: str
    runs: int
    where: str

    def fields(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


@dataclass(frozen=True)
class LabReport:
    """What is shown of a report; ``made``: under what, as names and texts."""

    title: str
    intro: tuple[str, ...]
    made: tuple[tuple[str, str], ...]
    claims: tuple[Claim, ...]
    failures: tuple[FailedRuns, ...]
    figures: tuple[LabFigure, ...]


def read_lab_report(data: bytes) -> LabReport:
    """Return what a file shows; UsageError (``LAB_REPORT_INVALID``) names the field at fault."""
    fields = Fields(_loaded(data), "report", code=CODE)
    if fields.raw_text("format", maximum=_MAX_TITLE) != FORMAT:
        _refuse(f"It is no report of the format {FORMAT}; run the lab of this version again.")
    report = LabReport(
        title=fields.text("title", maximum=_MAX_TITLE),
        intro=_texts(fields, "intro"),
        made=_made(fields),
        claims=tuple(map(_claim, fields.objects("claims", maximum=_MAX_TEXTS))),
        failures=tuple(map(_failed, fields.objects("failures", maximum=_MAX_TEXTS))),
        figures=tuple(map(_figure, fields.objects("figures", 1, _MAX_FIGURES))),
    )
    _texts(fields, "absent")
    fields.items("points")
    fields.end()
    names = {figure.name for figure in report.figures}
    if len(names) < len(report.figures):
        _refuse("Two figures have one name.")
    return report


def read_figure(value: object) -> LabFigure:
    """Return a figure from its `Figure.fields`; UsageError (``LAB_REPORT_INVALID``)."""
    return _figure(Fields(value, "figure", code=CODE))


def told(value: object) -> str:
    """Return a cell, or what a report says of how it was made, as text."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {told(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(told, value))
    return str(value)


def _loaded(data: bytes) -> object:
    if len(data) > MAX_REPORT_BYTES:
        _refuse(f"The file has more than {MAX_REPORT_BYTES >> 20} MiB.")
    try:
        loaded: object = json.loads(
            data.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_once
        )
    except (ValueError, RecursionError):
        _refuse("The file is not JSON.")
    return loaded


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field twice")
    return found


def _refuse(sentence: str) -> NoReturn:
    raise UsageError(sentence, code=CODE)


def _claim(fields: Fields) -> Claim:
    claim = Claim(
        name=_name(fields),
        text=fields.text("text", maximum=_MAX_TEXT),
        figure=_name(fields, "figure"),
        verdict=ClaimVerdict(fields.choice("verdict", [each.value for each in ClaimVerdict])),
        evidence=fields.text("evidence", maximum=_MAX_TEXT),
    )
    fields.end()
    return claim


def _failed(fields: Fields) -> FailedRuns:
    failed = FailedRuns(
        kind=fields.text("kind", maximum=_MAX_TITLE),
        explanation=fields.text("explanation", maximum=_MAX_TEXT),
        runs=fields.integer("runs"),
        where=fields.text("where", maximum=_MAX_TEXT),
    )
    fields.end()
    return failed


def _figure(fields: Fields) -> LabFigure:
    has_table = not fields.is_null("table")
    figure = LabFigure(
        name=_name(fields),
        title=fields.text("title", maximum=_MAX_TITLE),
        sentence=fields.text("sentence", maximum=_MAX_TEXT),
        reproduces=fields.text("reproduces", maximum=_MAX_TEXT),
        panels=tuple(map(_panel, fields.objects("panels", maximum=_MAX_PANELS))),
        table=_table(fields.inner("table")) if has_table else None,
        remarks=_texts(fields, "remarks"),
    )
    fields.end()
    return figure


def _panel(fields: Fields) -> LabPanel:
    panel = LabPanel(
        title=fields.text("title", maximum=_MAX_TITLE),
        x_label=fields.text("x_label", maximum=_MAX_TITLE),
        y_label=fields.text("y_label", maximum=_MAX_TITLE),
        series=tuple(map(_series, fields.objects("series", maximum=_MAX_SERIES))),
        x_log=fields.truth("x_log"),
        y_log=fields.truth("y_log"),
    )
    fields.end()
    return panel


def _series(fields: Fields) -> LabSeries:
    series = LabSeries(
        name=fields.text("name", maximum=_MAX_TITLE),
        x=tuple(_number(each, fields) for each in fields.items("x", maximum=_MAX_POINTS)),
        y=tuple(
            None if each is None else _number(each, fields)
            for each in fields.items("y", maximum=_MAX_POINTS)
        ),
        colour=Colour(fields.choice("colour", [each.value for each in Colour])),
        dash=fields.choice("dash", _DASHES),
        marks=fields.truth("marks"),
    )
    fields.end()
    if len(series.x) != len(series.y):
        _refuse(f"{fields.where} has not as many y as x.")
    return series


def _table(fields: Fields) -> LabTable:
    columns = _texts(fields, "columns", _MAX_COLUMNS)
    rows = []
    for row in fields.items("rows", maximum=_MAX_ROWS):
        if not isinstance(row, list) or len(row) != len(columns):
            _refuse(f"{fields.where} has a row without a cell for each column.")
        rows.append(tuple(_cell(cell, fields) for cell in row))
    fields.end()
    return LabTable(columns, tuple(rows))


def _cell(value: object, fields: Fields) -> Cell:
    if value is None:
        return None
    return _text(value, fields) if isinstance(value, str) else _number(value, fields)


def _number(value: object, fields: Fields) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(f"{fields.where} has something in the place of a number.")
    if isinstance(value, int) and abs(value) < 1 << 53:
        return value
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        _refuse(f"{fields.where} has a number that is too large.")
    return number


def _name(fields: Fields, name: str = "name") -> str:
    found = fields.text(name, maximum=40)
    if not _NAME.fullmatch(found):
        fields.refuse(name, "must be a name of lower-case letters, digits and hyphens", "")
    return found


def _texts(fields: Fields, name: str, maximum: int = _MAX_TEXTS) -> tuple[str, ...]:
    return tuple(_text(each, fields) for each in fields.items(name, maximum=maximum))


def _text(value: object, fields: Fields) -> str:
    return Fields({"text": value}, fields.where, code=CODE).text("text", maximum=_MAX_TEXT)


def _made(fields: Fields) -> tuple[tuple[str, str], ...]:
    """Return names and texts of an object that may hold lists and one more level of objects."""
    made = fields.object("made")
    if len(made) > _MAX_TEXTS or not _is_flat(made, levels=3):
        fields.refuse("made", f"has more than {_MAX_TEXTS} fields, or is too deep", None)
    return tuple((_text(name, fields), _text(told(value), fields)) for name, value in made.items())


def _is_flat(value: object, levels: int) -> bool:
    if not isinstance(value, list | dict):
        return True
    inside = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_flat(each, levels - 1) for each in inside)
