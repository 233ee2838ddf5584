"""The p%-rule curve: accuracy and p% against c, for the models of a training and their verdicts.

No rate is opened anywhere. p% is known as the bracket between the largest limit that a model passed
and the smallest that it failed, from the limits of the policy; each verdict was charged. Accuracy
is the word of the modeler's party about the rows that it trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import plotly.graph_objects as go
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.certificates.models import CandidateModel, CertificationResult, Verdict
from blindjustice_web.certificates.trainings import bounds_text
from blindjustice_web.jobs.engine_sweeps import P_RULE, Candidate, best_certified, refined
from blindjustice_web.lib.figures import plain_figure
from blindjustice_web.lib.named import Named
from blindjustice_web.studies.models import Study
from blindjustice_web.studies.services import approved_configuration

ACCURACY_COLOUR, BRACKET_COLOUR = "#3b4fa0", "#8f5200"
_WHOLE = Fraction(100)
_NEXT_BELOW = Fraction(1, 3)


@dataclass(frozen=True)
class CurveRow:
    """One model of the curve, and its row in the table.

    ``low`` and ``high``: the bracket of p%, whole where nothing is known; ``accuracy``: percent, or
    None; ``n_rows``: how many people it was computed on.
    """

    name: str
    c: Fraction
    c_text: str
    accuracy: Fraction | None
    n_rows: int | None
    low: Fraction
    high: Fraction
    verdict: Named | None
    bracket: str
    accuracy_text: str
    certificate_url: str
    is_best: bool


@dataclass(frozen=True)
class Curve:
    """The figure as Plotly reads it, its title, the finding in words, and the table twin."""

    title: str
    summary: str
    figure: dict[str, Any]
    rows: list[CurveRow]
    targets: list[str]


def curve_of(study: Study) -> Curve | None:
    """Return the curve of a study's trained models, strictest c first; None without any.

    In a study that trains, verdicts are those that the same regulator's studies gave to the models
    they took over.
    """
    models = study.models.exclude(bounds=[]).select_related("trained_as", "certificate")
    known = [(model, _verdict_of(model, study)) for model in models]
    if not known:
        return None
    candidates = {model.id: _candidate(model, result) for model, result in known}
    target = _target(known)
    best = best_certified(list(candidates.values()), target) if target else None
    rows = [
        _row(model, result, candidates[model.id], best is not None and best.model_id == model.id)
        for model, result in known
    ]
    rows.sort(key=lambda row: (row.c, row.name))
    more = refined(list(candidates.values()), target) if target else None
    return Curve(
        title=_title(rows, target),
        summary=_summary(rows, target, more),
        figure=_figure(rows, target),
        rows=rows,
        targets=[f"{target}"] if target else [],
    )


def _verdict_of(model: CandidateModel, study: Study) -> CertificationResult | None:
    about = CertificationResult.objects.filter(model=model)
    if model.trained_as_id is None:
        about = CertificationResult.objects.filter(
            model__trained_as=model, model__study__regulator=study.regulator
        )
    return about.select_related("model__certificate", "model__study").order_by("-at").first()


def _candidate(model: CandidateModel, result: CertificationResult | None) -> Candidate:
    asked = [] if result is None else result.thresholds
    limits: dict[str, list[Fraction]] = {verdict: [] for verdict in Verdict.values}
    for row in asked:
        if row["criterion"] == P_RULE:
            limits[row["verdict"]].append(Fraction(row["threshold"]))
    trained = model.trained_as or model
    return Candidate(
        model_id=model.id,
        c=max(Fraction(bound) for bound in model.bounds),
        passed=max(limits[Verdict.PASS], default=None),
        failed=min(limits[Verdict.FAIL], default=None),
        certified=result is not None and hasattr(result.model, "certificate"),
        right_per_mille=trained.right_per_mille,
    )


def _target(known: Sequence[tuple[CandidateModel, CertificationResult | None]]) -> Fraction | None:
    """Return the percentage that certifies, of the latest verdict's study; None without one."""
    results = [result for _model, result in known if result is not None]
    if not results:
        return None
    latest = max(results, key=lambda result: result.at)
    return certifying_percentage(latest.model.study)


def certifying_percentage(study: Study) -> Fraction | None:
    """Return the percentage of the p%-rule at which a study certifies; None where it asks none."""
    policy = approved_configuration(study).policy
    found = (item.certify_at for item in policy.criteria if item.criterion == P_RULE)
    at = next(found, None)
    return None if at is None else Fraction(at)


def _row(
    model: CandidateModel, result: CertificationResult | None, known: Candidate, is_best: bool
) -> CurveRow:
    trained = model.trained_as or model
    right = trained.right_per_mille
    certificate = getattr(result.model, "certificate", None) if result else None
    return CurveRow(
        name=model.name,
        c=known.c,
        c_text=bounds_text(model.bounds),
        accuracy=None if right is None else Fraction(right, 10),
        n_rows=trained.n_rows,
        low=known.passed or Fraction(0),
        high=known.failed or _WHOLE,
        verdict=Named.of(Verdict(result.verdict)) if result else None,
        bracket=_bracket(known, result),
        accuracy_text="" if right is None else f"{right / 10:.1f}\u00a0%",
        certificate_url=reverse("certificate_detail", args=(certificate.id,))
        if certificate
        else "",
        is_best=is_best,
    )


def _bracket(known: Candidate, result: CertificationResult | None) -> str:
    if result is None:
        return _("not certified yet")
    if known.passed is None and known.failed is None:
        return _("not decided")
    if known.passed is None:
        return _("below %(high)s %%") % {"high": _percent(known.failed)}
    if known.failed is None:
        return _("%(low)s %% or more") % {"low": _percent(known.passed)}
    return _("%(low)s %% or more, below %(high)s %%") % {
        "low": _percent(known.passed),
        "high": _percent(known.failed),
    }


def _percent(value: Fraction | None) -> str:
    return "" if value is None else f"{float(value):g}"


def _positions(rows: Sequence[CurveRow]) -> list[float]:
    """Return where each c is drawn: on a log axis 0 stands a third below the smallest other."""
    smallest = min((row.c for row in rows if row.c > 0), default=Fraction(1))
    return [float(row.c or smallest * _NEXT_BELOW) for row in rows]


def _figure(rows: Sequence[CurveRow], target: Fraction | None) -> dict[str, Any]:
    figure = go.Figure()
    positions = _positions(rows)
    judged = [
        (x, row)
        for x, row in zip(positions, rows, strict=True)
        if row.verdict is not None and row.verdict.value != Verdict.UNDETERMINED.value
    ]
    if judged:
        x: list[float | None] = []
        y: list[float | None] = []
        names: list[str] = []
        for position, row in judged:
            x += [position, position, None]
            y += [float(row.low), float(row.high), None]
            names += [row.bracket] * 3
        figure.add_trace(
            go.Scatter(
                x=x,
                y=y,
                text=names,
                mode="lines+markers",
                name=_("p% lies in here"),
                line={"color": BRACKET_COLOUR, "width": 6},
                marker={"symbol": "line-ew-open", "color": BRACKET_COLOUR, "size": 14},
                hovertemplate="c = %{x}<br>%{text}<extra></extra>",
                meta={"tone": "--regulator"},
            )
        )
    right = [(x, row) for x, row in zip(positions, rows, strict=True) if row.accuracy is not None]
    if right:
        figure.add_trace(
            go.Scatter(
                x=[x for x, _row in right],
                y=[float(row.accuracy or 0) for _x, row in right],
                mode="lines+markers",
                name=_("right decisions on training rows"),
                line={"color": ACCURACY_COLOUR, "width": 2, "dash": "dot"},
                marker={"symbol": "square", "color": ACCURACY_COLOUR, "size": 10},
                hovertemplate="c = %{x}<br>%{y:.1f} %<extra></extra>",
                meta={"tone": "--modeler"},
            )
        )
    ticks = dict(zip(positions, [row.c_text for row in rows], strict=True))
    figure.update_layout(
        template=None,
        xaxis={
            "title": {"text": _("c, the constraint (stricter on the left)")},
            "type": "log",
            "tickvals": list(ticks),
            "ticktext": list(ticks.values()),
        },
        yaxis={"title": {"text": _("percent")}, "range": [0, 101]},
        margin={"l": 16, "r": 16, "t": 48, "b": 56},
        height=380,
    )
    if target is not None:
        figure.add_hline(y=float(target), line={"dash": "dash", "width": 1})
    return plain_figure(figure)


def _title(rows: Sequence[CurveRow], target: Fraction | None) -> str:
    best = next((row for row in rows if row.is_best), None)
    if target is None:
        return ngettext(
            "One trained model, not certified yet",
            "%(n)d trained models, none certified yet",
            len(rows),
        ) % {"n": len(rows)}
    if best is None:
        return _("No model keeps the p%%-rule at %(at)s %% yet") % {"at": _percent(target)}
    values = {"c": best.c_text, "at": _percent(target), "right": best.accuracy_text}
    if best.accuracy is None:
        return _("c = %(c)s keeps the p%%-rule at %(at)s %%") % values
    return _("c = %(c)s keeps the p%%-rule at %(at)s %% and is right for %(right)s") % values


def _summary(rows: Sequence[CurveRow], target: Fraction | None, more: str | None) -> str:
    judged = [row for row in rows if row.verdict is not None]
    certified = [row for row in rows if row.certificate_url]
    sentences = [
        ngettext(
            "%(n)d model was trained; %(judged)d of them judged, %(certified)d certified.",
            "%(n)d models were trained; %(judged)d of them judged, %(certified)d certified.",
            len(rows),
        )
        % {"n": len(rows), "judged": len(judged), "certified": len(certified)}
    ]
    best = next((row for row in rows if row.is_best), None)
    if best is not None and best.accuracy is not None:
        sentences.append(
            _("Of the certified ones “%(name)s” is right most often: for %(right)s of its rows.")
            % {"name": best.name, "right": best.accuracy_text}
        )
    if more is not None:
        sentences.append(
            _("Between the last c that fails and the first that passes lies c = %(c)s: try it.")
            % {"c": more}
        )
    return " ".join(sentences)
