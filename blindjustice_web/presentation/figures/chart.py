"""The charts of a study: for each criterion the verdict at each threshold, for each model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.certificates.models import CertificationResult
from blindjustice_web.engine.engine_texts import isolated
from blindjustice_web.lib.labels import CriterionName, Verdict, title_of
from blindjustice_web.lib.named import Named
from blindjustice_web.presentation.cards.certificates import (
    ThresholdView,
    VerdictView,
    verdict_view,
)
from blindjustice_web.presentation.cards.studies import CriterionView
from blindjustice_web.presentation.figures.drawing import (
    hover_texts,
    place_keys,
    plain_figure,
    tick_label,
)

MARKS = {
    Verdict.PASS: ("circle", "--good"),
    Verdict.FAIL: ("x", "--bad"),
    Verdict.UNDETERMINED: ("diamond-open", "--open"),
}
"""Shape of each verdict, which alone tells them apart, and the site's colour for it."""


@dataclass(frozen=True)
class ChartRow:
    """One model: a row of the chart and of its table twin; ``verdict`` is at the certifying one."""

    model_name: str
    is_this: bool
    verdict: Named
    cells: list[ThresholdView]


@dataclass(frozen=True)
class Chart:
    """One criterion: the figure as Plotly reads it, its table twin, and the finding in words."""

    criterion: Named
    figure: dict[str, Any]
    rows: list[ChartRow]
    limits: list[str]
    certify_limit: str
    summary: str


def verdict_charts(
    results: Sequence[CertificationResult], criteria: Sequence[CriterionView], model_id: str
) -> list[Chart]:
    """Return a chart for each criterion of verdicts of a study, one model's row marked.

    Only the study's two organisations may be shown the verdicts of models without a certificate.
    """
    views = [(result, verdict_view(result)) for result in results]
    return [_chart(criterion, views, model_id) for criterion in criteria]


def _chart(
    asked: CriterionView, views: list[tuple[CertificationResult, VerdictView]], model_id: str
) -> Chart:
    rows = []
    for result, view in views:
        cells = [c for c in view.thresholds if c.criterion.value == asked.criterion.value]
        decisive = next(c.verdict for c in cells if c.threshold == asked.certify_at)
        rows.append(ChartRow(result.model.name, result.model_id == model_id, decisive, cells))
    return Chart(
        criterion=asked.criterion,
        figure=_figure(rows, asked),
        rows=rows,
        limits=asked.limits,
        certify_limit=asked.certify_limit,
        summary=_summary(rows, asked),
    )


def _figure(rows: list[ChartRow], asked: CriterionView) -> dict[str, Any]:
    figure = go.Figure()
    names = [row.model_name for row in rows]
    keys, hovers = place_keys(names), hover_texts(names)
    for verdict, (symbol, tone) in MARKS.items():
        points = [
            (cell.limit, key, hover)
            for row, key, hover in zip(rows, keys, hovers, strict=True)
            for cell in row.cells
            if cell.verdict.value == verdict.value
        ]
        if not points:
            continue
        label = title_of(verdict)
        figure.add_trace(
            go.Scatter(
                x=[limit for limit, _key, _hover in points],
                y=[key for _limit, key, _hover in points],
                hovertext=[hover for _limit, _key, hover in points],
                mode="markers",
                name=label,
                marker={"symbol": symbol, "size": 14, "line": {"width": 2}},
                hovertemplate="%{hovertext}<br>"
                + _("limit")
                + " %{x}<br>"
                + label
                + "<extra></extra>",
                meta={"tone": tone},
            )
        )
    figure.update_layout(
        template=None,
        xaxis={
            "title": {"text": _axis_title(asked)},
            "type": "category",
            "categoryorder": "array",
            "categoryarray": asked.limits,
            "tickangle": 0,
            "tickfont": {"size": 12},
        },
        yaxis={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": keys[::-1],
            "tickvals": keys,
            "ticktext": [tick_label(name) for name in names],
            "automargin": True,
        },
        legend={"orientation": "h", "y": 1.15},
        margin={"l": 16, "r": 16, "t": 48, "b": 56},
        height=160 + 48 * max(1, len(rows)),
    )
    figure.add_vline(x=asked.limits.index(asked.certify_limit), line={"dash": "dot", "width": 1})
    return plain_figure(figure)


def _axis_title(asked: CriterionView) -> str:
    if CriterionName(asked.criterion.value).is_stricter_above:
        return _("Limit (stricter on the right)")
    return _("Limit (stricter on the left)")


def _summary(rows: list[ChartRow], asked: CriterionView) -> str:
    if not rows:
        return _("No model has a verdict yet.")
    passed = [row.model_name for row in rows if row.verdict.value == Verdict.PASS.value]
    failed = [row.model_name for row in rows if row.verdict.value == Verdict.FAIL.value]
    undecided = len(rows) - len(passed) - len(failed)
    sentences = []
    if not all(row.is_this for row in rows):
        sentences.append(
            ngettext("One model was asked about.", "%(n)d models were asked about.", len(rows))
            % {"n": len(rows)}
        )
    if passed:
        sentences.append(
            _("At the limit that certifies (%(at)s), these pass: %(names)s.")
            % {"at": asked.certify_limit, "names": ", ".join(passed)}
        )
    if failed:
        sentences.append(
            _("At the limit that certifies (%(at)s), these do not pass: %(names)s.")
            % {"at": asked.certify_limit, "names": ", ".join(failed)}
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
    strictest = _strictest_pass(rows, asked)
    if strictest:
        sentences.append(strictest)
    return " ".join(sentences)


def _strictest_pass(rows: list[ChartRow], asked: CriterionView) -> str:
    """Say how strict a limit the marked model still passes."""
    strictest_last = CriterionName(asked.criterion.value).is_stricter_above
    for row in rows:
        passing = [c.limit for c in row.cells if c.verdict.value == Verdict.PASS.value]
        if row.is_this and passing:
            return _("The strictest limit that “%(name)s” passes is %(limit)s.") % {
                "name": isolated(row.model_name),
                "limit": passing[-1 if strictest_last else 0],
            }
    return ""
