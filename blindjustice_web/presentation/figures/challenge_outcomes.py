"""What challenges found: over time for the regulator, and by model, undated, for everybody.

When each batch ran is known to the modeler's party, and a batch may hold one case: dated outcomes
would tell it what its people's cases found. So only the regulator gets them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Min, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.challenges.models import Challenge, ChallengeState
from blindjustice_web.lib.labels import VerificationResult, title_of
from blindjustice_web.lib.moments import moment_text
from blindjustice_web.lib.named import Named
from blindjustice_web.presentation.figures.drawing import (
    Figure,
    Series,
    plain_figure,
    stacked_columns,
    tick_label,
)
from blindjustice_web.presentation.figures.time_steps import TimeSteps

Ending = VerificationResult | ChallengeState
REFUSED = ChallengeState.REFUSED
LOOKS: dict[Ending, tuple[str, str]] = {
    VerificationResult.CONFIRMED: ("--good", ""),
    VerificationResult.DIFFERENT_DECISION: ("--bad", "x"),
    VerificationResult.DIFFERENT_MODEL: ("--bad", "/"),
    VerificationResult.NOT_ANSWERED: ("--open", "."),
    REFUSED: ("--ink-soft", "-"),
}
"""Colour and hatching of each ending: the hatching alone tells them apart."""


def outcomes_over_time(cases: QuerySet[Challenge]) -> Figure | None:
    """Return what cases found, by when they were answered; None before the first answer.

    For the regulator alone. Counted in the database, in two queries.
    """
    ended = cases.order_by().filter(answered_at__isnull=False)
    told = ended.aggregate(first=Min("answered_at"), last=Max("answered_at"))
    if told["first"] is None:
        return None
    steps = TimeSteps.between(told["first"], told["last"])
    by_step = _by_step(ended, steps)
    columns = [by_step.get(start, Counter()) for start in steps.starts]
    total = sum(columns, Counter())
    span = _("The first was closed on %(first)s, the latest on %(last)s.") % {
        "first": moment_text(told["first"]),
        "last": moment_text(told["last"]),
    }
    return Figure(
        name="outcomes",
        title=_title(total),
        summary=f"{_summary(total)} {span}",
        note=_("Counted when they were answered, in UTC. Only the regulator sees these dates."),
        drawing=_drawing(steps.labels, columns),
        caption=_("The same as a table; where nothing was closed, there is no row"),
        headings=[steps.heading, *(Named.of(ending).label for ending in LOOKS)],
        rows=[
            [label, *(str(column[ending]) for ending in LOOKS)]
            for label, column in zip(steps.labels, columns, strict=True)
            if column
        ],
    )


def outcomes_by_model(certificates: Sequence[Certificate]) -> Figure | None:
    """Return what challenges found under each certificate, undated; None before the first answer.

    These counts are public; one query, whatever the number of cases.
    """
    found: dict[str, Counter[Ending]] = {certificate.id: Counter() for certificate in certificates}
    answered = Challenge.objects.filter(
        certificate__in=list(found), state=ChallengeState.ANSWERED
    ).order_by()
    for row in answered.values("certificate_id", "outcome").annotate(n=Count("pk")):
        found[row["certificate_id"]][VerificationResult(row["outcome"])] += row["n"]
    asked = [one for one in certificates if found[one.id]]
    if not asked:
        return None
    columns = [found[one.id] for one in asked]
    names = [one.model.name for one in asked]
    total = sum(columns, Counter())
    return Figure(
        name="outcomes",
        title=_title(total),
        summary=_summary(total),
        note=_(
            "Totals without dates: from dates, whoever knows when cases were checked could tell "
            "what each of them found."
        ),
        drawing=_drawing(names, columns, [tick_label(name) for name in names]),
        caption=_("The same as a table"),
        headings=[_("Model"), *(title_of(outcome) for outcome in VerificationResult)],
        rows=[
            [one.model.name, *(str(found[one.id][outcome]) for outcome in VerificationResult)]
            for one in asked
        ],
    )


def _by_step(ended: QuerySet[Challenge], steps: TimeSteps) -> dict[datetime, Counter[Ending]]:
    found: dict[datetime, Counter[Ending]] = {}
    rows = ended.annotate(step=steps.trunc("answered_at")).values("step", "state", "outcome")
    for row in rows.annotate(n=Count("pk")):
        ending = REFUSED if row["state"] == REFUSED else VerificationResult(row["outcome"])
        found.setdefault(row["step"], Counter())[ending] += row["n"]
    return found


def _drawing(
    places: Sequence[str], columns: Sequence[Counter[Ending]], ticks: Sequence[str] = ()
) -> dict[str, Any]:
    series = [
        Series(Named.of(ending).label, [column[ending] for column in columns], tone, pattern)
        for ending, (tone, pattern) in LOOKS.items()
    ]
    return plain_figure(stacked_columns(places, series, _("cases"), ticks))


def _title(total: Counter[Ending]) -> str:
    confirmed = total[VerificationResult.CONFIRMED]
    answered = sum(total[outcome] for outcome in VerificationResult)
    if not answered:
        return _("No case has been answered yet")
    values = {"n": confirmed, "all": answered, "others": answered - confirmed}
    if answered == 1:
        return (
            _("The one case confirmed the decision")
            if confirmed
            else _("The one case did not confirm the decision")
        )
    if confirmed == answered:
        return _("All %(all)d answered cases confirmed the decision") % values
    return _("%(n)d of %(all)d answered cases confirmed the decision; %(others)d did not") % values


def _summary(total: Counter[Ending]) -> str:
    found = [outcome for outcome in VerificationResult if total[outcome]]
    sentences = [f"{title_of(outcome)}: {total[outcome]}." for outcome in found]
    if total[REFUSED]:
        sentences.append(
            ngettext("One more could not be read.", "%(n)d more could not be read.", total[REFUSED])
            % {"n": total[REFUSED]}
        )
    return " ".join(sentences)
