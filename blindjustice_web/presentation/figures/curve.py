"""The p%-rule curve: accuracy and p% against c, for the models of a training and their verdicts.

No rate is opened anywhere. p% is known as the bracket between the largest limit that a model passed
and the smallest that it failed, from the limits of the policy; each verdict was charged. Accuracy
is known of two sets of people, which are never mixed: of those that the model trained on, by the
word of the modeler's party, and of those that it was certified on, where the policy opens it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.certificates.models import CandidateModel, Certificate, CertificationResult
from blindjustice_web.certificates.trainings import bounds_text
from blindjustice_web.certificates.validity import status_of
from blindjustice_web.engine.engine_sweeps import Candidate, best_certified, refined
from blindjustice_web.lib.labels import Constraint, CriterionName, Verdict
from blindjustice_web.lib.named import Named
from blindjustice_web.presentation.figures.curve_figure import curve_figure
from blindjustice_web.presentation.figures.curve_rows import CurveRow, percent_text
from blindjustice_web.presentation.words.accuracy import HeldOut, held_out_of
from blindjustice_web.studies.models import Study
from blindjustice_web.studies.services import approved_configuration


@dataclass(frozen=True)
class Curve:
    """The figure as Plotly reads it, its title, the finding in words, and the table twin.

    ``is_held_out``: words and `CurveRow.right` are about the people that models were certified on.
    """

    title: str
    summary: str
    figure: dict[str, Any]
    rows: list[CurveRow]
    targets: list[str]
    is_held_out: bool

    @property
    def where(self) -> str:
        """Return on whom right decisions are told, in a word or two."""
        return _("on held-out people") if self.is_held_out else _("on rows trained on")

    @property
    def tells_held_out(self) -> bool:
        """Return whether right decisions on held-out people are told of any model."""
        return any(row.held_out is not None for row in self.rows)


@dataclass(frozen=True)
class _Known:
    """A trained model, its verdict if there is one, and its right decisions by opened counts."""

    model: CandidateModel
    result: CertificationResult | None
    held_out: HeldOut | None

    @property
    def is_decided(self) -> bool:
        """Return whether it passed or failed."""
        return self.result is not None and self.result.verdict != Verdict.UNDETERMINED

    @property
    def certificate(self) -> Certificate | None:
        """Return its certificate, valid or not."""
        return getattr(self.result.model, "certificate", None) if self.result else None

    @property
    def status(self) -> Named | None:
        """Return whether its certificate is valid today; None without one."""
        return status_of(self.certificate) if self.certificate else None

    def right(self, *, is_held_out: bool) -> Fraction | None:
        """Return percent of right decisions, of one of the two sets of people."""
        if is_held_out:
            return 100 * self.held_out.share if self.held_out else None
        right = (self.model.trained_as or self.model).right_per_mille
        return None if right is None else Fraction(right, 10)


def _whose(is_held_out: bool) -> str:
    """Return of whom right decisions are told, as part of a sentence."""
    if is_held_out:
        return _("of the people it was certified on")
    return _("of the rows it was trained on")


def curve_of(study: Study) -> Curve | None:
    """Return the curve of a study's trained models, strictest c first; None without any.

    Of those trained under the acceptance rate: c of another constraint means something else.
    In a study that trains, verdicts are those that the same regulator's studies gave to the models
    they took over. Held-out people count as soon as they are known of every model that was decided.
    """
    models = study.models.filter(constraint=Constraint.ACCEPTANCE_RATE).exclude(bounds=[])
    models = models.select_related("trained_as", "certificate")
    known = [_known(model, study) for model in models]
    if not known:
        return None
    decided = [each for each in known if each.is_decided]
    is_held_out = bool(decided) and all(each.held_out for each in decided)
    candidates = {each.model.id: _candidate(each, is_held_out) for each in known}
    target = _target(known)
    best = best_certified(list(candidates.values()), target) if target else None
    rows = [
        _row(each, candidates[each.model.id], is_held_out, best is candidates[each.model.id])
        for each in known
    ]
    rows.sort(key=lambda row: (row.c, row.name))
    more = refined(list(candidates.values()), target) if target else None
    whose = _whose(is_held_out)
    return Curve(
        title=_title(rows, target, whose),
        summary=_summary(rows, more, whose),
        figure=curve_figure(rows, target),
        rows=rows,
        targets=[f"{target}"] if target else [],
        is_held_out=is_held_out,
    )


def _known(model: CandidateModel, study: Study) -> _Known:
    result = _verdict_of(model, study)
    return _Known(model, result, None if result is None else held_out_of(result))


def _verdict_of(model: CandidateModel, study: Study) -> CertificationResult | None:
    about = CertificationResult.objects.filter(model=model)
    if model.trained_as_id is None:
        about = CertificationResult.objects.filter(
            model__trained_as=model, model__study__regulator=study.regulator
        )
    found = about.select_related(
        "model__certificate__revocation", "model__trained_as", "model__study__configuration"
    )
    return found.order_by("-at").first()


def _candidate(known: _Known, is_held_out: bool) -> Candidate:
    asked = [] if known.result is None else known.result.thresholds
    limits: dict[str, list[Fraction]] = {verdict: [] for verdict in Verdict}
    for row in asked:
        if row["criterion"] == CriterionName.P_RULE:
            limits[row["verdict"]].append(Fraction(row["threshold"]))
    right = known.right(is_held_out=is_held_out)
    return Candidate(
        model_id=known.model.id,
        c=max(Fraction(bound) for bound in known.model.bounds),
        passed=max(limits[Verdict.PASS], default=None),
        failed=min(limits[Verdict.FAIL], default=None),
        certified=known.status is not None and known.status.value == "VALID",
        right_per_mille=None if right is None else int(10 * right),
    )


def _target(known: Sequence[_Known]) -> Fraction | None:
    """Return the percentage that certifies, of the latest verdict's study; None without one."""
    results = [each.result for each in known if each.result is not None]
    if not results:
        return None
    latest = max(results, key=lambda result: result.at)
    return certifying_percentage(latest.model.study)


def certifying_percentage(study: Study) -> Fraction | None:
    """Return the percentage of the p%-rule at which a study certifies; None where it asks none."""
    policy = approved_configuration(study).policy
    found = (item.certify_at for item in policy.criteria if item.criterion == CriterionName.P_RULE)
    at = next(found, None)
    return None if at is None else Fraction(at)


def _row(known: _Known, candidate: Candidate, is_held_out: bool, is_best: bool) -> CurveRow:
    model, result = known.model, known.result
    accuracy, right = known.right(is_held_out=False), known.right(is_held_out=is_held_out)
    certificate = known.certificate
    return CurveRow(
        name=model.name,
        c=candidate.c,
        c_text=bounds_text(model.bounds),
        accuracy=accuracy,
        accuracy_text=percent_text(accuracy),
        n_rows=(model.trained_as or model).n_rows,
        held_out=known.right(is_held_out=True),
        constant=100 * known.held_out.constant if known.held_out else None,
        n_held_out=known.held_out.n if known.held_out else None,
        right=right,
        right_text=percent_text(right),
        passed=candidate.passed,
        failed=candidate.failed,
        is_decided=known.is_decided,
        verdict=_verdict(known),
        bracket=_bracket(candidate, result),
        certificate_url=reverse("certificate_detail", args=(certificate.id,))
        if certificate
        else "",
        is_certified=candidate.certified,
        is_best=is_best,
    )


def _verdict(known: _Known) -> Named | None:
    """Return what is said of a model: that its certificate is not valid, or else its verdict."""
    if known.result is None:
        return None
    if known.status is not None and known.status.value != "VALID":
        return known.status
    return Named.of(Verdict(known.result.verdict))


def _bracket(known: Candidate, result: CertificationResult | None) -> str:
    if result is None:
        return _("not certified yet")
    if known.passed is None and known.failed is None:
        return _("not decided")
    if known.passed is None:
        return _("below %(high)s %%") % {"high": _limit(known.failed)}
    if known.failed is None:
        return _("%(low)s %% or more") % {"low": _limit(known.passed)}
    return _("%(low)s–%(high)s %%") % {
        "low": _limit(known.passed),
        "high": _limit(known.failed),
    }


def _limit(value: Fraction | None) -> str:
    return "" if value is None else f"{float(value):g}"


def _title(rows: Sequence[CurveRow], target: Fraction | None, whose: str) -> str:
    best = next((row for row in rows if row.is_best), None)
    if target is None:
        return ngettext(
            "One trained model, not certified yet",
            "%(n)d trained models, none certified yet",
            len(rows),
        ) % {"n": len(rows)}
    if best is None:
        return _("No model keeps the p%%-rule at %(at)s %% yet") % {"at": _limit(target)}
    values = {"c": best.c_text, "at": _limit(target), "right": best.right_text, "whose": whose}
    if best.right is None:
        return _("c = %(c)s keeps the p%%-rule at %(at)s %%") % values
    return (
        _("c = %(c)s keeps the p%%-rule at %(at)s %% and is right for %(right)s %(whose)s") % values
    )


def _summary(rows: Sequence[CurveRow], more: str | None, whose: str) -> str:
    judged = [row for row in rows if row.verdict is not None]
    certified = [row for row in rows if row.is_certified]
    sentences = [
        ngettext(
            "%(n)d model was trained; %(judged)d of them judged, %(certified)d certified.",
            "%(n)d models were trained; %(judged)d of them judged, %(certified)d certified.",
            len(rows),
        )
        % {"n": len(rows), "judged": len(judged), "certified": len(certified)}
    ]
    best = next((row for row in rows if row.is_best), None)
    if best is not None and best.right is not None:
        sentences.append(
            _("Of the certified ones “%(name)s” is right most often: for %(right)s %(whose)s.")
            % {"name": best.name, "right": best.right_text, "whose": whose}
        )
    if best is not None and best.constant is not None:
        sentences.append(
            _("A constant answer would be right for %(constant)s of those it was certified on.")
            % {"constant": percent_text(best.constant)}
        )
    if more is not None:
        sentences.append(
            _("Between the last c that fails and the first that passes lies c = %(c)s: try it.")
            % {"c": more}
        )
    return " ".join(sentences)
