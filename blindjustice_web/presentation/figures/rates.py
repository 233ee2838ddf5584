"""The share of each group that a certified model selects, where the policy opens the counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from blindjustice_web.certificates.models import CertificationResult
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_texts import isolated
from blindjustice_web.presentation.cards.groups import groups_told
from blindjustice_web.presentation.figures.drawing import Figure, Series, plain_figure, stacked_rows


@dataclass(frozen=True)
class _Rate:
    """One group: how many people it has, and how many of them the model selects."""

    title: str
    size: int
    selected: int

    @property
    def share(self) -> Fraction:
        return Fraction(self.selected, self.size)


def rates_by_group(result: CertificationResult) -> Figure | None:
    """Return the share selected in each group compared; None where no counts of two are open."""
    policy = engine_client.read_configuration(result.model.study.configuration.text).policy
    names = policy.counts if policy.opens_table else ()
    if not {"size", "selected"} <= set(names):
        return None
    _headings, groups = groups_told(result)
    known = [
        _rate(group.title, dict(zip(names, group.counts, strict=True)))
        for group in groups
        if group.is_told and not group.left_out
    ]
    if len(known) < 2:
        return None
    return Figure(
        name="rates",
        title=_title(known),
        summary=_summary(known),
        note=_("Groups that are left out, or whose numbers are not told, are in the table above."),
        drawing=plain_figure(
            stacked_rows(
                [rate.title for rate in known],
                [Series(_("selected"), [float(100 * rate.share) for rate in known], "--accent")],
                _("percent of the group"),
            )
        ),
        caption=_("The same as a table"),
        headings=[_("Group"), _("People"), _("Selected"), _("Share selected")],
        rows=[
            [rate.title, str(rate.size), str(rate.selected), _percent(rate.share)] for rate in known
        ],
    )


def _rate(title: str, counts: Mapping[str, int | None]) -> _Rate:
    return _Rate(title, counts["size"] or 0, counts["selected"] or 0)


def _title(rates: Sequence[_Rate]) -> str:
    most, least = _extremes(rates)
    if most.share == least.share:
        return _("Every group is selected at the same rate, %(share)s") % {
            "share": _percent(most.share)
        }
    values = {
        "most": isolated(most.title),
        "high": _percent(most.share),
        "least": isolated(least.title),
        "low": _percent(least.share),
    }
    return _("%(most)s is selected most often, %(high)s; %(least)s least often, %(low)s") % values


def _summary(rates: Sequence[_Rate]) -> str:
    """Return no ratio: groups of different divisions are not compared with one another."""
    if not any(rate.selected for rate in rates):
        return _("The model selects nobody.")
    return _(
        "%(n)d groups. Which of them the policy compares, and with what limit, stands above."
    ) % {"n": len(rates)}


def _extremes(rates: Sequence[_Rate]) -> tuple[_Rate, _Rate]:
    """Return the first of those selected most often, and of those selected least often."""
    return max(rates, key=lambda rate: rate.share), min(rates, key=lambda rate: rate.share)


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.1f}%"
