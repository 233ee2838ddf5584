"""The chart of a study: the verdict at each threshold, for each model asked about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.certificates.cards import ThresholdView, VerdictView, verdict_view
from blindjustice_web.certificates.models import CertificationResult, Verdict
from blindjustice_web.lib.named import Named

MARKS = {
    Verdict.PASS: ("circle", "#1b7f5c"),
    Verdict.FAIL: ("x", "#b3382c"),
    Verdict.UNDETERMINED: ("diamond-open", "#6b6f76"),
}
"""Shape and colour of each verdict: the shape alone tells them apart."""


@dataclass(frozen=True)
class ChartRow:
    """One model: a row of the chart and of its table twin."""

    model_name: str
    is_this: bool
    verdict: Named
    cells: list[ThresholdView]


@dataclass(frozen=True)
class Chart:
    """The figure as Plotly reads it, its table twin, and the finding in a sentence."""

    figure: dict[str, Any]
    rows: list[ChartRow]
    thresholds: list[str]
    summary: str


def verdict_chart(
    results: Sequence[CertificationResult], thresholds: list[str], certify_at: str, model_id: str
) -> Chart:
    """Return the chart of all verdicts of a study, with one model's row marked."""
    rows = [_row(result, verdict_view(result), model_id) for result in results]
    return Chart(
        figure=_figure(rows, thresholds, certify_at),
        rows=rows,
        thresholds=thresholds,
        summary=_summary(rows, certify_at),
    )


def _row(result: CertificationResult, view: VerdictView, model_id: str) -> ChartRow:
    return ChartRow(result.model.name, result.model_id == model_id, view.verdict, view.thresholds)


def _figure(rows: list[ChartRow], thresholds: list[str], certify_at: str) -> dict[str, Any]:
    figure = go.Figure()
    for verdict, (symbol, colour) in MARKS.items():
        points = [
            (cell.threshold, row.model_name)
            for row in rows
            for cell in row.cells
            if cell.verdict.value == verdict.value
        ]
        if not points:
            continue
        label = str(verdict.label)
        figure.add_trace(
            go.Scatter(
                x=[threshold for threshold, _name in points],
                y=[name for _threshold, name in points],
                mode="markers",
                name=label,
                marker={"symbol": symbol, "color": colour, "size": 14, "line": {"width": 2}},
                hovertemplate="%{y}<br>" + _("threshold") + " %{x}<br>" + label + "<extra></extra>",
            )
        )
    figure.update_layout(
        template=None,
        xaxis={
            "title": {"text": _("Threshold of the policy (stricter on the left)")},
            "type": "category",
            "categoryorder": "array",
            "categoryarray": thresholds,
        },
        yaxis={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [row.model_name for row in reversed(rows)],
            "automargin": True,
        },
        legend={"orientation": "h", "y": 1.15},
        margin={"l": 16, "r": 16, "t": 48, "b": 56},
        height=160 + 48 * max(1, len(rows)),
    )
    if certify_at in thresholds:
        figure.add_vline(x=thresholds.index(certify_at), line={"dash": "dot", "width": 1})
    plain: dict[str, Any] = json.loads(figure.to_json())
    plain["config"] = {"displayModeBar": False, "responsive": True}
    return plain


def _summary(rows: list[ChartRow], certify_at: str) -> str:
    if not rows:
        return _("No model has a verdict yet.")
    passed = [row.model_name for row in rows if row.verdict.value == Verdict.PASS.value]
    failed = [row.model_name for row in rows if row.verdict.value == Verdict.FAIL.value]
    undecided = len(rows) - len(passed) - len(failed)
    sentences = [
        ngettext("One model was asked about.", "%(n)d models were asked about.", len(rows))
        % {"n": len(rows)}
    ]
    if passed:
        sentences.append(
            _("At the threshold that certifies (%(at)s), these pass: %(names)s.")
            % {"at": certify_at, "names": ", ".join(passed)}
        )
    if failed:
        sentences.append(
            _("At the threshold that certifies (%(at)s), these do not pass: %(names)s.")
            % {"at": certify_at, "names": ", ".join(failed)}
        )
    if undecided:
        sentences.append(
            ngettext(
                "For one the question can't be decided.",
                "For %(n)d the question can't be decided.",
                undecided,
            )
            % {"n": undecided}
        )
    strictest = _strictest_pass(rows)
    if strictest:
        sentences.append(strictest)
    return " ".join(sentences)


def _strictest_pass(rows: list[ChartRow]) -> str:
    """Say how strict a threshold the marked model still passes."""
    for row in rows:
        if not row.is_this:
            continue
        passing = [c.threshold for c in row.cells if c.verdict.value == Verdict.PASS.value]
        if passing:
            return _("“%(name)s” passes down to a threshold of %(threshold)s.") % {
                "name": row.model_name,
                "threshold": passing[0],
            }
    return ""
