"""The summary of a bias audit that New York City's Local Law 144 asks to publish."""

from __future__ import annotations

from fractions import Fraction

from django.utils.translation import gettext as _

from blindjustice_web.engine.engine_texts import isolated
from blindjustice_web.lib.moments import day_text
from blindjustice_web.presentation.reports.document import (
    NOT_TOLD,
    Fact,
    Report,
    Table,
    rate_text,
)
from blindjustice_web.presentation.reports.impact_ratios import Compared, RatioComparison, compare
from blindjustice_web.presentation.reports.opened import Grouping, OpenedTable
from blindjustice_web.presentation.reports.wording import (
    bound_note,
    origin,
    privacy_limit,
    ratio_cell,
    unknown_note,
)

NAME = "nyc-local-law-144"
SEX = {"sex", "gender"}
RACE = {"race", "ethnicity", "ethnic"}
"""Parts of an attribute's short name by which its kind is recognised."""


def local_law_144_report(opened: OpenedTable) -> Report:
    """Return the summary: tables by sex, by race or ethnicity, and by both."""
    kinds = {
        _("Sex categories"): [g for g in opened.groupings if _kinds(g) == {"sex"}],
        _("Race/ethnicity categories"): [g for g in opened.groupings if _kinds(g) == {"race"}],
        _("Intersectional categories"): [
            g for g in opened.groupings if _kinds(g) == {"sex", "race"}
        ],
    }
    return Report(
        name=NAME,
        title=_("Summary of a bias audit, NYC Local Law 144: %(study)s")
        % {"study": isolated(opened.study.title)},
        day=opened.audited_at.date(),
        facts=(*origin(opened), Fact(_("Distribution date"), _distribution(opened))),
        tables=tuple(
            _table(opened, grouping, kind) for kind, found in kinds.items() for grouping in found
        ),
        limits=(*_missing(kinds), *_limits(opened)),
        sources=_sources(),
    )


def _kinds(grouping: Grouping) -> set[str]:
    found = set()
    for name in grouping.attributes:
        parts = set(name.split("_"))
        is_sex, is_race = bool(parts & SEX), bool(parts & RACE)
        found.add("other" if is_sex == is_race else "sex" if is_sex else "race")
    return found


def _table(opened: OpenedTable, grouping: Grouping, kind: str) -> Table:
    comparison = compare(grouping.groups)
    return Table(
        title=_("%(kind)s: %(question)s") % {"kind": kind, "question": isolated(grouping.title)},
        headings=(
            _("Category"),
            _("Number of applicants"),
            _("Number selected"),
            _("Selection rate"),
            _("Impact ratio"),
        ),
        rows=tuple(_row(row, comparison) for row in comparison.rows),
        notes=(*bound_note(comparison), *_excluded(opened, grouping), unknown_note(grouping)),
    )


def _row(row: Compared, comparison: RatioComparison) -> tuple[str, ...]:
    group = row.group
    if group.rate is None:
        return (group.title, *[NOT_TOLD] * 4)
    counts = (group.title, str(group.size), str(group.selected), rate_text(group.rate))
    return (*counts, ratio_cell(row, comparison, _("excluded")))


def _excluded(opened: OpenedTable, grouping: Grouping) -> tuple[str, ...]:
    titles = [f"“{isolated(group.title)}”" for group in grouping.groups if group.left_out]
    if not titles:
        return ()
    return (
        _(
            "Excluded from the impact ratios: %(groups)s. Justification: under the policy that "
            "%(auditor)s approved before anybody answered, a category with %(floor)s is not "
            "compared, as so few people make a rate unreliable. Their numbers are stated all the "
            "same where the policy opens them."
        )
        % {
            "groups": ", ".join(titles),
            "auditor": opened.study.regulator.name,
            "floor": _floor(opened),
        },
    )


def _floor(opened: OpenedTable) -> str:
    policy = opened.configuration.policy
    values = {"people": policy.minimum_group, "percent": policy.minimum_percent}
    if Fraction(policy.minimum_percent) == 0:
        return _("fewer than %(people)s people") % values
    if policy.minimum_group == 1:
        return _("less than %(percent)s %% of those who answered") % values
    return _("fewer than %(people)s people or less than %(percent)s %% of those who answered") % (
        values
    )


def _distribution(opened: OpenedTable) -> str:
    if opened.in_use_since is None:
        return _("to be stated by the employer; this site has no record that the model is in use")
    return _("put into use on %(day)s, as this site recorded; to be confirmed by the employer") % {
        "day": day_text(opened.in_use_since)
    }


def _missing(kinds: dict[str, list[Grouping]]) -> tuple[str, ...]:
    names = [kind for kind, found in kinds.items() if not found]
    if not names:
        return ()
    return (
        _(
            "Missing here though the rule asks for it: %(tables)s. The policy compares no groups "
            "whose attribute is named sex or gender, race or ethnicity, or both crossed, and "
            "nothing is worked out from other counts."
        )
        % {"tables": ", ".join(names)},
    )


def _limits(opened: OpenedTable) -> tuple[str, ...]:
    return (
        _(
            "The selection rate is used; the scoring rate is not computed. The parties learn of "
            "each group how many people the model decides for. A scoring rate counts the scores "
            "above the median of all scores, and no party learns a score or the median. It would "
            "equal the selection rate only for a model that selects exactly those above the median."
        ),
        _(
            "The rule takes its categories from the federal form EEO-1, Component 1. The "
            "categories above are those that this study asked for; whether they match is for the "
            "auditor to state."
        ),
        _(
            "Whether the data are historical data or test data in the rule's words, and whether "
            "the auditor is independent in its sense, is for the employer and the auditor to state."
        ),
        _("The law names no lowest impact ratio. An audit counts for a year; the date is above."),
        privacy_limit(opened),
    )


def _sources() -> tuple[str, ...]:
    return (
        _(
            "New York City Administrative Code § 20-870 ff. (Local Law 144 of 2021) and Rules of "
            "the City of New York, title 6, § 5-300 ff."
        ),
        _(
            "The city's own publication could not be opened when this page was written. Impact "
            "ratio, scoring rate, the three tables, the count of unknown people and the exclusion "
            "under 2 % were taken from several quotations of the adopted rule (April 2023) that "
            "agree with one another. The exact definition of the distribution date could not be "
            "confirmed. Compare the rule before you publish."
        ),
    )
