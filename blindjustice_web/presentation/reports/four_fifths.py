"""The report by the US four-fifths rule (29 CFR 1607.4 D), with a statistical test beside it."""

from __future__ import annotations

from fractions import Fraction
from math import erfc, sqrt

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.engine.engine_texts import isolated
from blindjustice_web.lib.labels import CriterionName
from blindjustice_web.presentation.reports.document import (
    NOT_TOLD,
    Report,
    Table,
    probability_text,
    rate_text,
)
from blindjustice_web.presentation.reports.fisher import two_sided_p
from blindjustice_web.presentation.reports.impact_ratios import (
    FOUR_FIFTHS,
    Compared,
    RatioComparison,
    compare,
    further_selections,
)
from blindjustice_web.presentation.reports.opened import Grouping, OpenedTable
from blindjustice_web.presentation.reports.sample_size import (
    POWER,
    SIGNIFICANCE,
    SampleDesign,
    people_needed,
    quantile,
    two_sided_quantile,
)
from blindjustice_web.presentation.reports.wording import (
    bound_note,
    origin,
    privacy_limit,
    ratio_cell,
    unknown_note,
)

NAME = "four-fifths"
Z_CRITERION = CriterionName.ACCEPTANCE_RATE_Z_TEST


def four_fifths_report(opened: OpenedTable) -> Report:
    """Return the report on every grouping of the policy."""
    significance, z_alpha = _level(opened)
    return Report(
        name=NAME,
        title=_("Four-fifths report: %(study)s") % {"study": isolated(opened.study.title)},
        day=opened.audited_at.date(),
        facts=origin(opened),
        tables=tuple(_table(grouping, significance, z_alpha) for grouping in opened.groupings),
        limits=(
            _(
                "Four fifths is a rule of thumb. The federal agencies take a lower ratio as "
                "evidence of adverse impact, as a rule. A higher one can still be adverse impact "
                "where it matters in practice and is significant; a lower one need not be where "
                "numbers are small and it is not significant. This report decides neither."
            ),
            _(
                "Fisher's exact test: how likely a division of the selections at least as "
                "lopsided is if they do not depend on the group. Each pair of groups is tested by "
                "itself, without a correction for several pairs."
            ),
            _(
                "“Further selections”: how many more people of the group would have to be "
                "selected to reach four fifths of the reference's rate, everything else unchanged; "
                "“at least” where another group may have a higher rate than the reference."
            ),
            privacy_limit(opened),
        ),
        sources=(
            _(
                "Uniform Guidelines on Employee Selection Procedures, 29 CFR 1607.4, paragraph D. "
                "Read in copies that quote the Code of Federal Regulations and agree with one "
                "another; the official edition itself could not be opened when this page was "
                "written. Compare it before you rely on this report."
            ),
            _(
                "Sample size: J. L. Fleiss, B. Levin and M. C. Paik, Statistical Methods for Rates "
                "and Proportions, 3rd edition, chapter 4, without continuity correction."
            ),
        ),
    )


def _level(opened: OpenedTable) -> tuple[Fraction, Fraction]:
    """Return the level of significance and its z: the policy's, or 5 %.

    The level of the policy's z, ``2 (1 - Phi(z))``, is rounded to four significant digits.
    """
    for item in opened.configuration.policy.criteria:
        if item.criterion == Z_CRITERION:
            both_tails = erfc(float(item.certify_at) / sqrt(2))
            return Fraction(f"{both_tails:.4g}"), Fraction(item.certify_at)
    return SIGNIFICANCE, two_sided_quantile(SIGNIFICANCE)


def _table(grouping: Grouping, significance: Fraction, z_alpha: Fraction) -> Table:
    comparison = compare(grouping.groups)
    return Table(
        title=grouping.title,
        headings=(
            _("Group"),
            _("People"),
            _("Selected"),
            _("Selection rate"),
            _("Impact ratio"),
            _("Under four fifths"),
            _("Fisher's exact test, p"),
            _("Further selections"),
        ),
        rows=tuple(_row(row, comparison, significance) for row in comparison.rows),
        notes=(
            _finding(comparison),
            *bound_note(comparison),
            *_left_out(grouping),
            unknown_note(grouping),
            *_sample_size(comparison, significance, z_alpha),
        ),
    )


def _row(row: Compared, comparison: RatioComparison, significance: Fraction) -> tuple[str, ...]:
    group, reference = row.group, comparison.reference
    if group.rate is None:
        return (group.title, *[NOT_TOLD] * 7)
    known = (
        group.title,
        str(group.size),
        str(group.selected),
        rate_text(group.rate),
        ratio_cell(row, comparison, _("not compared")),
    )
    if row.impact_ratio is None or reference is None:
        return (*known, *[NOT_TOLD] * 3)
    below = _below(row.impact_ratio, comparison)
    if group is reference:
        return (*known, below, _("the reference"), NOT_TOLD)
    p_value = two_sided_p(group.selected, group.size, reference.selected, reference.size)
    significant = _("%(p)s, significant") if p_value <= significance else _("%(p)s")
    further = _("at least %(n)s") if comparison.is_bound else _("%(n)s")
    return (
        *known,
        below,
        significant % {"p": probability_text(p_value)},
        further % {"n": further_selections(group, reference, FOUR_FIFTHS)},
    )


def _below(ratio: Fraction, comparison: RatioComparison) -> str:
    """Return whether a ratio is under four fifths; not told of an upper bound that is not."""
    if ratio < FOUR_FIFTHS:
        return _("yes")
    return _("not told") if comparison.is_bound else _("no")


def _finding(comparison: RatioComparison) -> str:
    reference = comparison.reference
    if reference is None:
        return _("No group with numbers is known to be compared, so there is no ratio.")
    if not reference.selected:
        return _("Nobody is selected in any group compared that has numbers: there is no ratio.")
    below = [
        row.group.title
        for row in comparison.rows
        if row.impact_ratio is not None and row.impact_ratio < FOUR_FIFTHS
    ]
    if comparison.is_bound:
        highest = _(
            "The reference is the highest of the groups with numbers that are known to be "
            "compared: “%(group)s”."
        )
    else:
        highest = _("The highest selection rate is that of “%(group)s”.")
    highest %= {"group": reference.title}
    if below:
        groups = ", ".join(f"“{isolated(title)}”" for title in below)
        return _("%(highest)s Under four fifths of it: %(groups)s.") % {
            "highest": highest,
            "groups": groups,
        }
    if comparison.is_bound or comparison.n_ratios < 2:
        return highest
    return _("%(highest)s No group compared is under four fifths of it.") % {"highest": highest}


def _left_out(grouping: Grouping) -> tuple[str, ...]:
    titles = [f"“{isolated(group.title)}”" for group in grouping.groups if group.left_out]
    if not titles:
        return ()
    return (
        _("Too small to be compared under the policy, and never the reference: %(groups)s.")
        % {"groups": ", ".join(titles)},
    )


def _sample_size(
    comparison: RatioComparison, significance: Fraction, z_alpha: Fraction
) -> tuple[str, ...]:
    reference = comparison.reference
    if reference is None or reference.rate is None or not reference.selected:
        return ()
    needed = people_needed(SampleDesign(reference.rate, FOUR_FIFTHS, z_alpha, quantile(POWER)))
    if needed is None:
        return ()
    fewer = [
        f"“{isolated(row.group.title)}”"
        for row in comparison.rows
        if row.impact_ratio is not None and row.group.size < needed
    ]
    sentence = ngettext(
        "To notice four fifths of the reference's rate (z test, level %(level)s, power %(power)s) "
        "%(n)s person is needed in each of the two groups.",
        "To notice four fifths of the reference's rate (z test, level %(level)s, power %(power)s) "
        "%(n)s people are needed in each of the two groups.",
        needed,
    ) % {"level": _plain(significance), "power": _plain(POWER), "n": needed}
    if not fewer:
        return (sentence,)
    return (
        sentence,
        _("Fewer are in: %(groups)s. Their figures are uncertain.") % {"groups": ", ".join(fewer)},
    )


def _plain(share: Fraction) -> str:
    return f"{float(share * 100):.3g}\u00a0%"
